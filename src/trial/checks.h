#pragma once

#include <functional>
#include <string>
#include <vector>

#include "record/record.h"
#include "trial/device_compare.h"
#include "trial/kept_buffers.h"
#include "trial/workspace.h"

namespace kiln {

/// Place of the array with which a check compares, once its reference kernel has run.
struct ReferenceContent {
  ArrayContent content;
  std::string name;  ///< for messages: "kernel laplacian_reference"
};

/// Runs the check's reference kernel and yields its output.
using ReferenceRunner = std::function<ReferenceContent(const CheckSpec& check)>;

/// Helpers that make checks of a sweep cheaper; each may be null.
struct CheckHelp {
  KeptBuffers* kept = nullptr;         ///< where arrays from files stay for the next variants
  DeviceCompare* on_device = nullptr;  ///< compares large arrays where they are
};

/// Compares a buffer with what the check expects, where program variables have these values. A check that
/// compared nothing (an empty region, no expected value, everything below `skip_below`) is `ok` and has
/// `compared` 0. Throws bad_input where the check itself cannot be done: a region outside the buffer, a
/// reference of another size, a file that must be there and is not.
[[nodiscard]] CheckResult run_check(const Configuration& configuration, const CheckSpec& check,
                                    const Variables& variables, const Workspace& workspace,
                                    const ReferenceRunner& run_reference, FileSystem& files,
                                    const CheckHelp& help = {});

/// Compares a program variable with the check's number.
[[nodiscard]] CheckResult check_variable(const Configuration& configuration, const CheckSpec& check,
                                         const Variables& variables, FileSystem& files);

}  // namespace kiln
