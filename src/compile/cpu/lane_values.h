#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/outline.h"
#include "device/target.h"

namespace kiln {

inline constexpr std::size_t kLanesOfWarp = 32;

/// An integer of each lane, as far as a text says it: a number, and multiples of unknown values.
struct LaneForm {
  std::vector<long long> number;
  std::map<int, std::vector<long long>> terms;  ///< factors, by unknown
};

/// What a name stands for: a number, or an address in a common array.
struct LaneValue {
  std::shared_ptr<const LaneForm> form;
  std::string_view array;  ///< empty: no address
};

/// The lanes that come to a statement.
struct LaneMask {
  std::vector<bool> possible;  ///< false: certainly not
  std::vector<bool> likely;    ///< if loops are in their first turns, and unknown limits hold
  bool clear = true;           ///< `likely` leaves out no condition but such limits
};

/// Numbers that names of a text stand for.
struct KnownNumbers {
  std::map<std::string_view, long long> values;
  std::map<std::string_view, std::vector<Token>> macros;  ///< without parameters, each with one meaning
};

/// The values of a function's variables in the lanes of a block's first and last warp, statement by
/// statement.
class LaneValues {
 public:
  using Names = std::map<std::string_view, LaneValue>;

  /// `block`: the shape of blocks; none: a row of unknown length. All arguments outlive the object.
  LaneValues(const std::vector<Token>& tokens, const KnownNumbers& known,
             const std::set<std::string_view>& arrays, std::optional<Dim3> block);

  /// Arrays that may be a work-item's own, so that an element is not one value for a warp.
  void may_be_private(std::set<std::string_view> names) { private_ = std::move(names); }
  /// Names that nothing here declares may be another value in each lane, as members of an object are.
  void let_names_vary() { names_vary_ = true; }

  [[nodiscard]] std::size_t lanes() const { return items_.size(); }
  [[nodiscard]] std::size_t warp_of(std::size_t lane) const { return items_[lane].warp; }

  /// A parameter: one for all work-items, or another one for each.
  void parameter(std::string_view name, bool common);
  /// A parameter that is the number of a work-item, or of its lane.
  void index_parameter(std::string_view name, bool lane);
  void declare(std::string_view name, TokenRange initializer);
  /// The assignments in an expression.
  void assign(TokenRange range);
  /// The names that the tokens assign to.
  [[nodiscard]] std::set<std::string_view> assigned(TokenRange range) const;

  [[nodiscard]] LaneValue value(TokenRange range);
  /// As value(), in the first turns of the loops around it.
  [[nodiscard]] LaneValue likely_value(TokenRange range);
  /// Of a name that stands for an address; the array is empty if it does not.
  [[nodiscard]] LaneValue address(std::string_view name);
  [[nodiscard]] LaneForm unknown(bool varying);

  /// The lanes for which a condition holds, or does not.
  [[nodiscard]] LaneMask narrowed(const LaneMask& mask, TokenRange condition, bool negated);
  [[nodiscard]] LaneMask all() const;

  /// In front of the turn `turn` (0 or 1) of a loop, of which `range` are all tokens.
  void enter_turn(TokenRange range, TokenRange condition, TokenRange step, int turn);
  void leave_loop(TokenRange range);
  /// Names that a branch changed have one of two values, or an unknown one. `common`: all lanes of a warp
  /// take the same branch.
  void join(const Names& one, const Names& other, bool common);
  [[nodiscard]] Names& names() { return names_; }

  /// How two uses of elements by different lanes of a warp stand to each other.
  enum class Meeting { kNever, kUnclear, kCertain };
  struct Use {
    std::vector<LaneForm> index, likely;  ///< of each dimension
    LaneMask mask;
    bool stores = false;
  };
  /// Adds the offset of an address to an index; `pointer`: to an array that may have more dimensions.
  void add_offset(Use& use, const LaneForm& offset, bool pointer);
  [[nodiscard]] LaneForm zero() const { return constant(0); }
  /// Whether one lane's `first` and another's `second` may be one element, so that lanes that run one after
  /// the other come to them in the wrong order: if `first` stores and `second` reads, for any two lanes; else
  /// if the lane of `second` is the earlier one.
  [[nodiscard]] Meeting meeting(const Use& first, const Use& second) const;
  /// Whether each lane uses a row of elements of its own, as far as the indices show: they differ between
  /// lanes by the same distance, which is more than one.
  [[nodiscard]] bool rows_of_lanes(const Use& first, const Use& second) const;
  /// Whether the distance of two offsets depends on an unknown value that is the same for all lanes.
  [[nodiscard]] bool apart_by_unknown(const LaneForm& one, const LaneForm& other) const;
  /// Whether an index differs between lanes of a warp.
  [[nodiscard]] bool varies(const LaneForm& form) const;

 private:
  friend class LaneExpression;
  struct Item {
    long long x = 0, y = 0, z = 0, index = 0;
    std::size_t warp = 0;
  };
  struct Unknown {
    bool varying = false;
    std::optional<long long> first;                        ///< its value in the first turn of its loop
    std::optional<std::pair<long long, long long>> range;  ///< from, to
  };

  int new_unknown(bool varying);
  [[nodiscard]] LaneForm multiple(int unknown, long long factor) const;
  [[nodiscard]] LaneForm constant(long long number) const;
  [[nodiscard]] LaneForm first_turn(const LaneForm& form) const;
  [[nodiscard]] std::optional<long long> common_number(const LaneForm& form) const;
  [[nodiscard]] bool exact(const LaneForm& form) const { return form.terms.empty(); }
  [[nodiscard]] std::optional<std::vector<bool>> truth(TokenRange part, bool first_turns, bool& limit);
  [[nodiscard]] bool are_apart(const LaneForm& one, const LaneForm& other) const;
  [[nodiscard]] Meeting meeting(const LaneForm& a, std::size_t lane_a, const LaneForm& b,
                                std::size_t lane_b) const;
  [[nodiscard]] LaneForm derived(const std::string& operation, const LaneForm& a, const LaneForm& b);
  void set(std::string_view name, LaneForm form, std::string_view array = {});
  [[nodiscard]] std::optional<LaneForm> growth(std::string_view name, TokenRange loop);
  void assign_one(std::string_view name, std::string_view operation, TokenRange value);

  const std::vector<Token>& tokens_;
  const KnownNumbers& known_;
  const std::set<std::string_view>& arrays_;
  std::optional<Dim3> block_;
  std::set<std::string_view> private_;
  bool names_vary_ = false;
  std::vector<Item> items_;
  std::vector<Unknown> unknowns_;
  std::map<std::string, int> interned_;
  Names names_;
};

}  // namespace kiln
