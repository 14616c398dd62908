#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/kernel_service.h"
#include "trial/array_compare.h"
#include "trial/needs.h"

namespace kiln {

/// Arrays that are so large together are compared on their device; for less, copying them to the host costs
/// less than getting the code of a kernel.
inline constexpr std::uint64_t kLeastBytesOnDevice = std::uint64_t{32} << 20;

/// Compares arrays on the device where they are, by kernels of Kiln's own whose code comes from the service
/// like any other. It finds what compare_on_host finds, bit by bit. Whatever keeps it from comparing (no
/// code, no memory, an array on the host, little to compare) is no error: the caller compares on the host.
/// All that it refers to outlives it.
class DeviceCompare {
 public:
  DeviceCompare(KernelService& service, Compiler& compiler, std::shared_ptr<Device> device, Stream& stream,
                BufferPool& pool, std::uint64_t least_bytes = kLeastBytesOnDevice)
      : service_(service),
        compiler_(compiler),
        device_(std::move(device)),
        stream_(stream),
        pool_(pool),
        least_bytes_(least_bytes) {}

  /// Waits for all work on the stream.
  [[nodiscard]] std::optional<Comparison> compare(const BufferLayout& layout, const Region& region,
                                                  const Tolerance& tolerance, const ArrayContent& values,
                                                  const Expected& expected);
  /// Whether two pieces of the device's memory are equal, after all work on the stream. Both begin at
  /// multiples of 8 bytes.
  [[nodiscard]] std::optional<bool> same_bits(const void* a, const void* b, std::size_t bytes);

 private:
  [[nodiscard]] DeviceFunction* function(const Specialization& specialization);
  [[nodiscard]] std::unique_ptr<DeviceBuffer> scratch(std::size_t bytes);

  KernelService& service_;
  Compiler& compiler_;
  std::shared_ptr<Device> device_;
  Stream& stream_;
  BufferPool& pool_;
  std::uint64_t least_bytes_;
  std::vector<std::shared_ptr<LoadedCode>> code_;
};

/// The code that a variant's checks will ask for on a device of this target; none where they compare on the
/// host. Arrays that are read from files and references that run on the host count as on the device.
[[nodiscard]] std::vector<Specialization> comparisons_of(const TrialNeeds& needs, const Target& target);

}  // namespace kiln
