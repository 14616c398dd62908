#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/sync_calls.h"

namespace kiln::fission {

/// The range in which a value is equal: in the whole block, in each warp, or in each work-item only.
enum Level : int { kBlockLevel = 0, kWarpLevel = 1, kItemLevel = 2 };

/// The properties of a kernel's launches that the transformation knows.
struct Shape {
  bool warps = false;       ///< the kernel has warp operations: loops run over the lanes of a warp
  bool flat = false;        ///< blocks are rows along x
  bool whole_rows = false;  ///< each row of a block fills whole warps
};

/// The place of a variable's values.
enum class Storage {
  kLocal,     ///< in the loop over work-items, where it is declared
  kOuter,     ///< outside of it: one value
  kRepeated,  ///< computed anew in each loop
  kItems      ///< an array with an element for each work-item
};

/// The dependencies and effects of an expression.
struct Facts {
  Level level = kBlockLevel;
  bool effects = false;  ///< it changes a value, or calls a function that may
  bool loads = false;    ///< it reads memory
  bool calls = false;    ///< of functions that are not known to be cheap
  bool divides = false;  ///< by a value that is not a constant
};

/// Decides for each statement of a function whether it stands in a loop over work-items or outside of one,
/// and for each variable where its values are kept. Throws Trouble if no such split is known.
class Analysis {
 public:
  struct Input {
    const Body* body = nullptr;
    const SyncFunctions* functions = nullptr;
    const Signatures* signatures = nullptr;
    Shape shape;
    bool warp_function = false;  ///< one warp runs the body
    std::vector<Level> parameter_levels;
    std::vector<Group> parameter_groups;
    /// The work-items that a call of a user's function waits for, exactly.
    std::function<Sync(std::string_view)> user_sync;
    /// Whether this is the name of a variable of the text that kernels may write.
    std::function<bool(std::string_view)> changes;
  };
  explicit Analysis(Input input);

  [[nodiscard]] const Body& body() const { return *in_.body; }
  [[nodiscard]] const Shape& shape() const { return in_.shape; }
  [[nodiscard]] bool warp_function() const { return in_.warp_function; }
  [[nodiscard]] const std::vector<SyncCall>& calls() const { return calls_; }
  /// The calls in [range), inner ones first.
  [[nodiscard]] std::vector<const SyncCall*> calls_in(TokenRange range) const;
  [[nodiscard]] Sync sync_in(TokenRange range) const;
  [[nodiscard]] Group group(int variable) const { return groups_[static_cast<std::size_t>(variable)]; }
  [[nodiscard]] Level level(int variable) const { return levels_[static_cast<std::size_t>(variable)]; }
  [[nodiscard]] Storage storage(int variable) const { return storage_[static_cast<std::size_t>(variable)]; }
  /// Whether a variable of storage kItems lives in an array of the block, not of a warp.
  [[nodiscard]] bool block_array(int variable) const {
    return block_array_[static_cast<std::size_t>(variable)];
  }
  [[nodiscard]] Facts facts(TokenRange range, bool with_calls = true) const;
  /// As facts(), but calls that wait have been replaced by their results.
  [[nodiscard]] Facts facts_without_calls(TokenRange range) const { return facts(range, false); }
  [[nodiscard]] const SyncFunctions& functions() const { return *in_.functions; }
  /// The parameter's level at the start of the function.
  [[nodiscard]] Level parameter_level(std::size_t p) const {
    return p < in_.parameter_levels.size() ? in_.parameter_levels[p] : kBlockLevel;
  }

