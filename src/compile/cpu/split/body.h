#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/head.h"

namespace kiln::fission {

/// A local variable or parameter of a function.
struct Variable {
  std::string_view name;
  const Statement* statement = nullptr;    ///< null: a parameter
  const Declarator* declarator = nullptr;  ///< in `statement`, or of the parameter
  TokenRange specifiers;
  int parameter = -1;  ///< its index among the parameters
  bool constant = false;
  bool fixed = false;             ///< shared, static, or constexpr: not one value for each work-item
  bool modified = false;          ///< after its initialisation
  bool escapes = false;           ///< the text takes its address or a reference to it
  std::vector<std::size_t> uses;  ///< tokens
  std::size_t scope_end = 0;
};

/// A change of a variable, or of memory where `variable` is negative.
struct Write {
  int variable = -1;
  std::size_t at = 0;                    ///< token of the operator
  TokenRange value;                      ///< empty for ++ and for an unknown value
  const Statement* statement = nullptr;  ///< the innermost statement that the analysis reads
};

/// A function's statements with its names resolved: the variable that a token means, and the places that
/// change it. Only names are known, not types; in doubt a variable counts as changed.
class Body {
 public:
  /// `waits`: as for parse_body().
  Body(const Outline& text, const DefinitionOutline& definition, const Signatures& signatures,
       const std::function<bool(std::size_t)>& waits);
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }
  [[nodiscard]] const Head& head() const { return head_; }
  [[nodiscard]] const Statement& block() const { return *parsed_.block; }
  /// Empty if the text is understood.
  [[nodiscard]] const std::string& trouble() const { return parsed_.trouble; }
  [[nodiscard]] std::size_t trouble_at() const { return parsed_.trouble_at; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] const std::vector<Write>& writes() const { return writes_; }
  /// Index of the variable that a token names; negative if it names no variable.
  [[nodiscard]] int variable_at(std::size_t token) const {
    return token >= first_ && token < last_ ? variable_of_[token - first_] : -1;
  }
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  /// Index of the token that opens the bracket closed at `close`.
  [[nodiscard]] std::size_t matching_open(std::size_t close) const;
  /// The number of tokens of an assignment, "+=" and the like ("<<=" and ">>=" are two tokens); else 0.
  [[nodiscard]] std::size_t assignment_length(std::size_t i) const;

 private:
  struct Scope {
    std::vector<int> variables;
    std::size_t end = 0;
  };
  void walk(const Statement& statement);
  void declare(const Statement& statement);
  void scan(TokenRange range, const Statement& statement);
  void scan_token(std::size_t i, TokenRange range, const Statement& statement);
  void change(std::size_t base, bool through_pointer, Write write);
  void change_before(std::size_t i, TokenRange range, Write write);
  [[nodiscard]] int lookup(std::string_view name) const;
  [[nodiscard]] bool argument_may_change(std::size_t i, std::size_t chain_end, TokenRange range) const;
  [[nodiscard]] std::size_t chain_end(std::size_t i, std::size_t end) const;
  [[nodiscard]] bool closes_cast(std::size_t close) const;
  [[nodiscard]] bool through_pointer(std::size_t i, std::size_t chain_end) const;

  const std::vector<Token>& tokens_;
  const Signatures& signatures_;
  Head head_;
  ParsedBody parsed_;
  std::vector<Variable> variables_;
  std::vector<Write> writes_;
  std::size_t first_ = 0, last_ = 0;
  std::vector<int> variable_of_;
  std::vector<std::size_t> open_of_;  // of closing brackets from first_ on
  std::vector<Scope> scopes_;
};

}  // namespace kiln::fission
