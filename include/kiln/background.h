#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kiln/function.h"
#include "kiln/kernel.h"

namespace kiln {

/// Options of KernelRequest::background and FunctionRequest::background.
struct BackgroundOptions {
  /// Compares the specialised kernel with the generic one before it is used. Both run on inputs from the
  /// workload, in temporary buffers (twice the kernel's buffers in memory). A kernel without buffers stays
  /// generic, because there is nothing to compare. A program's function has no inputs: verify is refused
  /// there (bad input).
  bool verify = false;
  /// The tolerance: |specialised - generic| <= atol + rtol * |generic|. The default is the tolerance of the
  /// workload's check of the buffer; without a check, 64 roundings of the largest value; integers and records
  /// must be equal. `rtol` is at least 0 and below 1, `atol` at least 0 and finite.
  std::optional<double> rtol, atol;
  /// If the cache does not have the generic kernel, compiles it at the lowest optimisation, which is fast.
  bool quick = true;
};

enum class BackgroundState {
  kGeneric,      ///< the specialised kernel is being compiled
  kSpecialised,  ///< the specialised kernel is in use
  kKeptGeneric,  ///< the specialised kernel will not be used; see `reason`
};

struct BackgroundStatus {
  BackgroundState state = BackgroundState::kGeneric;
  std::string reason;  ///< for kKeptGeneric: the compiler's whole log, or the worst element and both values
  std::uint64_t generic_launches = 0, specialised_launches = 0;
  double ready_seconds = 0;  ///< from the request to the first kernel
  double swap_seconds = 0;   ///< from the request to the specialised kernel; 0 before
  std::string generic_key;   ///< empty if the specialised kernel was used from the start
  std::string specialised_key;
};

/// A kernel that starts as generic code, with its parameters at run time as far as the workload allows, and
/// is replaced by the specialised one as soon as that is compiled. Cheap to copy; all copies are one kernel.
/// Thread-safe. Both kernels stay loaded as long as it lives. The destructor of the last copy drops a compile
/// that has not begun, and waits for one that has.
class BackgroundKernel {
 public:
  struct Impl;  ///< Kiln's own

  /// Kernel::launch of the current kernel. Never waits for the other one, and adds neither lock nor
  /// allocation: one load of a pointer, one count. `scalars` are the specialised kernel's run-time
  /// parameters, also while the generic one is in use.
  void launch(void* stream, LaunchArguments arguments, LaunchScalars scalars = {}) const;
  void launch(void* stream, LaunchArguments arguments, std::initializer_list<LaunchScalar> scalars) const {
    launch(stream, arguments, LaunchScalars(scalars.begin(), scalars.size()));
  }
  /// launch() with a null stream, and DeviceHandle::synchronize(). Throws Error when the kernel failed.
  void run(LaunchArguments arguments, LaunchScalars scalars = {}) const;
  void run(LaunchArguments arguments, std::initializer_list<LaunchScalar> scalars) const {
    run(arguments, LaunchScalars(scalars.begin(), scalars.size()));
  }

  [[nodiscard]] BackgroundStatus status() const;
  /// Waits until it is decided which kernel stays.
  void wait() const;

 private:
  friend class KernelRequest;
  std::shared_ptr<Impl> impl_;
};

namespace detail {

class BackgroundFunctionState;
/// The function to launch now; counts the launch.
[[nodiscard]] const FunctionState& take_current(BackgroundFunctionState& state);
[[nodiscard]] BackgroundStatus status_of(const BackgroundFunctionState& state);
void wait_for(const BackgroundFunctionState& state);

}  // namespace detail

/// A program's function that starts without its constants, which launches pass as arguments anyway, and is
/// replaced by the specialised one as soon as that is compiled. Cheap to copy; all copies are one function.
/// Thread-safe. Both codes stay loaded as long as it lives. The destructor of the last copy drops a compile
/// that has not begun, and waits for one that has.
template <class Signature>
class BackgroundFunction;
template <class... A>
class BackgroundFunction<void(A...)> {
 public:
  BackgroundFunction() = default;

  /// Function::operator() of the current code. Never waits for the other code, and adds neither lock nor
  /// allocation. Constants are compared with the request's, whichever code is in use.
  void operator()(void* stream, std::type_identity_t<A>... arguments) const {
    std::array<void*, sizeof...(A) + 1> values{const_cast<void*>(static_cast<const void*>(&arguments))...,
                                               nullptr};
    detail::enqueue(detail::take_current(*state_), stream, values.data());
  }
  /// A launch with a null stream, and the wait for it. Throws Error when the kernel failed.
  void run(std::type_identity_t<A>... arguments) const {
    std::array<void*, sizeof...(A) + 1> values{const_cast<void*>(static_cast<const void*>(&arguments))...,
                                               nullptr};
    const detail::FunctionState& function = detail::take_current(*state_);
    detail::enqueue(function, nullptr, values.data());
    detail::synchronize(function);
  }

  [[nodiscard]] BackgroundStatus status() const { return detail::status_of(*state_); }
  /// Waits until it is decided which code stays.
  void wait() const { detail::wait_for(*state_); }
  [[nodiscard]] explicit operator bool() const { return state_ != nullptr; }

 private:
  friend class FunctionRequest;
  explicit BackgroundFunction(std::shared_ptr<detail::BackgroundFunctionState> state)
      : state_(std::move(state)) {}

  std::shared_ptr<detail::BackgroundFunctionState> state_;
};

template <class Signature>
BackgroundFunction<Signature> FunctionRequest::background() const {
  return background<Signature>(BackgroundOptions());
}
template <class Signature>
BackgroundFunction<Signature> FunctionRequest::background(const BackgroundOptions& options) const {
  return BackgroundFunction<Signature>(make_background(detail::SignatureOf<Signature>::arguments(), options));
}

}  // namespace kiln