  enum class Place {
    kItem,   ///< in a loop over work-items
    kWarp,   ///< outside of it, in a loop over warps
    kBlock,  ///< outside of both
  };
  [[nodiscard]] Place place(const Statement& statement) const;
  /// Whether two statements of a list stand in the same loop over work-items.
  [[nodiscard]] bool same_loop(const Statement& a, const Statement& b) const {
    const std::size_t base = body().block().range.begin;
    return warp_group_[a.range.begin - base] == warp_group_[b.range.begin - base];
  }
  /// A declaration of block-wide values that may stand before the loops over work-items around it.
  [[nodiscard]] bool hoisted(const Statement& statement) const { return hoisted_.contains(&statement); }
  /// Whether some work-items may return before others.
  [[nodiscard]] bool leaves_early(const Statement& statement) const;
  [[nodiscard]] bool any_leaves_early() const { return !leaving_.empty(); }
  /// The number of tokens of threadIdx.x, or of a variable that holds it, alone at `i`; 0 for other
  /// expressions.
  [[nodiscard]] std::size_t index_length(std::size_t i) const;
  /// An index divided by 32, or its remainder: the number of tokens from `i` on, and whether it is the
  /// remainder.
  struct WarpPart {
    std::size_t length = 0;
    bool remainder = false;
  };
  [[nodiscard]] WarpPart warp_part(std::size_t i, std::size_t end) const;
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
  /// Whether an expression may be evaluated twice in place of once: it changes nothing.
  [[nodiscard]] bool changes_nothing(TokenRange range) const;
  /// Whether a work-item that executes the statement twice leaves what one execution leaves.
  [[nodiscard]] bool repeats(const Statement& statement) const;
  /// for (T i = index + ...; i < n; i += m) { ... }, equal for all work-items except for its start.
  struct Strided {
    int variable = -1;
    TokenRange start, step;
  };
  [[nodiscard]] std::optional<Strided> strided(const Statement& statement, Place around) const;
  /// The growth of an expression's value from a work-item to the next along x: 0, 1, or kOther.
  static constexpr int kOther = 2;
  [[nodiscard]] int stride(TokenRange range, int depth = 0) const;
  /// Whether a variable gets a wide copy (writer.cpp): a sum of an index and other values that never changes.
  [[nodiscard]] bool sum_of_index(int variable) const;
  [[nodiscard]] bool plain_sum(TokenRange range) const;
  /// A call from kiln/portable.h that numbers the work-items of the grid, kiln::global_index_x() and its
  /// like.
  struct GridCall {
    std::size_t length = 0;  ///< in tokens; 0: another expression
    char axis = 'x';
    bool index = false;  ///< false: the call returns the number of work-items
  };
  [[nodiscard]] GridCall grid_call(std::size_t i) const;
  /// The number of tokens of "(size_t)" and the like in front of a value; 0 if there is no such cast.
  [[nodiscard]] std::size_t wide_cast_length(std::size_t i) const;
  /// The length of "group.thread_rank()" and the like at `i`; 0 for other expressions.
  [[nodiscard]] std::size_t group_call_length(std::size_t i) const;
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

 private:
  void collect_groups();
  void require_steps() const;
  void find_levels();
  bool raise(int variable, Level level);
  void control(const Statement& statement, Level level);
  Level exits(const Statement& statement, Level level, bool breaks, bool continues) const;
  Level condition_level(const Statement& statement) const;
  void plan();
  void plan_list(const Statement& list, Place around);
  Place wanted_place(const Statement& statement, Place around) const;
  bool uniform_statement(const Statement& statement, Level level) const;
  bool uniform_range(TokenRange range, Level level) const;
  void mark_group(const Statement& statement, int block_group, int warp_group);
  void plan_children(const Statement& statement, Place place);
  void plan_chunk(const std::vector<const Statement*>& chunk);
  void store();
  [[nodiscard]] bool steady_in(int number, const Variable& user) const;
  [[nodiscard]] bool steady_names(const Variable& variable) const;
  [[nodiscard]] bool repeatable(const Variable& variable) const;
  [[nodiscard]] char axis_of(TokenRange range) const;
  [[nodiscard]] TokenRange bare(TokenRange range) const;
  [[nodiscard]] bool keeps_order(const Statement& loop) const;
  [[nodiscard]] bool pure_call(std::size_t i) const;
  [[nodiscard]] bool item_only(const Statement& statement) const;
  [[nodiscard]] Level cap(Level level) const {
    return !in_.shape.warps && level != kBlockLevel ? kItemLevel : level;
  }
  [[nodiscard]] Level level_of_call(const SyncCall& call) const;

  Input in_;
  std::vector<SyncCall> calls_;
  std::map<std::size_t, std::size_t> call_at_;  // token -> number
  std::vector<Group> groups_;
  std::vector<Level> levels_, least_;
  std::vector<Storage> storage_;
  std::vector<bool> block_array_, index_;
  std::map<const Statement*, Level> control_;
  std::map<const Statement*, Place> places_;
  std::set<const Statement*> hoisted_, leaving_;
  std::vector<int> block_group_, warp_group_;  // of tokens from the body's first on
  int groups_used_ = 0;
  bool demoted_ = false;
};

}  // namespace kiln::fission
