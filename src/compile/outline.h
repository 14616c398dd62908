#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// A half-open range of token indices.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] bool contains(std::size_t token) const { return begin <= token && token < end; }
};

/// A function definition, free or member, a class definition (whose body stands for all its members), or a
/// variable with its initializer: what a name in a kernel may lead to.
struct DefinitionOutline {
  std::string_view name;  ///< without scope; "operator" for each overloaded operator and conversion
  TokenRange head;        ///< from the declaration's start to the body
  TokenRange body;        ///< between the braces
  bool kernel = false;    ///< __global__
  bool is_class = false;
};

/// A variable at namespace scope that lives in device memory: __constant__, __device__ or __managed__.
struct DeviceVariable {
  std::string qualified_name;  ///< "ns::table"; unnamed namespaces are left out
};

/// `extern __shared__ T name[];`, at namespace or block scope.
struct DynamicSharedArray {
  std::string qualified_name;
  std::string_view name;
  TokenRange statement;  ///< with its ";"
  bool at_namespace_scope = false;
};

/// What a source text declares, found without expanding macros: enough to list kernels, to follow calls by
/// name and to rewrite the few declarations that a host compiler would not take. All views point into the
/// outlined text. Made in a time that grows with the text's length and not with its depth; scopes that are
/// nested deeper than any that a person writes are not looked into.
struct Outline {
  TokenizedText source;
  std::vector<DefinitionOutline> definitions;
  std::vector<DeviceVariable> variables;
  /// Names, without scope, of those variables in device memory that kernels can write: __device__ and
  /// __managed__, not const; templates, and all that one declaration declares, included.
  std::vector<std::string_view> changing;
  std::vector<DynamicSharedArray> dynamic_shared;
  /// `template __global__ void f<int>(...)`: the tokens that say __global__.
  std::vector<std::size_t> instantiated_kernels;
};

[[nodiscard]] Outline outline(std::string_view text);

/// Names of the __global__ functions that `text` defines, in order, each once.
[[nodiscard]] std::vector<std::string> find_kernels(std::string_view text);

/// The function that a name expression names: "f" of "ns::f<float, 4>".
[[nodiscard]] std::string kernel_name(const std::string& name_expression);

/// Index of the token that closes the parenthesis, bracket or brace at `open`; `tokens.size()` if nothing
/// does, or nothing is opened there.
[[nodiscard]] std::size_t matching_close(const std::vector<Token>& tokens, std::size_t open);

}  // namespace kiln
