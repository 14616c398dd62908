#include "load/loaded_kernel.h"

#include <utility>
#include <vector>

#include "base/text.h"
#include "kiln/error.h"

namespace kiln {

LoadedCode::LoadedCode(CodeObject code, std::shared_ptr<Device> device)
    : code_(std::move(code)),
      device_(std::move(device)),
      module_(device_ ? device_->load(code_.binary) : nullptr) {
  if (module_) module_->note_names(code_.lowered_names);
}

DeviceFunction& LoadedCode::function(const std::string& name_expression) const {
  if (!module_) {
    throw internal_error("'" + name_expression + "' was compiled without a device and cannot be launched");
  }
  const auto lowered = code_.lowered_names.find(name_expression);
  if (lowered == code_.lowered_names.end()) {
    std::vector<std::string> names;
    for (const auto& [name, symbol] : code_.lowered_names) names.push_back(name);
    throw bad_input("there is no kernel '" + name_expression + "' in the compiled code" +
                    suggestion(name_expression, names));
  }
  DeviceFunction* function = module_->function(lowered->second);
  if (function == nullptr) {
    throw internal_error("the binary has no symbol '" + lowered->second + "' for the kernel '" +
                         name_expression + "'");
  }
  return *function;
}

const std::vector<std::byte>& LoadedCode::first_content(Stream& stream, const void* variable,
                                                        std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto [content, is_new] = first_contents_.try_emplace(variable, bytes);
  if (is_new) device_->copy_to_host(stream, content->second.data(), variable, bytes);
  return content->second;
}

}  // namespace kiln
