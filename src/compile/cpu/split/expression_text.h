#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/writer.h"

namespace kiln::fission {

/// Writes the text of expressions at a place in or outside of the loops over work-items: results in place of
/// calls that wait, indices in numbers that a compiler can follow, and jumps that leave a loop.
class ExpressionText {
 protected:
  using Kind = Statement::Kind;
  using Place = Analysis::Place;

  ExpressionText(const Analysis& analysis, const WriterInput& input);

  struct Result {
    std::size_t end = 0;
    std::string name;
    Sync sync = Sync::kNone;
    bool nothing = false;
  };
  /// The jumps out of the loop over work-items that is written.
  struct Jumps {
    bool label = false;                                  ///< some jump needs the label at the end of the loop
    bool leaves = false, breaks = false, skips = false;  ///< return, break, continue
  };

  [[nodiscard]] const std::vector<Variable>& variables() const { return body_.variables(); }
  [[nodiscard]] const Variable& variable(int v) const { return variables()[static_cast<std::size_t>(v)]; }
  [[nodiscard]] bool returns() const;
  [[nodiscard]] std::string raw(TokenRange range) const;
  [[nodiscard]] std::string result_type() const;
  [[nodiscard]] bool constant_reference(TokenRange range) const;
  [[nodiscard]] std::string room(int v) const { return "kiln_v" + std::to_string(v); }
  [[nodiscard]] std::string index(int v) const;
  /// The lanes of a group that coalesced_threads() made.
  [[nodiscard]] static std::string coalesced_lanes(int v) { return "kiln_g" + std::to_string(v); }
  /// A reference to the current work-item's element of the variable.
  [[nodiscard]] std::string binding(int v) const;
  void find_lambdas(TokenRange range);
  [[nodiscard]] bool in_lambda(std::size_t i) const;
  /// `text` of an expression that begins at the token `at`, as the function's result; a list in braces
  /// becomes an object of the result's type.
  [[nodiscard]] std::string as_result(std::size_t at, const std::string& text) const;
  /// The text of tokens at a place, with results in place of calls that wait.
  [[nodiscard]] std::string render(TokenRange range, Place where);
  /// Whether the expression may have another value for another work-item.
  [[nodiscard]] bool varies(TokenRange range) const;
  /// Whether the token names a number that is the same for the whole block and changes, as a factor of what
  /// is not the same.
  [[nodiscard]] bool changing_factor(std::size_t i) const;
  /// The value of a sum of indices in 64 bits.
  [[nodiscard]] std::string wide_sum(TokenRange range, int depth = 0);

  const Analysis& an_;
  const Body& body_;
  const WriterInput& in_;
  bool warps_;
  std::map<std::size_t, Result> results_;     ///< of calls that wait, by their first token
  std::map<int, std::string> strided_turns_;  ///< the turn of the loop that counts a variable, by variable
  std::map<int, TokenRange>
      clamped_;                ///< values of variables that a clamp leaves as they are in a row inside
  std::set<int> factors_;      ///< variables `v` of subscripts a[v * threadIdx.x] that were written
  bool jump_patches_ = false;  ///< jumps lead out of the loop over work-items that is written
  Jumps jumps_;
  std::set<std::size_t> outer_jumps_;  ///< tokens of jumps out of a loop of a warp or of `parted_loop_`
  std::string parted_loop_;            ///< the innermost loop, where work-items leave it one after the other
  int loop_number_ = 0;

 private:
  /// A subscript as a sum of numbers that are wide enough not to wrap. A compiler has to assume that an
  /// unsigned sum of 32 bits wraps, and then gathers. Empty: the subscript stays as it is.
  [[nodiscard]] std::string wide_index(TokenRange range);
  [[nodiscard]] static std::string grid_call(const Analysis::GridCall& call);
  [[nodiscard]] std::string leave() const;
  [[nodiscard]] std::string group_call(std::size_t i) const;
  /// A member function of the grid's group; it has 64 bits where the group's has.
  [[nodiscard]] static std::string grid_group_call(std::string_view name, std::size_t at);
  [[nodiscard]] static std::string result_at(const Result& result, Place where);

  std::vector<TokenRange> lambdas_;
};

}  // namespace kiln::fission
