#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/token_lists.h"
#include "compile/outline.h"

namespace kiln::fission {

template <std::size_t N>
[[nodiscard]] bool among(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Thrown if a text cannot be split.
struct Trouble {
  std::string what;
  std::size_t at = 0;  ///< token
};

/// One name of a declaration: "*p = in + 4" of "const float *p = in + 4, q[2];".
struct Declarator {
  enum class Start { kNone, kEquals, kParentheses, kBraces };
  std::string_view name;
  std::size_t at = 0;      ///< token of the name
  TokenRange range;        ///< from its first token to its last, without "," or ";"
  TokenRange initializer;  ///< the tokens after "=", or between the brackets
  Start start = Start::kNone;
  bool pointer = false, reference = false, array = false;
};

/// A statement of a function's body. The content of a range-based for, and of a switch without barriers or
/// with cases that fall through, is not read: the statement is kOpaque.
struct Statement {
  enum class Kind {
    kBlock,
    kDeclaration,
    kScopeDeclaration,  ///< a type, an alias, a constant or a static variable: no action of a work-item
    kExpression,
    kIf,
    kSwitch,
    kFor,
    kWhile,
    kDo,
    kReturn,
    kBreak,
    kContinue,
    kOpaque,
    kEmpty
  };
  Kind kind = Kind::kEmpty;
  TokenRange range;
  TokenRange specifiers;  ///< of a declaration
  std::vector<Declarator> declarators;
  TokenRange condition, step;                        ///< a returned value is a condition, too
  std::vector<std::unique_ptr<Statement>> children;  ///< of for: start, body; of if: then, perhaps else
  std::vector<std::vector<TokenRange>> labels;       ///< of each child of a switch; empty range: default
  bool is_shared = false;                            ///< `__shared__`
  bool constant = false;                             ///< const or constexpr

  [[nodiscard]] bool branches() const { return kind == Kind::kIf || kind == Kind::kSwitch; }
  [[nodiscard]] bool loop() const { return kind == Kind::kFor || kind == Kind::kWhile || kind == Kind::kDo; }
  [[nodiscard]] const Statement& body() const { return *children.back(); }
};

/// The statements of a body, or the reason why they are not understood.
struct ParsedBody {
  std::unique_ptr<Statement> block;
  std::string trouble;
  std::size_t trouble_at = 0;  ///< token
};

/// `waits`: whether a token may be a barrier or warp operation, or the name of a function that waits.
[[nodiscard]] ParsedBody parse_body(const std::vector<Token>& tokens, TokenRange body,
                                    const std::function<bool(std::size_t)>& waits);

/// For code that is only looked at: a switch has its cases, also those that fall through, a range-based for
/// is a kWhile without a condition, and `asm` is an expression.
[[nodiscard]] ParsedBody read_body(const std::vector<Token>& tokens, TokenRange body);

}  // namespace kiln::fission
