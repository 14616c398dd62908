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

/// Throws what `result` calls for: a lost device for an error of a kernel, else Error with the driver's name,
/// number and words, the call ("cuMemAlloc_v2" is cuMemAlloc) and `context` ("kernel 'axpy', grid 4 x 1 x 1,
/// ...").
template <class Driver>
[[noreturn]] void throw_driver_error(const Driver& driver, int result, std::string_view call,
                                     const std::string& context = "") {
  // CUDA's numbers, which are HIP's: from kStreamCaptureUnsupported to kStreamCaptureWrongThread.
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

/// An object of the driver's, and where it is: `Driver::Place` is the driver's context, or a device's number.
template <class Driver, class Object>
struct GpuHandle {
  const Driver* driver = nullptr;
  typename Driver::Place place{};  ///< current while the object is given back
  Object object{};
  friend bool operator!=(const GpuHandle& a, const GpuHandle& b) { return a.object != b.object; }
};

template <class Object, class Functions>
Object argument_of(Import<int(Object)> Functions::*close);  // for its type

/// Traits of an object that is given back by one call which takes nothing but the object.
template <class Driver, auto kClose>
struct GpuHandleTraits {
  using Handle = GpuHandle<Driver, decltype(argument_of(kClose))>;
  static Handle null() { return {}; }
  /// What the driver answers is not looked at: after a fault, or at exit, nothing can be given back any more.
  static void close(const Handle& handle) noexcept {
    const auto current = handle.driver->try_enter(handle.place);
    (handle.driver->call.*kClose)(handle.object);
  }
};

/// `kClose`: the member of the driver's functions that gives the object back.
template <class Driver, auto kClose>
using GpuOwner = UniqueHandle<GpuHandleTraits<Driver, kClose>>;

/// What contexts of CUDA and HIP have in common. Every object on the device keeps its context.
template <class Driver>
class GpuContext {
 public:
  using Place = typename Driver::Place;

  explicit GpuContext(std::shared_ptr<const Driver> driver, Place place = {})
      : driver_(std::move(driver)), place_(place) {}

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] const typename Driver::Functions& call() const { return driver_->call; }
  /// What a copy between devices calls this one.
  [[nodiscard]] Place place() const { return place_; }
  /// For the object's owner.
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
  /// As throw_driver_error; once the context is lost to a kernel's fault, every error says which fault that
  /// was.
  [[noreturn]] void fail(int result, const char* call, const std::string& detail = "") {
    faults_.fail([&] { throw_driver_error(*driver_, result, call, detail); });
  }
  /// As `fail`, for what one kernel asked: kind kUnfit, unless the context is lost or a stream is captured.
  [[noreturn]] void refuse(int result, const char* call, const std::string& detail) {
    faults_.refuse([&] { throw_driver_error(*driver_, result, call, detail); });
  }

  /// The same text at an address that lasts as long as the context.
  [[nodiscard]] const std::string& keep_name(const std::string& name) { return faults_.keep_name(name); }

 protected:
  std::shared_ptr<const Driver> driver_;
  Place place_;

 private:
  ContextFaults faults_;
};

}  // namespace kiln
