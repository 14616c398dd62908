#pragma once

#include <cstddef>
#include <type_traits>

#include "device/vendor_library.h"

namespace kiln::test {

/// Whether two types are passed alike: equal scalars, an enumeration and an integer of its size, two pointers
/// whose targets are alike or opaque, two functions whose parameters and result are.
template <class Ours, class Theirs>
struct AbiEqual;

template <class Ours, class Theirs>
constexpr bool kAbiEqual = AbiEqual<std::remove_cv_t<Ours>, std::remove_cv_t<Theirs>>::value;

template <class Type>
constexpr bool kIsOpaque = std::is_class_v<Type> || std::is_void_v<Type>;

template <class Ours, class Theirs>
struct AbiEqual {
  static constexpr bool is_whole(bool integral, bool enumeration) { return integral || enumeration; }
  static constexpr bool value = [] {
    if constexpr (std::is_same_v<Ours, Theirs>) return true;
    if constexpr (kIsOpaque<Ours> || kIsOpaque<Theirs>) return kIsOpaque<Ours> && kIsOpaque<Theirs>;
    if constexpr (!std::is_function_v<Ours> && !std::is_function_v<Theirs> && !kIsOpaque<Ours> &&
                  !kIsOpaque<Theirs>) {
      return is_whole(std::is_integral_v<Ours>, std::is_enum_v<Ours>) &&
             is_whole(std::is_integral_v<Theirs>, std::is_enum_v<Theirs>) && sizeof(Ours) == sizeof(Theirs) &&
             (std::is_enum_v<Ours> || std::is_enum_v<Theirs> ||
              std::is_signed_v<Ours> == std::is_signed_v<Theirs>);
    }
    return false;
  }();
};

template <class Ours, class Theirs>
struct AbiEqual<Ours*, Theirs*> {
  static constexpr bool value = kAbiEqual<Ours, Theirs>;
};

template <class Ours, class Theirs>
struct AbiEqual<Import<Ours>, Theirs*> {
  static constexpr bool value = kAbiEqual<Ours, Theirs>;
};

template <class R1, class... P1, class R2, class... P2>
struct AbiEqual<R1(P1...), R2(P2...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(P1) != sizeof...(P2))
      return false;
    else
      return kAbiEqual<R1, R2> && (kAbiEqual<P1, P2> && ...);
  }();
};

}  // namespace kiln::test
