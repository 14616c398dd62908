#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "compile/cpu/split/expression_text.h"

namespace kiln::fission {

/// Writes loops over the work-items of a block or over the lanes of a warp, with the names that their
/// statements need, and the arrays of variables that live longer than one loop.
class LoopText : protected ExpressionText {
 protected:
  using ExpressionText::ExpressionText;

  /// The work-items that the next loop over work-items omits: calls of kiln::cpu::Range.
  struct Limits {
    std::string x, y, lane;
    std::string end;     ///< of the loop along x or over lanes; then the others do not count
    std::string row;     ///< with `end`: statements in front of each row
    bool again = false;  ///< some work-items may execute the statement twice
    [[nodiscard]] bool empty() const { return x.empty() && y.empty() && lane.empty() && end.empty(); }
  };

  [[nodiscard]] bool masks_block() const { return an_.any_leaves_early() || an_.any_parts() || in_.masked; }
  /// Whether a barrier has to see work-items for which others did not wait.
  [[nodiscard]] bool meets() const { return an_.may_meet() && an_.any_parts(); }
  /// The type of a set of the block's work-items.
  [[nodiscard]] std::string set_type() const {
    return warps_ ? "kiln::cpu::WarpBits" : "kiln::cpu::Items<int, KilnShape>";
  }
  /// Names of variables that are declared outside of [ranges].
  [[nodiscard]] std::string bindings(const std::vector<TokenRange>& ranges, Place where);
  /// A loop over the block's work-items, or over the warp's, around `inside`.
  void item_loop(const std::vector<TokenRange>& ranges, Place around,
                 const std::function<std::string()>& inside);
  /// The statements of one such loop.
  void region(const std::vector<const Statement*>& statements, Place around);
  /// A loop over warps around what `inside` writes.
  void in_warps(const std::vector<TokenRange>& ranges, const std::function<void()>& inside);
  void declare_room(int v, const Declarator& declarator, const Statement& statement);
  /// Declares arrays for the variables of a loop's statement that live longer than the loop.
  void declare_rooms(const Statement& statement, Place around);
  /// Declares names of values that are computed anew, for the text outside of the loops.
  [[nodiscard]] bool names_repeated(const Statement& statement,
                                    const std::vector<const Statement*>& before) const;
  void declare_repeated(const Statement& statement, Place around);
  [[nodiscard]] std::string item_statement(const Statement& statement);
  [[nodiscard]] std::string first_value(int v, const Declarator& declarator, const Statement& statement);
  /// The pragmas in front of a statement.
  [[nodiscard]] std::string lead(const Statement& statement) const;
  /// Jumps to the end for a warp with no lane left.
  void leave_warp();
  /// Jumps to the end of the part of a statement, or of the function, if no work-item is left.
  void leave_block();

  std::string out_;
  bool masked_ = false;  ///< some work-items may not take part
  Limits limits_;
  std::string chunk_end_, part_end_;  ///< labels
  bool used_chunk_end_ = false, used_part_end_ = false;

 private:
  /// Variables whose names [ranges] need, with the variables that these need, in the order of their
  /// declarations.
  [[nodiscard]] std::set<int> used(const std::vector<TokenRange>& ranges) const;
  [[nodiscard]] bool sets_thread(const std::vector<TokenRange>& ranges) const;
  [[nodiscard]] std::string limit(const Analysis::Bound& bound, Place around);
  /// Runs one turn for all work-items, then the next: the work-items then access neighbouring memory. In the
  /// last turn some work-items may have nothing to do.
  void strided_loop(const Statement& statement, Place around);
  /// Whether an expression can be written in front of a loop: it names only what is declared outside of the
  /// loop's statements, and sums of indices of such names.
  [[nodiscard]] bool known_outside(TokenRange value, const std::vector<TokenRange>& ranges,
                                   int depth = 0) const;
  /// Finds the clamps of subscripts in a loop's statements. The result tests for a row whether they leave all
  /// its values as they are: there a compiler sees neighbouring elements. Empty: there are none.
  [[nodiscard]] std::string find_clamps(const std::vector<TokenRange>& ranges);
  /// A declaration of values that each loop which needs them computes anew: it needs no loop itself.
  [[nodiscard]] bool only_repeated(const Statement& statement) const;

  const Statement* limited_ = nullptr;  ///< the loop's limits imply its condition
  int loops_ = 0;
};

}  // namespace kiln::fission
