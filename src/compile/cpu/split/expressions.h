#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "compile/cpu/split/sync_calls.h"

namespace kiln::fission {

/// The range in which a value is equal: in the whole block, in each warp, or in each work-item only.
enum Level : int { kBlockLevel = 0, kWarpLevel = 1, kItemLevel = 2 };

/// The barriers of the block that a work-item passes on its way from a place to its end, at least.
enum class Behind {
  kNothing,  ///< there is none
  kPerhaps,  ///< it may pass one
  kTurn,     ///< the same as kAgain, but nothing that is certain follows the loop, so it may also end
  kAgain,    ///< it may come to the place again, in a loop, without another barrier
  kBarrier,  ///< it passes one
};

/// The properties of a kernel's launches that the transformation knows.
struct Shape {
  bool warps = false;       ///< the kernel has warp operations: loops run over the lanes of a warp
  bool flat = false;        ///< blocks are rows along x
  bool whole_rows = false;  ///< each row of a block fills whole warps
};

/// The dependencies and effects of an expression.
struct Facts {
  Level level = kBlockLevel;
  bool effects = false;  ///< it changes a value, or calls a function that may
  bool loads = false;    ///< it reads memory
  bool calls = false;    ///< of functions that are not known to be cheap
  bool divides = false;  ///< by a value that is not a constant
};

/// Whether an operand may end with this token, so that a following "*" multiplies and a following "[" is a
/// subscript.
[[nodiscard]] bool ends_operand(const Token& token);

/// Whether a token is a word of a cast to a number: "(unsigned int)".
[[nodiscard]] bool cast_word(std::string_view word);

/// The meaning of a function's expressions: the calls in them that wait, the range in which their values are
/// equal, and their effects. The levels of variables are those found so far.
class Expressions {
 public:
  struct Input {
    const Body* body = nullptr;
    const SyncFunctions* functions = nullptr;
    const Signatures* signatures = nullptr;
    Shape shape;
    bool warp_function = false;        ///< one warp runs the body
    Behind behind = Behind::kNothing;  ///< the barriers behind the body
    std::vector<Level> parameter_levels;
    std::vector<Group> parameter_groups;
    /// The work-items that a call of a user's function waits for, exactly.
    std::function<Sync(std::string_view)> user_sync;
    /// Whether this is the name of a variable of the text that kernels may write.
    std::function<bool(std::string_view)> changes;
  };
  /// Throws Trouble if a call that waits cannot be followed.
  explicit Expressions(Input input);

  [[nodiscard]] const Body& body() const { return *in_.body; }
  [[nodiscard]] const Shape& shape() const { return in_.shape; }
  [[nodiscard]] bool warp_function() const { return in_.warp_function; }
  [[nodiscard]] const SyncFunctions& functions() const { return *in_.functions; }
  [[nodiscard]] const std::vector<SyncCall>& calls() const { return calls_; }
  /// The calls in [range), inner ones first.
  [[nodiscard]] std::vector<const SyncCall*> calls_in(TokenRange range) const;
  [[nodiscard]] Sync sync_in(TokenRange range) const;
  [[nodiscard]] Group group(int variable) const { return groups_[static_cast<std::size_t>(variable)]; }
  [[nodiscard]] Level level(int variable) const { return levels_[static_cast<std::size_t>(variable)]; }
  /// The parameter's level at the start of the function.
  [[nodiscard]] Level parameter_level(std::size_t p) const {
    return p < in_.parameter_levels.size() ? in_.parameter_levels[p] : kBlockLevel;
  }
  [[nodiscard]] Facts facts(TokenRange range, bool with_calls = true) const;
  /// As facts(), but calls that wait have been replaced by their results.
  [[nodiscard]] Facts facts_without_calls(TokenRange range) const { return facts(range, false); }
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
  /// A call from kiln/portable.h that numbers the work-items of the grid, kiln::global_index_x() and its
  /// like.
  struct GridCall {
    std::size_t length = 0;  ///< in tokens; 0: another expression
    char axis = 'x';
    bool index = false;  ///< false: the call returns the number of work-items
  };
  [[nodiscard]] GridCall grid_call(std::size_t i) const;
  /// The length of "group.thread_rank()" and the like at `i`; 0 for other expressions.
  [[nodiscard]] std::size_t group_call_length(std::size_t i) const;
  /// Whether an expression may be evaluated twice in place of once: it changes nothing.
  [[nodiscard]] bool changes_nothing(TokenRange range) const;

 protected:
  [[nodiscard]] bool pure_call(std::size_t i) const;
  [[nodiscard]] Level cap(Level level) const {
    return !in_.shape.warps && level != kBlockLevel ? kItemLevel : level;
  }

  Input in_;
  std::vector<SyncCall> calls_;
  std::map<std::size_t, std::size_t> call_at_;  ///< number by token
  std::vector<Group> groups_;                   ///< of variables, as levels_
  std::vector<Level> levels_;
  std::vector<bool> index_;  ///< whether a variable is another name of threadIdx.x

 private:
  void collect_groups();
  void require_steps() const;
  [[nodiscard]] Level level_of_call(const SyncCall& call) const;
};

}  // namespace kiln::fission
