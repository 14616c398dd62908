#pragma once

#include <functional>
#include <string>
#include <vector>

#include "job/record.h"
#include "job/workspace.h"

namespace kiln {

/// Where the array that a check compares with stands, once its reference kernel has run.
struct ReferenceContent {
  ArrayContent content;
  std::string name;  ///< for messages: "kernel laplacian_reference"
};

/// Runs the check's reference kernel and yields its output.
using ReferenceRunner = std::function<ReferenceContent(const CheckSpec& check)>;

/// Compares a buffer with what the check expects. Throws bad_input where the check itself cannot be done: a
/// region outside the buffer, a reference of another size, a file that must be there and is not.
[[nodiscard]] CheckResult run_check(const Configuration& configuration, const CheckSpec& check,
                                    const Workspace& workspace, const ReferenceRunner& run_reference,
                                    FileSystem& files);

}  // namespace kiln
