#include "device/cpu/cpu_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

#include "device/cpu/memory_map.h"

namespace kiln {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

class CpuBuffer final : public DeviceBuffer {
 public:
  CpuBuffer(MemoryMap map, void* data, std::size_t bytes)
      : map_(std::move(map)), data_(data), bytes_(bytes) {}

  [[nodiscard]] void* data() const override { return data_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] void* host_view() const override { return data_; }

 private:
  MemoryMap map_;
  void* data_;
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<DeviceBuffer> make_cpu_buffer(std::size_t bytes) {
  const bool large = bytes >= 2 * kHugePage;
  MemoryMap map = map_memory(large ? bytes + kHugePage : std::max<std::size_t>(bytes, 1));
  if (!map) return nullptr;
  void* data = map.get().address;
  if (large) {
    const auto address = reinterpret_cast<std::uintptr_t>(data);
    data = static_cast<char*>(data) + (kHugePage - address % kHugePage) % kHugePage;
    ::madvise(data, bytes, MADV_HUGEPAGE);  // a wish: without huge pages all still works
  }
  return std::make_unique<CpuBuffer>(std::move(map), data, bytes);
}

}  // namespace kiln
