#pragma once

#include <map>

#include "compile/cpu/split/indices.h"

namespace kiln::fission {

/// Where the work-items of a block may take different ways at a statement with a barrier: where those that do
/// not come to its barriers need not come to another one before they end.
class Partings : public Indices {
 public:
  /// What is behind a statement.
  [[nodiscard]] Behind behind(const Statement& statement) const;
  /// The same for the innermost statement around a call.
  [[nodiscard]] Behind behind(const SyncCall& call) const;
  /// Whether some work-items may go to the barriers of a statement while the others go past it to their end.
  [[nodiscard]] bool may_part(const Statement& statement) const;
  /// The loop that a jump in the statement leaves, or goes on with; null: none.
  [[nodiscard]] const Statement* loop_around(const Statement& statement) const;
  /// Whether a work-item for which others did not wait may come to a barrier, which is a fault.
  [[nodiscard]] bool may_meet() const { return may_meet_; }
  /// Whether work-items may take different ways where this is behind them.
  static bool open(Behind behind) {
    return behind == Behind::kNothing || behind == Behind::kPerhaps || behind == Behind::kTurn;
  }
  /// Whether a jump of this kind leads out of the statement.
  [[nodiscard]] bool jumps(const Statement& statement, Statement::Kind kind) const;

 protected:
  using Kind = Statement::Kind;

  explicit Partings(Input input);

 private:
  /// `again`: what kPerhaps is in a loop; kPerhaps outside of loops.
  void find_behind(const Statement& statement, Behind after, Behind again);
  void find_in_loop(const Statement& loop, Behind after);
  [[nodiscard]] bool certain(const Statement& statement) const;
  [[nodiscard]] Behind before(const Statement& statement, Behind after) const;

  void find_loops(const Statement& statement, const Statement* around);

  std::map<const Statement*, Behind> behind_;
  std::map<const Statement*, const Statement*> loop_around_;
  bool may_meet_ = false;
};

}  // namespace kiln::fission
