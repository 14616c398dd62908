#pragma once

#include <map>
#include <vector>

#include "compile/cpu/split/partings.h"

namespace kiln::fission {

/// Finds the range in which each variable's value is equal, from its values and from the control flow around
/// its changes.
class Levels : public Partings {
 public:
  enum class Place {
    kItem,   ///< in a loop over work-items
    kWarp,   ///< outside of it, in a loop over warps
    kBlock,  ///< outside of both
  };
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
  /// Whether the work-items of the block take different ways at a statement with a barrier: some go past it,
  /// or leave the loop, or go on with its next turn.
  [[nodiscard]] bool parts(const Statement& statement) const;

 protected:
  explicit Levels(Input input);
  void find_levels();
  [[nodiscard]] Level condition_level(const Statement& statement) const;
  [[nodiscard]] bool uniform_statement(const Statement& statement, Level level) const;
  [[nodiscard]] bool uniform_range(TokenRange range, Level level) const;

  std::vector<Level> least_;  ///< of variables: find_levels() starts from them

 private:
  bool raise(int variable, Level level);
  void control(const Statement& statement, Level level, const std::vector<TokenRange>& parted);
  [[nodiscard]] bool leaves_parted(const Write& write) const;
  [[nodiscard]] Level exits(const Statement& statement, Level level, bool breaks, bool continues) const;

  std::map<const Statement*, Level> control_;  ///< the level of the conditions around a statement
  std::map<const Statement*, std::vector<TokenRange>> parted_;  ///< around it, where only some take part
};

}  // namespace kiln::fission
