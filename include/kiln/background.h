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

/// How KernelRequest::background and FunctionRequest::background go about it.
struct BackgroundOptions {
  /// Compares the specialised kernel with the generic one before it is used: both run on inputs of the
  /// workload's own making, in buffers that exist only for that (twice the kernel's buffers in memory). A
  /// kernel that takes no buffer stays generic, for nothing could be compared. A program's function has no
  /// inputs to compare with: there it is refused (bad input).
  bool verify = false;
  /// What may differ: |specialised - generic| <= atol + rtol * |generic|. Without them, the tolerance of the
  /// workload's check of the buffer; without a check, 64 roundings of the largest value; whole numbers and
  /// records must be equal. `rtol` is at least 0 and below 1, `atol` at least 0 and finite.
  std::optional<double> rtol, atol;
  /// Compiles the generic kernel, where the cache has none, at the lowest optimisation that compiles fast.
  bool quick = true;
};

enum class BackgroundState {
  kGeneric,      ///< the specialised kernel is on its way
  kSpecialised,  ///< it is in use
  kKeptGeneric,  ///< it will not be used; `reason` says why
};

struct BackgroundStatus {
  BackgroundState state = BackgroundState::kGeneric;
  std::string reason;  ///< of kKeptGeneric: the compiler's whole log, or the worst element and both values
  std::uint64_t generic_launches = 0, specialised_launches = 0;
  double ready_seconds = 0;  ///< from the request to the first kernel
  double swap_seconds = 0;   ///< from the request to the specialised one; 0 before
  std::string generic_key;   ///< empty where the specialised kernel was there at once
  std::string specialised_key;
};

/// A kernel that starts as generic code, which takes its parameters at run time where the workload allows it,
/// and becomes the specialised one as soon as that is compiled. Cheap to copy; all copies are one kernel.
/// Thread-safe. Both kinds of code stay loaded for as long as it lives. When the last copy goes, a compile
/// that has not begun is dropped, and one that has is waited for.
class BackgroundKernel {
 public:
  struct Impl;  ///< Kiln's own

  /// Kernel::launch of the one that is in use. Never waits for the other, and adds neither lock nor
  /// allocation: one load of a pointer, one count. Each launch is of one kernel or of the other; `scalars`
  /// are those that the specialised kernel takes at run time, also while the generic one is in use.
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
  /// Until it is decided which kernel stays.
  void wait() const;

 private:
  friend class KernelRequest;
  std::shared_ptr<Impl> impl_;
};

namespace detail {

class BackgroundFunctionState;
/// What to launch now; counts the launch.
[[nodiscard]] const FunctionState& take_current(BackgroundFunctionState& state);
[[nodiscard]] BackgroundStatus status_of(const BackgroundFunctionState& state);
void wait_for(const BackgroundFunctionState& state);

}  // namespace detail

/// A program's function that starts without its constants, which launches pass as arguments anyway, and
/// becomes the specialised one as soon as that is compiled. Cheap to copy; all copies are one function.
/// Thread-safe. Both kinds of code stay loaded for as long as it lives. When the last copy goes, a compile
/// that has not begun is dropped, and one that has is waited for.
template <class Signature>
class BackgroundFunction;
template <class... A>
class BackgroundFunction<void(A...)> {
 public:
  BackgroundFunction() = default;

  /// As Function's, of the code that is in use. Never waits for the other, and adds neither lock nor
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
  /// Until it is decided which code stays.
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
