#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "compile/cpu/split/expressions.h"

namespace kiln::fission {

/// The growth of a function's expressions from a work-item to the next: which are an index, and which are
/// sums of one.
class Indices : public Expressions {
 public:
  /// The growth of an expression's value from a work-item to the next along x: 0, 1, or kOther.
  static constexpr int kOther = 2;
  [[nodiscard]] int stride(TokenRange range, int depth = 0) const;
  /// Whether a variable gets a wide copy (ExpressionText): a sum of an index and other values that never
  /// changes.
  [[nodiscard]] bool sum_of_index(int variable) const;
  [[nodiscard]] bool plain_sum(TokenRange range) const;
  /// Whether a variable is a number of an integer type that the text names.
  [[nodiscard]] bool whole_number(int variable) const;
  /// The range without brackets and casts to whole numbers of 32 bits or more around the whole of it.
  [[nodiscard]] TokenRange bare(TokenRange range) const;
  /// int v = min(max(value, low), high), or a part of it, where the value grows by one from a work-item to
  /// the next, and the limits are equal for all of a block.
  struct Clamp {
    TokenRange value;
    std::vector<TokenRange> low, high;
  };
  /// The clamp whose result a variable keeps.
  [[nodiscard]] std::optional<Clamp> clamp(int variable) const;
  /// The number of tokens of "(size_t)" and the like in front of a value; 0 if there is no such cast.
  [[nodiscard]] std::size_t wide_cast_length(std::size_t i) const;
  /// The number of tokens of "int", "(int)" and "static_cast<int>" in front of a value of at most 32 bits in
  /// brackets, or without them; 0 if there is no such cast.
  [[nodiscard]] std::size_t int_cast_length(std::size_t i) const;

 protected:
  using Expressions::Expressions;

  /// 'x', 'y' or 'l' (lane) if an expression is that index; else 0.
  [[nodiscard]] char axis_of(TokenRange range) const;
  /// Whether a variable's type keeps the numbers of all work-items: "char" does not, nor may a type of the
  /// user's.
  [[nodiscard]] bool keeps_indices(const Variable& variable) const;
  /// Whether the names in a variable's initializer keep their values as long as the variable lives.
  [[nodiscard]] bool steady_names(const Variable& variable) const;

 private:
  [[nodiscard]] bool steady_in(int number, const Variable& user) const;
  /// Whether something else is declared by the name as long as the variable `user` lives.
  [[nodiscard]] bool hidden_in(std::string_view name, const Variable& user) const;
  /// Whether one of the words is in a variable's declaration.
  [[nodiscard]] bool says(const Variable& variable, std::initializer_list<std::string_view> words) const;
  [[nodiscard]] bool real_number(const Variable& variable) const;
  [[nodiscard]] bool wraps(const Variable& variable) const;

  mutable std::map<const Variable*, bool> steady_;  ///< what steady_names() has found
  /// Whether a variable is a number of 32 bits that is never changed after its declaration.
  [[nodiscard]] static bool steady_number(const Body& body, const Variable& variable);
};

}  // namespace kiln::fission
