#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

// Names of the program's types in a kernel's text.
namespace kiln {
namespace detail {

/// T as the program's compiler spells it.
template <class T>
[[nodiscard]] constexpr std::string_view spelled_type() {
  // GCC: "... spelled_type() [with T = float; std::string_view = ...]"; Clang: "... [T = float]".
  const std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view kBegin = "T = ";
  const std::size_t begin = text.find(kBegin) + kBegin.size();
  const std::size_t semicolon = text.find(';', begin);
  return text.substr(begin, (semicolon == std::string_view::npos ? text.size() - 1 : semicolon) - begin);
}

}  // namespace detail

/// The name of T in kernels, by default the program's own. Specialise it for a type with another name there:
/// `template <> struct kiln::TypeName<std::complex<float>> { static constexpr std::string_view value =
/// "cuda::std::complex<float>"; };`
template <class T>
struct TypeName {
  // NOLINTNEXTLINE(readability-identifier-naming): as in std
  static constexpr std::string_view value = detail::spelled_type<T>();
};

/// "const double*" for `const double*`; pointers and const are composed of their types' names.
template <class T>
[[nodiscard]] std::string type_name() {
  if constexpr (std::is_const_v<T> && std::is_pointer_v<T>) {
    return type_name<std::remove_const_t<T>>() + " const";
  } else if constexpr (std::is_const_v<T>) {
    return "const " + type_name<std::remove_const_t<T>>();
  } else if constexpr (std::is_pointer_v<T>) {
    return type_name<std::remove_pointer_t<T>>() + "*";
  } else {
    return std::string(TypeName<T>::value);
  }
}

}  // namespace kiln
