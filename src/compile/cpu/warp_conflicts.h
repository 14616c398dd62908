#pragma once

#include <cstddef>
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
};

/// The conflicts of a function about the elements of `arrays`, where no barrier, shuffle or other operation
/// of the warp stands between two accesses, in code of one warp. Two accesses conflict if one of them stores
/// and their indices are different texts. A lane that reads an element of a later lane before that one stores
/// it (`s[t] += s[t + 16]`) is right without a step, because lanes run in order.
/// In a function with operations of a warp also: one lane stores an element in a branch that all have read
/// before (`rank = count[digit]; if (leads) count[digit] += n;`), or read behind it.
/// `synchronizing`: functions with such operations.
[[nodiscard]] std::vector<WarpConflict> find_warp_conflicts(const std::vector<Token>& tokens,
                                                            const FunctionStatements& function,
                                                            const OneWarpCode& code,
                                                            const std::set<std::string_view>& arrays,
                                                            const std::set<std::string_view>& synchronizing);

/// Whether a name is a barrier or an operation of a warp, as `__syncthreads`, `__shfl_down`, `sync`, or a
/// macro with such a name.
[[nodiscard]] bool synchronizes(std::string_view name);

}  // namespace kiln
