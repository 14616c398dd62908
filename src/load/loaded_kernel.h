#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "device/device.h"

namespace kiln {

/// A code object together with its module on one device. Held by shared_ptr: eviction from a cache cannot cut
/// off a launch. Holds the device, too, so that the module never outlives it.
class LoadedCode {
 public:
  /// Loads `code` on `device`, or only holds it when `device` is null. Throws Error if the device refuses it.
  LoadedCode(CodeObject code, std::shared_ptr<Device> device);

  [[nodiscard]] const CodeObject& code() const { return code_; }
  /// The kernel for a name expression; throws bad_input listing the entries that exist.
  [[nodiscard]] DeviceFunction& function(const std::string& name_expression) const;
  [[nodiscard]] Module* module() const { return module_.get(); }
  /// What a variable of the module held when this was first called for it: its initial content, where no
  /// kernel has run since the code was loaded. Thread-safe.
  [[nodiscard]] const std::vector<std::byte>& first_content(Stream& stream, const void* variable,
                                                            std::size_t bytes) const;

 private:
  CodeObject code_;
  std::shared_ptr<Device> device_;  // before module_: destroyed after it
  std::unique_ptr<Module> module_;
  mutable std::mutex mutex_;  // guards the member below
  mutable std::map<const void*, std::vector<std::byte>> first_contents_;
};

}  // namespace kiln
