#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "specialize/program_text.h"
#include "specialize/tokens.h"

namespace kiln {

/// What names of a program's host code stand for in a workload's expressions; absent: not known.
struct HostNames {
  /// Of a name, and of an expression such as "image.cols" or "block.x".
  std::function<std::optional<std::string>(const std::string&)> value_of;
  /// Bytes of a type.
  std::function<std::optional<std::string>(const std::string&)> size_of;
  /// Of a text that stands for another one.
  std::function<std::optional<std::string>(const std::string&)> nested;
};

/// An expression of C++ with whole numbers, as the host computes grids and sizes, as one of a workload: `//`
/// stands for `/`, casts are left out, and calls of functions with one `return` are written out. Within
/// `ceil` of real numbers `/` stays. Absent for what a workload cannot say.
[[nodiscard]] std::optional<std::string> host_expression(const std::string& text,
                                                         const std::map<std::string, TextFunction>& functions,
                                                         const HostNames& names);

/// "(a + b)" of "a + b"; a name, a number and what has brackets stay as they are.
[[nodiscard]] std::string in_brackets(const std::string& expression);
[[nodiscard]] std::string without_brackets(std::string expression);

}  // namespace kiln
