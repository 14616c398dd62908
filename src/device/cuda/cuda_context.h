#pragma once

#include <memory>
#include <string>

#include "base/unique_handle.h"
#include "device/context_faults.h"
#include "device/cuda/driver.h"
#include "device/gpu/driver_call.h"

namespace kiln {

/// Traits of a driver object that is given back by one call which takes nothing but the object.
template <class Object, cuda_abi::Result (*cuda_abi::Functions::*kClose)(Object)>
struct CudaHandleTraits {
  struct Handle {
    const CudaDriver* driver = nullptr;
    cuda_abi::Context context = nullptr;  ///< made current for the call
    Object object{};
    friend bool operator!=(const Handle& a, const Handle& b) { return a.object != b.object; }
  };
  static Handle null() { return {}; }
  /// What the driver answers is not looked at: after a fault, or at exit, nothing can be given back any more.
  static void close(const Handle& handle) noexcept {
    cuda_abi::Context ignored = nullptr;
    const bool pushed = handle.driver->call.context_push(handle.context) == cuda_abi::kSuccess;
    (handle.driver->call.*kClose)(handle.object);
    if (pushed) handle.driver->call.context_pop(&ignored);
  }
};

using CudaMemory = UniqueHandle<CudaHandleTraits<cuda_abi::DevicePointer, &cuda_abi::Functions::memory_free>>;
using CudaHostMemory = UniqueHandle<CudaHandleTraits<void*, &cuda_abi::Functions::host_free>>;
using CudaStreamHandle =
    UniqueHandle<CudaHandleTraits<cuda_abi::Stream, &cuda_abi::Functions::stream_destroy>>;
using CudaEventHandle = UniqueHandle<CudaHandleTraits<cuda_abi::Event, &cuda_abi::Functions::event_destroy>>;
using CudaGraphHandle = UniqueHandle<CudaHandleTraits<cuda_abi::Graph, &cuda_abi::Functions::graph_destroy>>;
using CudaGraphInstanceHandle =
    UniqueHandle<CudaHandleTraits<cuda_abi::GraphInstance, &cuda_abi::Functions::graph_instance_destroy>>;
using CudaModuleHandle =
    UniqueHandle<CudaHandleTraits<cuda_abi::Module, &cuda_abi::Functions::module_unload>>;
using CudaLibraryHandle =
    UniqueHandle<CudaHandleTraits<cuda_abi::Library, &cuda_abi::Functions::library_unload>>;

struct PrimaryContextTraits {
  struct Handle {
    const CudaDriver* driver = nullptr;
    cuda_abi::DeviceNumber device = 0;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.driver != b.driver; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept {
    handle.driver->call.primary_context_release(handle.device);
  }
};

struct PushedContextTraits {
  using Handle = const CudaDriver*;
  static Handle null() { return nullptr; }
  static void close(Handle driver) noexcept {
    cuda_abi::Context ignored = nullptr;
    driver->call.context_pop(&ignored);
  }
};

/// While it lives, this thread works in the context that it was made for; then in the caller's again.
using CurrentContext = UniqueHandle<PushedContextTraits>;

/// A device's primary context, which the CUDA runtime, PyTorch and others in the process share. Every object
/// on the device keeps it.
class CudaContext {
 public:
  CudaContext(std::shared_ptr<const CudaDriver> driver, cuda_abi::DeviceNumber device);

  [[nodiscard]] const CudaDriver& driver() const { return *driver_; }
  [[nodiscard]] const cuda_abi::Functions& functions() const { return driver_->call; }
  [[nodiscard]] cuda_abi::Context get() const { return context_; }
  /// What a copy between devices calls this one.
  [[nodiscard]] cuda_abi::Context place() const { return context_; }
  /// "the NVIDIA driver (580.159.04, CUDA 13.0)"
  [[nodiscard]] std::string description() const {
    return "the NVIDIA driver (" + driver_->description() + ")";
  }
  /// The object is given back with the result.
  template <class Owner, class Object>
  [[nodiscard]] Owner own(Object object) const {
    return Owner({driver_.get(), context_, object});
  }
  /// Makes the context current on this thread; free of driver calls that change anything where it is already.
  [[nodiscard]] CurrentContext enter() {
    cuda_abi::Context current = nullptr;
    driver_->call.context_get_current(&current);
    return current == context_ ? CurrentContext() : push();
  }
  void check(cuda_abi::Result result, const char* call) {
    if (result != cuda_abi::kSuccess) fail(result, call);
  }
  /// Throws what `check` does.
  template <class Call, class... Arguments>
  void run(const Call& call, Arguments... arguments) {
    check((driver_->call.*call.function)(arguments...), call.name);
  }
  /// As throw_cuda_error; once the context is lost to a kernel's fault, every error says which fault that
  /// was.
  [[noreturn]] void fail(cuda_abi::Result result, const char* call, const std::string& detail = "");
  /// The same for what one kernel asked: kind kUnfit, unless the context is lost or a stream is captured.
  [[noreturn]] void refuse(cuda_abi::Result result, const char* call, const std::string& detail);

  /// The same text at an address that lasts as long as the context.
  [[nodiscard]] const std::string& keep_name(const std::string& name) { return faults_.keep_name(name); }

 private:
  [[nodiscard]] CurrentContext push();

  std::shared_ptr<const CudaDriver> driver_;
  cuda_abi::Context context_ = nullptr;
  UniqueHandle<PrimaryContextTraits> retained_;
  ContextFaults faults_;
};

}  // namespace kiln
