#include "device/hip/hip_module.h"

#include <map>
#include <mutex>

#include "device/hip/code_object.h"
#include "device/hip/hip_vendor.h"
#include "kiln/error.h"

namespace kiln {
namespace {

unsigned narrow(std::uint64_t extent) {
  return static_cast<unsigned>(extent);
}

class HipFunction final : public DeviceFunction {
 public:
  HipFunction(std::shared_ptr<HipContext> context, const std::string& name, hip_abi::Function function,
              FunctionAttributes attributes, int units)
      : context_(std::move(context)),
        name_(context_->keep_name(name)),
        function_(function),
        attributes_(std::move(attributes)),
        units_(units) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const FunctionAttributes& attributes() const override { return attributes_; }

  void launch(Stream& stream, const LaunchShape& shape, void* const* arguments) override {
    auto& queue = static_cast<HipStream&>(stream);  // NOLINT(*-static-cast-downcast): a device's own streams
    enqueue(queue.get(), shape, arguments);
    queue.note_launch(name_);
  }

  void launch_native(void* native, const LaunchShape& shape, void* const* arguments) override {
    enqueue(static_cast<hip_abi::Stream>(native), shape, arguments);
  }

  [[nodiscard]] std::optional<std::uint64_t> resident_blocks(const LaunchShape& shape) const override {
    const SelectedDevice current = context_->enter();
    int blocks = 0;
    const auto& max_active_blocks = context_->call().max_active_blocks;
    const hip_abi::Result result = max_active_blocks(
        &blocks, function_, static_cast<int>(shape.block.volume()), shape.dynamic_shared_bytes);
    if (result != hip_abi::kSuccess) refuse(result, max_active_blocks.symbol, shape);
    return static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(units_);
  }

 private:
  /// The caller has checked that the device supports a cooperative launch, if this is one.
  void enqueue(hip_abi::Stream stream, const LaunchShape& shape, void* const* arguments) {
    const SelectedDevice current = context_->enter();
    const hip_abi::Functions& call = context_->call();
    // The run time's interface takes pointers to non-const; it only reads.
    auto** values = const_cast<void**>(arguments);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    const Dim3& grid = shape.grid;
    const Dim3& block = shape.block;
    const hip_abi::Result result =
        shape.cooperative
            ? call.launch_cooperative_kernel(function_, narrow(grid.x), narrow(grid.y), narrow(grid.z),
                                             narrow(block.x), narrow(block.y), narrow(block.z),
                                             narrow(shape.dynamic_shared_bytes), stream, values)
            : call.launch_kernel(function_, narrow(grid.x), narrow(grid.y), narrow(grid.z), narrow(block.x),
                                 narrow(block.y), narrow(block.z), narrow(shape.dynamic_shared_bytes), stream,
                                 values, nullptr);
    if (result == hip_abi::kSuccess) return;
    refuse(result, shape.cooperative ? call.launch_cooperative_kernel.symbol : call.launch_kernel.symbol,
           shape);
  }

  [[noreturn]] void refuse(hip_abi::Result result, const char* call, const LaunchShape& shape) const {
    std::string detail = "kernel '" + name_ + "', grid " + to_string(shape.grid) + ", block " +
                         to_string(shape.block) + ", " + std::to_string(shape.dynamic_shared_bytes) +
                         " bytes of dynamic shared memory";
    constexpr std::uint64_t kWorkItems = std::uint64_t{1} << 32;
    if (shape.grid.x * shape.block.x >= kWorkItems || shape.grid.y * shape.block.y >= kWorkItems ||
        shape.grid.z * shape.block.z >= kWorkItems) {
      detail += "; HIP launches fewer than 2^32 work-items along each axis";
    }
    context_->refuse(result, call, detail);
  }

  std::shared_ptr<HipContext> context_;
  const std::string& name_;
  hip_abi::Function function_;
  FunctionAttributes attributes_;
  int units_;
};

class HipModule final : public Module {
 public:
  HipModule(std::shared_ptr<HipContext> context, const std::string& binary, const DeviceInfo& device)
      : context_(std::move(context)),
        contents_(inspect(binary, device)),
        binary_(binary),
        units_(device.compute_units) {
    const SelectedDevice current = context_->enter();
    hip_abi::Module module = nullptr;
    const auto& load = context_->call().module_load;
    const hip_abi::Result result = load(&module, binary_.data());
    if (result != hip_abi::kSuccess) context_->refuse(result, load.symbol, place(device));
    module_.reset(context_->handle(module));
  }

  [[nodiscard]] DeviceFunction* function(const std::string& lowered_name) override {
    const std::lock_guard lock(mutex_);
    const auto known = functions_.find(lowered_name);
    if (known != functions_.end()) return known->second.get();
    const auto kernel = contents_.kernels.find(lowered_name);
    if (kernel == contents_.kernels.end()) return nullptr;
    const SelectedDevice current = context_->enter();
    hip_abi::Function found = nullptr;
    context_->run(context_->call().module_get_function, &found, module_.get().object, lowered_name.c_str());
    auto function =
        std::make_unique<HipFunction>(context_, lowered_name, found, kernel->second.attributes, units_);
    return functions_.emplace(lowered_name, std::move(function)).first->second.get();
  }

  [[nodiscard]] std::optional<std::pair<void*, std::size_t>> symbol(const std::string& name) override {
    const SelectedDevice current = context_->enter();
    hip_abi::DevicePointer address = nullptr;
    std::size_t bytes = 0;
    const auto& get = context_->call().module_get_global;
    const hip_abi::Result result = get(&address, &bytes, module_.get().object, name.c_str());
    if (result == hip_abi::kNotFound) return std::nullopt;
    context_->check(result, get.symbol);
    return std::pair{address, bytes};
  }

 private:
  static std::string place(const DeviceInfo& device) {
    return "loading a kernel on " + device.id + " (" + device.target.arch + ")";
  }

  static HipCodeObject inspect(const std::string& binary, const DeviceInfo& device) {
    auto read = read_code_object(binary);
    if (const auto* problem = std::get_if<std::string>(&read))
      throw environment_error(place(device) + ": " + *problem);
    auto& contents = std::get<HipCodeObject>(read);
    if (!isa_fits(contents.isa, device.target.arch)) {
      throw environment_error(place(device) + ": it was compiled for " + contents.isa);
    }
    return std::move(contents);
  }

  std::shared_ptr<HipContext> context_;
  HipCodeObject contents_;
  std::string binary_;  // some releases read it after the load
  int units_;
  GpuOwner<HipRuntime, &hip_abi::Functions::module_unload> module_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<HipFunction>> functions_;
};

}  // namespace

std::unique_ptr<Module> load_hip_module(std::shared_ptr<HipContext> context, const std::string& binary,
                                        const DeviceInfo& device) {
  return std::make_unique<HipModule>(std::move(context), binary, device);
}

}  // namespace kiln
