#pragma once

#include <string>
#include <vector>

#include "compile/cpu/split/call_text.h"

namespace kiln::fission {

/// Writes lists of statements, and the control flow around barriers that stands outside of the loops over
/// work-items.
class StatementText : protected CallText {
 protected:
  using CallText::CallText;

  void list(const Statement& statement, Place around);

 private:
  /// Whether a declaration has a name that statements before it use for something else.
  [[nodiscard]] bool hides(const Statement& declaration, const std::vector<const Statement*>& before) const;
  void hoisted(const Statement& statement, Place around);
  /// A kernel's shared variables are local, so that a compiler knows that no other code sees them. A variable
  /// of their size represents them among the symbols, from which the run time counts shared memory.
  void shared(const Statement& statement);
  /// Statements that one loop over warps holds.
  void warp_chunk(const std::vector<const Statement*>& chunk);
  void outer(const Statement& statement, Place around);
  void outer_declaration(const Statement& statement, Place around);
  void outer_return(const Statement& statement, Place around);
  void store_result(TokenRange value, Place around);
  void outer_jump(const Statement& statement, Place around);
  /// The condition of a statement at the block's level; each work-item evaluates it, and all have to agree.
  /// With `value`, the value of a switch, not only whether it is true.
  std::string agreed(const Statement& statement, bool value = false);
  /// The lanes of the warp for which a condition holds.
  std::string lanes_where(TokenRange condition);
  void outer_if(const Statement& statement, Place around);
  /// The same at the block's level, where some work-items take one branch and some the other.
  void parted_if(const Statement& statement);
  void parted_switch(const Statement& statement);
  /// Declares the parting of a statement. The result is its name.
  std::string parting(const Statement& statement);
  /// Sets the work-items that stay.
  void set_stays(const std::string& parting, TokenRange range, const std::function<std::string()>& condition);
  /// The arguments of a member of the parting; `waits`: those that go on come to a barrier.
  [[nodiscard]] std::string parting_arguments(const Statement& statement, bool waits) const;
  /// Behind a statement at which work-items have taken different ways.
  [[nodiscard]] std::string joined() const;
  /// Statements that some work-items execute.
  void part(const Statement& statement);
  /// Work-items that left inside a statement take no part after it.
  void after_parting(const Statement& statement, bool masked);
  void outer_switch(const Statement& statement, Place around);
  /// A switch of a warp whose lanes may take different cases: one after the other.
  void switch_of_lanes(const Statement& statement);
  /// Lanes that left inside a statement take no part after it.
  void after_inner(const Statement& statement, Place around);
  void outer_loop(const Statement& statement, Place around);
  [[nodiscard]] bool uniform_step(const Statement& statement, Place around) const;
  void init(const Statement& statement, Place around);
  void step(const Statement& statement, Place around);
  /// A loop around a barrier whose course may differ between work-items: they have to agree at run time.
  void block_loop(const Statement& statement);
  /// A loop of a warp whose lanes may leave it one after the other.
  void warp_loop(const Statement& statement);
  /// Jumps in loops over work-items that lead out of the statement `body` of a warp's loop.
  void collect_jumps(const Statement& statement);

  bool masked_loop_ = false;  ///< some lanes leave the innermost loop of the warp before others
  std::string turn_end_;      ///< label of the end of the turn of a loop around a barrier
  bool used_turn_end_ = false;
  int chunks_ = 0, agreements_ = 0, parts_ = 0;
};

}  // namespace kiln::fission
