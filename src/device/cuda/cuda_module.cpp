#include "device/cuda/cuda_module.h"

#include <array>
#include <map>
#include <mutex>

#include "device/cuda/cuda_vendor.h"
#include "device/fault.h"

namespace kiln {
namespace {

using cuda_abi::FunctionAttribute;

unsigned narrow(std::uint64_t extent) {
  return static_cast<unsigned>(extent);
}

/// A launch with attributes; the configuration points into the object.
struct ExtendedLaunch {
  std::array<cuda_abi::LaunchAttribute, 3> attributes{};
  cuda_abi::LaunchConfig config{};

  ExtendedLaunch(const LaunchShape& shape, cuda_abi::Stream stream)
      : config{narrow(shape.grid.x),
               narrow(shape.grid.y),
               narrow(shape.grid.z),
               narrow(shape.block.x),
               narrow(shape.block.y),
               narrow(shape.block.z),
               narrow(shape.dynamic_shared_bytes),
               stream,
               attributes.data(),
               0} {
    using Id = cuda_abi::LaunchAttribute::Id;
    if (shape.clustered()) {
      cuda_abi::LaunchAttribute& attribute = attributes.at(config.attribute_count++);
      attribute.id = Id::kClusterDimension;
      attribute.value.cluster = {narrow(shape.cluster.x), narrow(shape.cluster.y), narrow(shape.cluster.z)};
    }
    if (shape.cooperative) {
      cuda_abi::LaunchAttribute& attribute = attributes.at(config.attribute_count++);
      attribute.id = Id::kCooperative;
      attribute.value.cooperative = 1;
    }
    if (shape.overlap) {
      cuda_abi::LaunchAttribute& attribute = attributes.at(config.attribute_count++);
      attribute.id = Id::kProgrammaticSerialization;
      attribute.value.programmatic_serialization = 1;
    }
  }
  ExtendedLaunch(const ExtendedLaunch&) = delete;
  ExtendedLaunch& operator=(const ExtendedLaunch&) = delete;
};

class CudaFunction final : public DeviceFunction {
 public:
  CudaFunction(std::shared_ptr<CudaContext> context, const std::string& name, cuda_abi::Function function,
               std::size_t binary_bytes, const DeviceInfo& device)
      : context_(std::move(context)),
        name_(context_->keep_name(name)),
        function_(function),
        units_(device.compute_units),
        overlaps_(device.limits.clusters) {  // both came with sm_90
    attributes_.registers = attribute(FunctionAttribute::kRegisters);
    attributes_.static_shared_bytes = unsigned_attribute(FunctionAttribute::kStaticSharedBytes);
    attributes_.local_bytes = unsigned_attribute(FunctionAttribute::kLocalBytes);
    attributes_.max_threads_per_block = unsigned_attribute(FunctionAttribute::kMaxThreadsPerBlock);
    attributes_.binary_bytes = binary_bytes;
    attributes_.parameter_bytes = parameter_bytes();
    allow_shared_memory(device.limits.max_shared_bytes_per_block);
    if (device.limits.clusters) {
      // Up to 8 blocks work on every device with clusters; a larger cluster needs this attribute.
      context_->call().function_set_attribute(function_, FunctionAttribute::kNonPortableClusterSizeAllowed,
                                              1);
    }
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const FunctionAttributes& attributes() const override { return attributes_; }

  void launch(Stream& stream, const LaunchShape& shape, void* const* arguments) override {
    auto& queue = static_cast<CudaStream&>(stream);  // NOLINT(*-static-cast-downcast): a device's own streams
    enqueue(queue.get(), shape, arguments);
    queue.note_launch(name_);
  }

  void launch_native(void* native, const LaunchShape& shape, void* const* arguments) override {
    enqueue(static_cast<cuda_abi::Stream>(native), shape, arguments);
  }

  [[nodiscard]] DirectLaunch direct() const override {
    // One calling convention: the driver's types for handles are pointers.
    return {reinterpret_cast<DirectLaunch::Call>(context_->call().launch_kernel.address), function_};
  }

  [[nodiscard]] std::optional<std::uint64_t> resident_blocks(const LaunchShape& shape) const override {
    const CurrentContext current = context_->enter();
    const cuda_abi::Functions& call = context_->call();
    if (shape.clustered()) {
      if (call.max_active_clusters == nullptr) return std::nullopt;
      ExtendedLaunch launch(shape, nullptr);
      int clusters = 0;
      const cuda_abi::Result result = call.max_active_clusters(&clusters, function_, &launch.config);
      if (result != cuda_abi::kSuccess) refuse(result, call.max_active_clusters.symbol, shape);
      return static_cast<std::uint64_t>(clusters) * shape.cluster.volume();
    }
    int blocks = 0;
    const cuda_abi::Result result = call.max_active_blocks(
        &blocks, function_, static_cast<int>(shape.block.volume()), shape.dynamic_shared_bytes);
    if (result != cuda_abi::kSuccess) refuse(result, call.max_active_blocks.symbol, shape);
    return static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(units_);
  }

 private:
  void enqueue(cuda_abi::Stream stream, const LaunchShape& shape, void* const* arguments) {
    const CurrentContext current = context_->enter();
    // The driver's interface takes pointers to non-const; it only reads.
    auto** values = const_cast<void**>(arguments);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (shape.clustered() || shape.cooperative || (shape.overlap && overlaps_)) {
      enqueue_extended(stream, shape, values);
      return;
    }
    const auto& launch_kernel = context_->call().launch_kernel;
    const cuda_abi::Result result =
        launch_kernel(function_, narrow(shape.grid.x), narrow(shape.grid.y), narrow(shape.grid.z),
                      narrow(shape.block.x), narrow(shape.block.y), narrow(shape.block.z),
                      narrow(shape.dynamic_shared_bytes), stream, values, nullptr);
    if (result != cuda_abi::kSuccess) refuse(result, launch_kernel.symbol, shape);
  }

  void enqueue_extended(cuda_abi::Stream stream, const LaunchShape& shape, void** values) {
    const auto& launch_kernel_ex = context_->call().launch_kernel_ex;
    if (launch_kernel_ex == nullptr) {
      throw unfit_kernel("kernel '" + name_ + "': this NVIDIA driver (" + context_->driver().description() +
                         ") has no cluster or cooperative launches; CUDA 11.8 brought them");
    }
    ExtendedLaunch launch(shape, stream);
    const cuda_abi::Result result = launch_kernel_ex(&launch.config, function_, values, nullptr);
    if (result != cuda_abi::kSuccess) refuse(result, launch_kernel_ex.symbol, shape);
  }

  [[noreturn]] void refuse(cuda_abi::Result result, const char* call, const LaunchShape& shape) const {
    std::string detail = "kernel '" + name_ + "', grid " + to_string(shape.grid) + ", block " +
                         to_string(shape.block) + ", " + std::to_string(shape.dynamic_shared_bytes) +
                         " bytes of dynamic shared memory";
    if (shape.clustered()) detail += ", clusters of " + to_string(shape.cluster);
    if (shape.cooperative) detail += ", cooperative";
    context_->refuse(result, call, detail);
  }

  [[nodiscard]] int attribute(FunctionAttribute which) const {
    int value = 0;
    context_->run(context_->call().function_get_attribute, &value, which, function_);
    return value;
  }
  [[nodiscard]] std::uint64_t unsigned_attribute(FunctionAttribute which) const {
    return static_cast<std::uint64_t>(attribute(which));
  }

  [[nodiscard]] std::optional<std::vector<std::size_t>> parameter_bytes() const {
    const auto get = context_->call().function_get_parameter;
    if (get == nullptr) return std::nullopt;
    std::vector<std::size_t> sizes;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    while (get(function_, sizes.size(), &offset, &bytes) == cuda_abi::kSuccess) sizes.push_back(bytes);
    return sizes;
  }

  /// Dynamic shared memory beyond 48 KiB needs an attribute: it is set once, here, and not at each launch.
  void allow_shared_memory(std::uint64_t limit) const {
    const std::uint64_t fixed = attributes_.static_shared_bytes.value_or(0);
    if (limit <= fixed) return;
    context_->call().function_set_attribute(function_, FunctionAttribute::kMaxDynamicSharedBytes,
                                            static_cast<int>(limit - fixed));
  }

  std::shared_ptr<CudaContext> context_;
  const std::string& name_;
  cuda_abi::Function function_;
  int units_;
  bool overlaps_;
  FunctionAttributes attributes_;
};

class CudaModule final : public Module {
 public:
  CudaModule(std::shared_ptr<CudaContext> context, const std::string& binary, const DeviceInfo& device)
      : context_(std::move(context)), binary_bytes_(binary.size()), device_(device) {
    const CurrentContext current = context_->enter();
    const cuda_abi::Functions& call = context_->call();
    if (context_->driver().has_libraries()) {
      cuda_abi::Library library = nullptr;
      accept(call.library_load, &library, binary.c_str(), nullptr, nullptr, 0U, nullptr, nullptr, 0U);
      library_.reset(context_->handle(library));
      // The driver would read the binary when a kernel is first looked up; this call finds out now whether it
      // can be loaded.
      cuda_abi::Module loaded = nullptr;
      accept(call.library_get_module, &loaded, library);
    } else {
      cuda_abi::Module module = nullptr;
      accept(call.module_load, &module, binary.c_str(), 0U, nullptr, nullptr);
      module_.reset(context_->handle(module));
    }
  }

