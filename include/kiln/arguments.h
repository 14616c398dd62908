#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

// Arguments of a launch: pointers in the order of the kernel's buffers, and run-time scalars by name.
namespace kiln {

/// The device pointers of a launch, in the order of the kernel's arguments that are buffers (or tensor maps
/// of buffers); `args(f, u)` makes them. A view: the array behind it must outlive the call.
using LaunchArguments = std::span<const void* const>;

/// `kernel.launch(stream, args(f, u))`: pointers only, `nullptr` for a missing buffer; scalars are passed by
/// name.
template <class... Pointers>
[[nodiscard]] constexpr std::array<const void*, sizeof...(Pointers)> args(Pointers... pointers) {
  static_assert(((std::is_pointer_v<Pointers> || std::is_null_pointer_v<Pointers>)&&...),
                "args() takes pointers; scalars are given by name");
  return {static_cast<const void*>(pointers)...};
}

/// The value of one run-time parameter for one launch: `{"dt", 0.1}`. It must be of the parameter's kind: a
/// bool for a bool, an integer for an integer, any number for a real one.
class LaunchScalar {
 public:
  using Value = std::variant<bool, std::int64_t, std::uint64_t, double>;

  template <class T>
  requires(std::is_arithmetic_v<T>) constexpr LaunchScalar(std::string_view name, T value)
      : name_(name), value_(as_value(value)) {}

  [[nodiscard]] constexpr std::string_view name() const { return name_; }
  [[nodiscard]] constexpr const Value& value() const { return value_; }

 private:
  template <class T>
  static constexpr Value as_value(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      return static_cast<std::uint64_t>(value);
    } else {
      return static_cast<std::int64_t>(value);
    }
  }

  std::string_view name_;
  Value value_;
};

/// The run-time scalars of a launch, in any order; scalars that are not listed keep the request's values.
using LaunchScalars = std::span<const LaunchScalar>;

}  // namespace kiln
