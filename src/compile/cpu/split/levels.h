#pragma once

#include <map>
#include <vector>

#include "compile/cpu/split/indices.h"

namespace kiln::fission {

/// Finds the range in which each variable's value is equal, from its values and from the control flow around
/// its changes.
class Levels : public Indices {
 public:
  enum class Place {
    kItem,   ///< in a loop over work-items
    kWarp,   ///< outside of it, in a loop over warps
    kBlock,  ///< outside of both
  };
  /// Whether a jump of this kind leads out of the statement.
  [[nodiscard]] bool jumps(const Statement& statement, Statement::Kind kind) const;
  /// Whether a statement, or an expression, only sets values that are equal for all work-items there.
  [[nodiscard]] bool is_uniform(const Statement& statement, Place around) const {
    return uniform_statement(statement, around == Place::kBlock ? kBlockLevel : kWarpLevel);
  }
  [[nodiscard]] bool uniform_range(TokenRange range, Place around) const {
    return uniform_range(range, around == Place::kBlock ? kBlockLevel : kWarpLevel);
  }
  /// The range in which all work-items run the same number of turns of a loop.
  [[nodiscard]] Level exit_level(const Statement& loop) const {
    return exits(loop.body(), kBlockLevel, true, true);
  }

 protected:
  using Kind = Statement::Kind;

  explicit Levels(Input input);
  void find_levels();
  [[nodiscard]] Level condition_level(const Statement& statement) const;
  [[nodiscard]] bool uniform_statement(const Statement& statement, Level level) const;
  [[nodiscard]] bool uniform_range(TokenRange range, Level level) const;

  std::vector<Level> least_;  ///< of variables: find_levels() starts from them

 private:
  bool raise(int variable, Level level);
  void control(const Statement& statement, Level level);
  [[nodiscard]] Level exits(const Statement& statement, Level level, bool breaks, bool continues) const;

  std::map<const Statement*, Level> control_;  ///< the level of the conditions around a statement
};

}  // namespace kiln::fission
