#include "device/cpu/cpu_module.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "base/text.h"
#include "device/cpu/shared_object.h"
#include "device/cpu/static_shared.h"
#include "kiln/error.h"

namespace kiln {
namespace {

class CpuFunction final : public DeviceFunction {
 public:
  CpuFunction(std::string name, const cpu_abi::Kernel& kernel, std::size_t binary_bytes,
              std::uint64_t static_shared, Launcher& launcher)
      : name_(std::move(name)), kernel_(kernel), launcher_(launcher) {
    attributes_.static_shared_bytes = static_shared;
    attributes_.max_threads_per_block = 1024;
    attributes_.binary_bytes = binary_bytes;
    attributes_.parameter_bytes.emplace(kernel.parameter_bytes,
                                        kernel.parameter_bytes + kernel.parameter_count);
    if (kernel.uses_fibers != 0)
      attributes_.fibers_because = *kernel.note == '\0' ? "the text was not looked into" : kernel.note;
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const FunctionAttributes& attributes() const override { return attributes_; }
  void launch(Stream& stream, const LaunchShape& shape, void* const* arguments) override {
    CpuStream& queue = CpuStream::of(stream);
    if (queue.recording()) return record(queue, shape, arguments);
    launcher_.launch(kernel_, cost_, queue, shape, arguments);
  }
  void launch_native(void* native, const LaunchShape& shape, void* const* arguments) override {
    CpuStream* stream = CpuStream::find(native);
    if (stream == nullptr)
      throw bad_input(
          "kernel '" + name_ +
          "': the stream is not a stream of the cpu; pass a stream of the cpu device or a null stream");
    launch(*stream, shape, arguments);
  }

 private:
  void record(CpuStream& captured, const LaunchShape& shape, void* const* arguments) {
    auto kept = std::make_shared<KeptArguments>(arguments, *attributes_.parameter_bytes);
    captured.add([this, shape, kept](Stream& stream) { launch(stream, shape, kept->get()); });
  }

  std::string name_;
  const cpu_abi::Kernel& kernel_;
  Launcher& launcher_;
  FunctionAttributes attributes_;
  LaunchCost cost_;
};

class CpuModule final : public Module {
 public:
  CpuModule(SharedObject object, const std::string& binary, std::shared_ptr<Launcher> launcher)
      : launcher_(std::move(launcher)),
        object_(std::move(object)),
        binary_bytes_(binary.size()),
        static_shared_(static_shared_bytes(binary)) {}

  [[nodiscard]] DeviceFunction* function(const std::string& lowered_name) override {
    const std::lock_guard lock(mutex_);
    const auto found = functions_.find(lowered_name);
    if (found != functions_.end()) return found->second.get();
    const auto* kernel = static_cast<const cpu_abi::Kernel*>(::dlsym(object_.get(), lowered_name.c_str()));
    if (kernel == nullptr) return nullptr;
    if (kernel->abi_version != cpu_abi::kAbiVersion) {
      throw internal_error("a CPU kernel was compiled for version " + std::to_string(kernel->abi_version) +
                           " of the run time; this is " + std::to_string(cpu_abi::kAbiVersion));
    }
    auto function = std::make_unique<CpuFunction>(lowered_name, *kernel, binary_bytes_,
                                                  shared_bytes_of(*kernel, lowered_name), *launcher_);
    return functions_.emplace(lowered_name, std::move(function)).first->second.get();
  }

  [[nodiscard]] std::optional<std::pair<void*, std::size_t>> symbol(const std::string& name) override {
    const auto* symbol = static_cast<const cpu_abi::Symbol*>(::dlsym(object_.get(), "kiln_symbols"));
    for (; symbol != nullptr && symbol->name != nullptr; ++symbol) {
      if (name == symbol->name) return std::pair{symbol->address, static_cast<std::size_t>(symbol->bytes)};
    }
    return std::nullopt;
  }

 private:
  /// Includes the variables of the functions that the kernel may call: the unit lists them, with their forms
  /// (compile/cpu/unit.cpp).
  [[nodiscard]] std::uint64_t shared_bytes_of(const cpu_abi::Kernel& kernel,
                                              const std::string& lowered_name) const {
    const auto* list =
        static_cast<const char*>(::dlsym(object_.get(), (lowered_name + "_shared_functions").c_str()));
    std::uint64_t bytes = 0;
    for (const std::string& function : split(list != nullptr ? list : function_of(kernel.name), ' ')) {
      std::uint64_t most = 0;
      for (const std::string& form : split(function, ',')) {
        const auto found = static_shared_.find(form);
        if (found != static_shared_.end()) most = std::max(most, found->second);
      }
      bytes += most;
    }
    return bytes;
  }

  std::shared_ptr<Launcher> launcher_;
  SharedObject object_;
  std::size_t binary_bytes_;
  std::map<std::string, std::uint64_t> static_shared_;  // by function
  std::mutex mutex_;                                    // guards the members below
  std::map<std::string, std::unique_ptr<CpuFunction>> functions_;
};

}  // namespace

std::unique_ptr<Module> load_cpu_module(const std::string& binary, const std::string& scratch,
                                        std::shared_ptr<Launcher> launcher) {
  return std::make_unique<CpuModule>(load_shared_object(binary, scratch), binary, std::move(launcher));
}

}  // namespace kiln
