#pragma once

#include <memory>
#include <string>

#include "base/unique_handle.h"
#include "device/context_faults.h"
#include "device/gpu/driver_call.h"
#include "device/hip/hip_runtime.h"

namespace kiln {

struct SelectedDeviceTraits {
  struct Handle {
    const HipRuntime* runtime = nullptr;
    int before = 0;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.runtime != b.runtime; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept { handle.runtime->call.set_device(handle.before); }
};

/// While it lives, this thread works on the device that it was made for; then on the caller's again.
using SelectedDevice = UniqueHandle<SelectedDeviceTraits>;

/// Traits of an object of the run time that is given back by one call which takes nothing but the object.
template <class Object, hip_abi::Result (*hip_abi::Functions::*kClose)(Object)>
struct HipHandleTraits {
  struct Handle {
    const HipRuntime* runtime = nullptr;
    int device = 0;  ///< selected for the call
    Object object{};
    friend bool operator!=(const Handle& a, const Handle& b) { return a.object != b.object; }
  };
  static Handle null() { return {}; }
  /// What the run time answers is not looked at: after a fault, or at exit, nothing can be given back any
  /// more.
  static void close(const Handle& handle) noexcept {
    int before = 0;
    const bool known = handle.runtime->call.get_device(&before) == hip_abi::kSuccess;
    handle.runtime->call.set_device(handle.device);
    (handle.runtime->call.*kClose)(handle.object);
    if (known) handle.runtime->call.set_device(before);
  }
};

using HipMemory = UniqueHandle<HipHandleTraits<hip_abi::DevicePointer, &hip_abi::Functions::memory_free>>;
using HipHostMemory = UniqueHandle<HipHandleTraits<void*, &hip_abi::Functions::host_free>>;
using HipGraphHandle = UniqueHandle<HipHandleTraits<hip_abi::Graph, &hip_abi::Functions::graph_destroy>>;
using HipGraphInstanceHandle =
    UniqueHandle<HipHandleTraits<hip_abi::GraphInstance, &hip_abi::Functions::graph_instance_destroy>>;
using HipStreamHandle = UniqueHandle<HipHandleTraits<hip_abi::Stream, &hip_abi::Functions::stream_destroy>>;
using HipEventHandle = UniqueHandle<HipHandleTraits<hip_abi::Event, &hip_abi::Functions::event_destroy>>;
using HipModuleHandle = UniqueHandle<HipHandleTraits<hip_abi::Module, &hip_abi::Functions::module_unload>>;

/// A device in this process, shared with whoever else uses HIP. Every object on the device keeps it.
class HipContext {
 public:
  HipContext(std::shared_ptr<const HipRuntime> runtime, int device)
      : runtime_(std::move(runtime)), device_(device) {}

  [[nodiscard]] const HipRuntime& runtime() const { return *runtime_; }
  [[nodiscard]] const hip_abi::Functions& functions() const { return runtime_->call; }
  [[nodiscard]] int device() const { return device_; }
  /// What a copy between devices calls this one.
  [[nodiscard]] int place() const { return device_; }
  /// "the HIP run time (amdgpu 6.8.5, HIP 6.2.41134)"
  [[nodiscard]] std::string description() const {
    return "the HIP run time (" + runtime_->description() + ")";
  }
  /// The object is given back with the result.
  template <class Owner, class Object>
  [[nodiscard]] Owner own(Object object) const {
    return Owner({runtime_.get(), device_, object});
  }
  /// Selects the device on this thread; changes nothing where it is already.
  [[nodiscard]] SelectedDevice enter();
  void check(hip_abi::Result result, const char* call) {
    if (result != hip_abi::kSuccess) fail(result, call);
  }
  /// Throws what `check` does.
  template <class Call, class... Arguments>
  void run(const Call& call, Arguments... arguments) {
    check((runtime_->call.*call.function)(arguments...), call.name);
  }
  /// As throw_hip_error; once the device is lost to a kernel's fault, every error says which fault that was.
  [[noreturn]] void fail(hip_abi::Result result, const char* call, const std::string& detail = "");
  /// The same for what one kernel asked: kind kUnfit, unless the context is lost or a stream is captured.
  [[noreturn]] void refuse(hip_abi::Result result, const char* call, const std::string& detail);

  /// The same text at an address that lasts as long as the context.
  [[nodiscard]] const std::string& keep_name(const std::string& name) { return faults_.keep_name(name); }

 private:
  std::shared_ptr<const HipRuntime> runtime_;
  int device_;
  ContextFaults faults_;
};

}  // namespace kiln
