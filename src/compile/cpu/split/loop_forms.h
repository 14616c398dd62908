#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compile/cpu/split/levels.h"

namespace kiln::fission {

/// Statements for which a special loop over work-items is better: one over a part of the work-items in place
/// of a test in each, and one that runs a turn of the statement's loop for all work-items before the next
/// turn.
class LoopForms : public Levels {
 public:
  /// A comparison of an index with a value that is equal for all work-items, and the work-items that satisfy
  /// it.
  struct Bound {
    char axis = 'x';        ///< 'x', 'y', or 'l' for the lane of a warp
    std::string operation;  ///< of the index, which is the left operand: "less", "less_equal", ...
    TokenRange index, limit;
  };
  struct Bounds {
    std::vector<Bound> bounds;
    bool all = false;  ///< the condition tests nothing else
  };
  [[nodiscard]] Bounds bounds(TokenRange condition, Place around) const;
  /// Whether the statement has a loop of its own, because only some neighbouring work-items execute it.
  [[nodiscard]] bool narrowed(const Statement& statement, Place around) const;
  /// Whether a work-item that executes the statement twice leaves what one execution leaves.
  [[nodiscard]] bool repeats(const Statement& statement) const;
  /// for (T i = index + ...; i < n; i += m) { ... }, equal for all work-items except for its start.
  struct Strided {
    int variable = -1;
    TokenRange start, step;
  };
  [[nodiscard]] std::optional<Strided> strided(const Statement& statement, Place around) const;

 protected:
  using Levels::Levels;

  /// The range without brackets around the whole of it. A cast stays: it decides how values are compared.
  [[nodiscard]] TokenRange unbracketed(TokenRange range) const;

  /// Whether each work-item of a loop walks along its own memory, so that running one work-item after the
  /// other is better.
  [[nodiscard]] bool keeps_order(const Statement& loop) const;
};

}  // namespace kiln::fission
