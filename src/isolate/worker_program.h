#pragma once

#include <optional>
#include <string>

#include "base/process.h"

namespace kiln {

/// The program `kiln-worker`: `stated` (a setting) alone if there is one; else beside the running program, in
/// `../libexec/kiln` of the program and of the library that this code is in, where the build of this code
/// left or installs its programs (if no other user may write there), or in PATH.
[[nodiscard]] std::optional<std::string> find_worker(const std::string& stated, ProcessRunner& processes);

/// Another program of Kiln, by the same rules: "kiln". The running one, if it has that name.
[[nodiscard]] std::optional<std::string> find_program_of_kiln(const std::string& name,
                                                              ProcessRunner& processes);

/// The places that were searched, for messages.
[[nodiscard]] std::string worker_places(const std::string& stated);

}  // namespace kiln
