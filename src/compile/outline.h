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

/// A function definition, free or member, a class definition (whose body includes all its members), or a
/// variable with its initializer: a definition that a name in a kernel may refer to.
struct DefinitionOutline {
  std::string_view name;  ///< without scope; "operator" for all overloaded operators and conversions
  TokenRange head;        ///< from the declaration's start to the body
  TokenRange body;        ///< between the braces
  bool kernel = false;    ///< __global__
  bool is_class = false;
};

/// A variable at namespace scope that lives in device memory: __constant__, __device__ or __managed__.
struct DeviceVariable {
  std::string qualified_name;  ///< "ns::table"; unnamed namespaces are left out
  std::size_t end = 0;         ///< offset behind its declaration
};

/// `extern __shared__ T name[];`, at namespace or block scope.
struct DynamicSharedArray {
  std::string qualified_name;
  std::string_view name;
  TokenRange statement;  ///< with its ";"
  bool at_namespace_scope = false;
};

/// The declarations of a source text, found without expanding macros: enough to list kernels, to follow calls
/// by name and to rewrite the few declarations that a host compiler would not accept. All views point into
/// the outlined text. The time grows with the text's length and not with its depth; scopes that are nested
/// deeper than in real texts are skipped.
struct Outline {
  TokenizedText source;
  std::vector<DefinitionOutline> definitions;
  std::vector<DeviceVariable> variables;
  /// Names, without scope, of the variables in device memory that kernels can write: __device__ and
  /// __managed__, not const; including templates, and all names of one declaration.
  std::vector<std::string_view> changing;
  std::vector<DynamicSharedArray> dynamic_shared;
  /// The __global__ tokens of `template __global__ void f<int>(...)`.
  std::vector<std::size_t> instantiated_kernels;
};

[[nodiscard]] Outline outline(std::string_view text);

/// Names of the __global__ functions that `text` defines, in order, each once.
[[nodiscard]] std::vector<std::string> find_kernels(std::string_view text);

/// The function that a name expression names: "f" for "ns::f<float, 4>".
[[nodiscard]] std::string kernel_name(const std::string& name_expression);

/// Index of the token that closes the parenthesis, bracket or brace at `open`; `tokens.size()` if no token
/// closes it, or none is opened there.
[[nodiscard]] std::size_t matching_close(const std::vector<Token>& tokens, std::size_t open);

}  // namespace kiln
