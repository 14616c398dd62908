#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/unique_handle.h"
#include "device/context_faults.h"
#include "device/fault.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

// `Driver` is the opened library, CudaDriver or HipRuntime.
namespace kiln {

constexpr int kDriverSuccess = 0;

/// Throws the error that fits `result`: a lost device for an error of a kernel, else Error with the driver's
/// name, number and words, the call ("cuMemAlloc" for cuMemAlloc_v2) and `context` ("kernel 'axpy', grid 4 x
/// 1 x 1, ...").
template <class Driver>
[[noreturn]] void throw_driver_error(const Driver& driver, int result, std::string_view call,
                                     const std::string& context = "") {
  // CUDA's numbers, which HIP shares: from kStreamCaptureUnsupported to kStreamCaptureWrongThread.
  constexpr int kFirstOfCapture = 900;
  constexpr int kLastOfCapture = 908;
  if (call.ends_with("_v2")) call.remove_suffix(3);
  std::string message = driver.describe(result) + ", in " + std::string(call);
  if (!context.empty()) message += ", " + context;
  if (driver.is_sticky(result)) throw device_lost(message);
  if (result >= kFirstOfCapture && result <= kLastOfCapture) {
    throw bad_input(message +
                    "; while a stream is captured into a graph, Kiln can launch on it, but neither "
                    "load, allocate nor copy: get the kernel before the capture begins");
  }
  throw environment_error(message);
}

template <class Driver>
void check_driver(const Driver& driver, int result, const char* call) {
  if (result != kDriverSuccess) throw_driver_error(driver, result, call);
}

/// Calls one of the driver's functions; throws as `throw_driver_error` unless it succeeds.
template <class Driver, class Call, class... Arguments>
void run_call(const Driver& driver, const Call& call, Arguments... arguments) {
  check_driver(driver, call(arguments...), call.symbol);
}

/// An object of the driver, and its place: `Driver::Place` is the driver's context, or a device's number.
template <class Driver, class Object>
struct GpuHandle {
  const Driver* driver = nullptr;
  typename Driver::Place place{};  ///< current while the object is destroyed
  Object object{};
  friend bool operator!=(const GpuHandle& a, const GpuHandle& b) { return a.object != b.object; }
};

template <class Object, class Functions>
Object argument_of(Import<int(Object)> Functions::*close);  // for its type

/// Traits of an object that one call destroys, with the object as its only argument.
template <class Driver, auto kClose>
struct GpuHandleTraits {
  using Handle = GpuHandle<Driver, decltype(argument_of(kClose))>;
  static Handle null() { return {}; }
  /// Ignores the driver's answer: after a fault, or at exit, objects cannot be destroyed any more.
  static void close(const Handle& handle) noexcept {
    const auto current = handle.driver->try_enter(handle.place);
    (handle.driver->call.*kClose)(handle.object);
  }
};

/// `kClose`: the member of the driver's functions that destroys the object.
template <class Driver, auto kClose>
using GpuOwner = UniqueHandle<GpuHandleTraits<Driver, kClose>>;

/// The common part of contexts of CUDA and HIP. Every object on the device keeps its context.
template <class Driver>
class GpuContext {
 public:
  using Place = typename Driver::Place;

  explicit GpuContext(std::shared_ptr<const Driver> driver, Place place = {})
      : driver_(std::move(driver)), place_(place) {}

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] const typename Driver::Functions& call() const { return driver_->call; }
  /// The device's name in copies between devices.
  [[nodiscard]] Place place() const { return place_; }
  /// Wraps an object so that its owner destroys it in this context.
  template <class Object>
  [[nodiscard]] GpuHandle<Driver, Object> handle(Object object) const {
    return {driver_.get(), place_, object};
  }

  void check(int result, const char* call) {
    if (result != kDriverSuccess) fail(result, call);
  }
  /// Throws what `check` does.
  template <class Call, class... Arguments>
  void run(const Call& call, Arguments... arguments) {
    check(call(arguments...), call.symbol);
  }
  /// Throws as throw_driver_error does. Once a kernel's fault has ended the context, every error names that
  /// fault.
  [[noreturn]] void fail(int result, const char* call, const std::string& detail = "") {
    faults_.fail([&] { throw_driver_error(*driver_, result, call, detail); });
  }
  /// As `fail`, for a request of one kernel: kind kUnfit, unless the context is lost or a stream is captured.
  [[noreturn]] void refuse(int result, const char* call, const std::string& detail) {
    faults_.refuse([&] { throw_driver_error(*driver_, result, call, detail); });
  }

  /// A copy of the name whose address is valid as long as the context.
  [[nodiscard]] const std::string& keep_name(const std::string& name) { return faults_.keep_name(name); }

 protected:
  std::shared_ptr<const Driver> driver_;
  Place place_;

 private:
  ContextFaults faults_;
};

}  // namespace kiln
