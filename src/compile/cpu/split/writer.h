#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/split/analysis.h"

namespace kiln::fission {

/// A call of a user's function that waits, from the caller's side.
struct CalledVersion {
  std::string name;  ///< of the split function
  bool returns = false;
  std::vector<bool> by_reference;  ///< for each parameter: it is the address of a work-item's variable
};

/// The information that a split function needs about other functions.
struct WriterInput {
  std::string_view text;
  /// The version of a called function for arguments of these levels and groups.
  std::function<CalledVersion(const SyncCall& call, const std::vector<Level>& levels,
                              const std::vector<Group>& groups, bool masked)>
      version;
  /// For each parameter of a called function, whether it is a reference by which the function changes an
  /// object.
  std::function<std::vector<bool>(const SyncCall& call)> changed_references;
  std::function<long(std::size_t token)> line;  ///< in the user's file
  std::string name;                             ///< of the written function
  bool kernel = false;
  bool masked = false;  ///< some of the caller's work-items may not take part
};

/// The text of a function that runs a block, or a warp, in loops over work-items. Throws Trouble.
[[nodiscard]] std::string write_split(const Analysis& analysis, const WriterInput& input);

}  // namespace kiln::fission
