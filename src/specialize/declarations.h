#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {

/// A declaration at namespace or class scope, as far as it can be read without expanding macros.
struct Declaration {
  enum class Kind {
    kFunction,   ///< with a body
    kPrototype,  ///< a function's, or a variable with its initializer in parentheses
    kClass,      ///< with a body: class, struct, union
    kEnum,
    kVariable,
    kAlias,          ///< typedef, using X = ..., using A::b, namespace a = b
    kUsing,          ///< using namespace
    kInstantiation,  ///< template void f<int>(int);
    kScope,          ///< a namespace, extern "C" { }
    kForward,        ///< class A; with its name, and without one: friend class A;
    kOther,          ///< static_assert, uses of macros, and what is not understood
  };
  Kind kind = Kind::kOther;
  /// The declared names, without scope; an overloaded operator is "operator". May contain too much, such as
  /// the parameters of a function pointer.
  std::vector<std::string_view> names;
  TokenSpan whole;                   ///< with its ";" or "}"
  TokenSpan body;                    ///< between the braces; empty where there are none
  TokenSpan parameters;              ///< between the parentheses of a kFunction or kPrototype
  TokenSpan template_head;           ///< between the angle brackets of the last "template <...>"
  std::vector<Declaration> members;  ///< members of a kScope or kClass
};

/// Reads all declarations of a text, in order. Never fails: what is not understood is a kOther, which may
/// take in the rest of its scope. A macro that stands for specifiers, such as `extern "C" __global__`, is
/// part of the declaration behind it; any other `NAME(...)` on a line of its own is a declaration, and so is
/// a word of `scope_macros`, which open or close a scope. The result's names are views into the tokenized
/// text.
[[nodiscard]] std::vector<Declaration> read_declarations(
    const TokenizedText& text, const std::set<std::string_view>& specifier_macros = {},
    const std::set<std::string_view>& scope_macros = {});

/// Whether a member of a class is an enumeration, or a constant of a built-in type with a plain value:
/// `static constexpr float kMost = 2 * 1e3f;`.
[[nodiscard]] bool is_value(const std::vector<Token>& tokens, const Declaration& member);

}  // namespace kiln