  [[nodiscard]] DeviceFunction* function(const std::string& lowered_name) override {
    const std::lock_guard lock(mutex_);
    const auto known = functions_.find(lowered_name);
    if (known != functions_.end()) return known->second.get();
    const CurrentContext current = context_->enter();
    const cuda_abi::Function found = find(lowered_name);
    if (found == nullptr) return nullptr;
    auto function = std::make_unique<CudaFunction>(context_, lowered_name, found, binary_bytes_, device_);
    return functions_.emplace(lowered_name, std::move(function)).first->second.get();
  }

  [[nodiscard]] std::optional<std::pair<void*, std::size_t>> symbol(const std::string& name) override {
    const CurrentContext current = context_->enter();
    const cuda_abi::Functions& call = context_->call();
    cuda_abi::DevicePointer address = 0;
    std::size_t bytes = 0;
    const cuda_abi::Result result =
        library_ ? call.library_get_global(&address, &bytes, library_.get().object, name.c_str())
                 : call.module_get_global(&address, &bytes, module_.get().object, name.c_str());
    if (result == cuda_abi::kNotFound) return std::nullopt;
    context_->check(result, library_ ? call.library_get_global.symbol : call.module_get_global.symbol);
    return std::pair{reinterpret_cast<void*>(address), bytes};  // NOLINT(performance-no-int-to-ptr)
  }

