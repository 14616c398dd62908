#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "compile/cpu/one_warp_code.h"

namespace kiln {

/// A statement at which lanes of a warp have to be in step for the results that a GPU gives.
struct WarpConflict {
  TokenRange statement;
  bool nested = false;  ///< the statement of an if, else or loop without braces
  /// What earlier statements did has to be done by all lanes: they stored what this one reads, or read what
  /// it stores.
  bool before = false;
  /// The statement reads what other lanes store: `c[order[i]] = c[i];`.
  bool within = false;
  /// It is the condition of a loop.
  bool condition = false;
};

/// What lanes may share in a function.
struct CommonMemory {
  std::set<std::string_view> arrays;       ///< in shared memory, and by pointers
  std::set<std::string_view> global;       ///< parameters of a kernel
  bool of_object = false;                  ///< the function is a member of a class
  std::set<std::string_view> views;        ///< objects whose operators give elements of shared memory
  std::set<std::string_view> private_too;  ///< arrays that may be private memory in some calls
};

/// The conflicts of a function about the elements of common memory, where no barrier, shuffle or other
/// operation of the warp stands between two accesses. Two accesses conflict if one of them stores and
/// - the indices show, with the shape of the block, that two lanes come to one element: in all code; or
/// - in code of one warp, their indices are different texts, and do not show that the lanes' elements differ.
/// A lane that reads an element of a later lane before that one stores it (`s[t] += s[t + 16]`) is right
/// without a step, because lanes run in order.
/// In a function with operations of a warp also: one lane stores an element in a branch that all have read
/// before (`rank = count[digit]; if (leads) count[digit] += n;`), or read behind it.
/// `divisible`: whether a statement can be divided into reading and storing.
[[nodiscard]] std::vector<WarpConflict> find_warp_conflicts(const std::vector<Token>& tokens,
                                                            const FunctionStatements& function,
                                                            const OneWarpCode& code, const UnitLanes& unit,
                                                            const CommonMemory& memory,
                                                            const std::function<bool(TokenRange)>& divisible);

}  // namespace kiln
