#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// A generated host-compiler unit: what the compiler reads on standard input, and the headers that have to
/// lie in a folder that it searches first, by name.
struct CpuUnit {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;
  std::map<std::string, std::string> lowered_names;  ///< name expression -> symbol
};

/// Shim, definitions, kernel text (line numbers kept by #line) and one exported cpu_abi::Kernel per entry. A
/// kernel whose work-items may wait for each other gets fibers, any other a loop that becomes vector code.
[[nodiscard]] CpuUnit make_cpu_unit(const Specialization& specialization, bool gcc);

/// Digest of everything in a unit that is not the user's.
[[nodiscard]] std::string cpu_unit_fingerprint();

}  // namespace kiln