 private:
  template <class Call, class... Arguments>
  void accept(const Call& call, Arguments... arguments) const {
    const cuda_abi::Result result = call(arguments...);
    if (result == cuda_abi::kSuccess) return;
    std::string context = "loading a kernel on " + device_.id + " (" + device_.target.arch + ")";
    if (result == cuda_abi::kUnsupportedPtxVersion || result == cuda_abi::kNoBinaryForGpu) {
      context += "; the NVRTC that compiled it is newer than the driver (" + device_.driver +
                 "), or it was compiled for another architecture: name an NVRTC that fits with KILN_NVRTC";
      context_->fail(result, call.symbol, context);
    }
    context_->refuse(result, call.symbol, context);
  }

  /// Null if there is none of that name.
  [[nodiscard]] cuda_abi::Function find(const std::string& name) const {
    const cuda_abi::Functions& call = context_->call();
    const auto check = [&](cuda_abi::Result result, const char* which) {
      if (result != cuda_abi::kSuccess)
        context_->refuse(result, which, "loading kernel '" + name + "' on " + device_.id);
    };
    cuda_abi::Function function = nullptr;
    if (library_) {
      cuda_abi::Kernel kernel = nullptr;
      const cuda_abi::Result result = call.library_get_kernel(&kernel, library_.get().object, name.c_str());
      if (result == cuda_abi::kNotFound) return nullptr;
      check(result, call.library_get_kernel.symbol);
      check(call.kernel_get_function(&function, kernel), call.kernel_get_function.symbol);
    } else {
      const cuda_abi::Result result = call.module_get_function(&function, module_.get().object, name.c_str());
      if (result == cuda_abi::kNotFound) return nullptr;
      check(result, call.module_get_function.symbol);
    }
    if (call.function_load != nullptr) check(call.function_load(function), call.function_load.symbol);
    return function;
  }

  std::shared_ptr<CudaContext> context_;
  std::size_t binary_bytes_;
  DeviceInfo device_;
  GpuOwner<CudaDriver, &cuda_abi::Functions::library_unload> library_;
  GpuOwner<CudaDriver, &cuda_abi::Functions::module_unload> module_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<CudaFunction>> functions_;
};

}  // namespace

std::unique_ptr<Module> load_cuda_module(std::shared_ptr<CudaContext> context, const std::string& binary,
                                         const DeviceInfo& device) {
  return std::make_unique<CudaModule>(std::move(context), binary, device);
}

}  // namespace kiln
