#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "compile/cpu/lane_values.h"

namespace kiln {

/// Reads an expression. What it does not know becomes an unknown value of each lane.
class LaneExpression {
 public:
  LaneExpression(LaneValues& values, const std::vector<Token>& tokens, TokenRange range, bool first_turns,
                 int depth = 0)
      : values_(values),
        tokens_(tokens),
        at_(range.begin),
        end_(range.end),
        first_turns_(first_turns),
        depth_(depth) {}
  LaneForm all();
  [[nodiscard]] std::string_view array() const { return several_ ? std::string_view() : array_; }

 private:
  LaneForm fail();
  [[nodiscard]] bool is(std::string_view text) const { return at_ < end_ && tokens_[at_].is(text); }
  LaneForm conditional();
  LaneForm binary(int lowest);
  LaneForm unary();
  /// `&s[i]`
  LaneForm element_address();
  LaneForm inner(TokenRange range);
  void note(std::string_view array);
  /// Behind a value: calls, elements and members are unknown values.
  LaneForm behind(LaneForm form);
  /// The length of a cast to a type in front of a value, "(size_t)"; `whole`: to a whole number.
  [[nodiscard]] bool cast(TokenRange range, bool& whole, bool& pointer) const;
  LaneForm primary();
  LaneForm name();
  LaneForm shape(std::string_view what, std::string_view axis);
  LaneValues& values_;
  const std::vector<Token>& tokens_;
  std::size_t at_, end_;
  bool first_turns_;
  int depth_;
  bool failed_ = false, several_ = false;
  std::string_view array_;
};

/// The binary operator at `i`, of one token or, as shifts, of two; empty: there is none.
[[nodiscard]] std::string_view binary_operator(const std::vector<Token>& tokens, std::size_t i,
                                               std::size_t end);

/// The larger, the more tightly an operator binds; comparisons: 7.
[[nodiscard]] int precedence(std::string_view operation);

}  // namespace kiln
