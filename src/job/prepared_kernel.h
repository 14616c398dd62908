#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device/fault.h"
#include "job/workspace.h"
#include "launch/argument_pack.h"
#include "load/loaded_kernel.h"
#include "specialize/unit.h"

namespace kiln {

/// A unit with its code loaded on a device.
struct LoadedUnit {
  Unit unit;
  std::shared_ptr<LoadedCode> code;
};

/// A kernel that cannot be launched as configured: `what()` names the place, the values and the limit.
class UnfitKernel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One kernel with its arguments bound to a workspace's buffers, ready to be enqueued any number of times.
/// Configuration, kernel and workspace have to outlive it.
class PreparedKernel {
 public:
  /// Throws UnfitKernel when the shape, the arguments or the symbols do not fit the device or the compiled
  /// function.
  PreparedKernel(const Configuration& configuration, const KernelSpec& kernel,
                 const std::vector<LoadedUnit>& units, Workspace& workspace);

  /// Copies the buffers of `symbols:` into the module's variables; to be called once the buffers are filled.
  void load_symbols();
  /// Throws UnfitKernel where the driver does not take the launch.
  void enqueue();
  [[nodiscard]] const std::string& name() const { return kernel_->name; }
  [[nodiscard]] const LaunchShape& shape() const { return shape_; }
  [[nodiscard]] const FunctionAttributes& attributes() const { return function_->attributes(); }
  /// Of Function::resident_blocks, for this shape.
  [[nodiscard]] std::optional<std::uint64_t> resident_blocks() const { return resident_blocks_; }

 private:
  void bind_symbols(Module& module);
  [[nodiscard]] UnfitKernel refused(const DeviceRefusal& refusal) const;

  const Configuration* configuration_;
  const KernelSpec* kernel_;
  Workspace* workspace_;
  Function* function_ = nullptr;
  LaunchShape shape_;
  std::optional<std::uint64_t> resident_blocks_;
  ArgumentPack arguments_;
  std::vector<std::pair<void*, std::string>> symbols_;  // address, buffer
};

}  // namespace kiln
