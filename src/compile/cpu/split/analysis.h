#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "compile/cpu/split/loop_forms.h"

namespace kiln::fission {

/// The place of a variable's values.
enum class Storage {
  kLocal,     ///< in the loop over work-items, where it is declared
  kOuter,     ///< outside of it: one value
  kRepeated,  ///< computed anew in each loop
  kItems      ///< an array with an element for each work-item
};

/// Decides for each statement of a function whether it stands in a loop over work-items or outside of one,
/// and for each variable where its values are kept. Throws Trouble if no such split is known.
class Analysis : public LoopForms {
 public:
  explicit Analysis(Input input);

  [[nodiscard]] Storage storage(int variable) const { return storage_[static_cast<std::size_t>(variable)]; }
  /// Whether a variable of storage kItems lives in an array of the block, not of a warp.
  [[nodiscard]] bool block_array(int variable) const {
    return block_array_[static_cast<std::size_t>(variable)];
  }
  [[nodiscard]] Place place(const Statement& statement) const;
  /// Whether a variable of a loop over warps is named outside of this loop.
  [[nodiscard]] bool named_in_block(int variable) const;
  /// Whether two statements of a list stand in the same loop over work-items.
  [[nodiscard]] bool same_loop(const Statement& a, const Statement& b) const {
    const std::size_t base = body().block().range.begin;
    return warp_group_[a.range.begin - base] == warp_group_[b.range.begin - base];
  }
  /// A declaration of block-wide values that may stand before the loops over work-items around it.
  [[nodiscard]] bool hoisted(const Statement& statement) const { return hoisted_.contains(&statement); }
  /// Whether some work-items may return before others.
  [[nodiscard]] bool any_leaves_early() const { return leaves_early_; }
  /// Whether some work-items may take another way than others at a barrier.
  [[nodiscard]] bool any_parts() const { return any_parts_; }

 private:
  void plan();
  void plan_list(const Statement& list, Place around);
  Place wanted_place(const Statement& statement, Place around) const;
  [[nodiscard]] Place place_of_jump(const Statement& statement, bool known_condition) const;
  void refuse_roles(const Statement& list) const;
  [[nodiscard]] bool by_thread_index(TokenRange range, int depth) const;
  void find_parting(const Statement& statement);
  void mark_group(const Statement& statement, int block_group, int warp_group);
  void plan_children(const Statement& statement, Place place);
  void plan_chunk(const std::vector<const Statement*>& chunk);
  void store();
  struct Exposed {
    std::set<int> in_warp, in_block;
  };
  [[nodiscard]] std::vector<TokenRange> lasting_values(int number) const;
  [[nodiscard]] Exposed find_exposed() const;
  [[nodiscard]] bool repeatable(const Variable& variable) const;

  std::vector<Storage> storage_;
  std::vector<bool> block_array_;
  std::set<int> exposed_in_block_;
  std::map<const Statement*, Place> places_;
  std::set<const Statement*> hoisted_;
  std::vector<int> block_group_, warp_group_;  ///< of tokens from the body's first on
  int groups_used_ = 0;
  bool leaves_early_ = false;
  bool any_parts_ = false;
  bool demoted_ = false;
};

}  // namespace kiln::fission
