#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// What a Makefile passes to its compilers, as far as a kernel text depends on it.
struct MakefileFlags {
  std::vector<std::pair<std::string, std::string>> defines;  ///< of -D, sorted by name; "1" without a value
  std::vector<std::string> folders;  ///< of -I, each once, in order, as the Makefile writes them
};

/// Reads -D and -I from all lines that stand outside of the Makefile's conditionals, recipes among them.
/// Plain variables (`N = 4`) are expanded; a word that still depends on make (`-I$(shell ...)`) is passed
/// over, and so is a macro whose text has quotes. Of two values of a macro the last counts. Never fails.
[[nodiscard]] MakefileFlags read_makefile_flags(const std::string& text);

}  // namespace kiln
