#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// What the file of a build passes to its compilers, as far as a kernel text depends on it.
struct BuildFlags {
  std::vector<std::pair<std::string, std::string>> defines;  ///< sorted by name; "1" without a value
  std::vector<std::string> folders;  ///< of headers, each once, in order, as the file writes them
  std::map<std::string, int> lines;  ///< by the macro's name or by "-I" and the folder: where it stands
  std::map<std::string, std::string> variables = {};  ///< of CMake
  /// Headers that a recipe for the program puts in front of it (`-include real.h`), as the file writes them.
  std::vector<std::string> in_front = {};
};

/// "GPU", "USE_CUDA", "CUDA_ENABLED", "MYLIB_USE_CUDA" and the like; not "NO_CUDA" or "CUDA_DEBUG".
[[nodiscard]] bool names_the_gpu(const std::string& variable);

/// "ON", "1" and the like are true, "OFF", "0", "" and the like false; none: another text.
[[nodiscard]] std::optional<bool> switch_value(const std::string& value);

/// Reads -D and -I from all lines that stand outside of the Makefile's conditionals, recipes among them.
/// Plain variables (`N = 4`) are expanded; a word that still depends on make (`-I$(shell ...)`) is passed
/// over, and so is a macro whose text has quotes. Of two values of a macro the last counts. `program`: the
/// file that is compiled. Headers in front of it come from the first rule for it or for its suffix, with
/// `$(word 2,$^)` as the rule's second source. Never fails.
[[nodiscard]] BuildFlags read_makefile_flags(const std::string& text, const std::string& program = "");

/// Reads macros from setup.py, or from a module that it imports: from the lists of pairs that
/// `define_macros=`, or a variable with "macros" at its end, gets (`[('REAL', 'float'), ('FAST', None)]`). Of
/// a dictionary of lists those count whose keys name nvcc or CUDA. Of two values of a macro the first counts.
/// Runs nothing and never fails.
[[nodiscard]] BuildFlags read_setup_flags(const std::string& text);

/// A CMakeLists.txt, and what its variables mean.
struct CMakeFile {
  std::string text;
  std::filesystem::path folder;  ///< where it stands
  std::filesystem::path top;     ///< the highest folder of the project with such a file
  std::string program;           ///< name of the file that is compiled
};

/// Reads macros and folders from add_definitions, add_compile_definitions, add_compile_options,
/// include_directories, their forms for targets, and `set` or `list` of variables of flags. Of targets whose
/// sources are named only those count that have the program, if one has it. `set` and `option` give
/// variables; a word that still depends on CMake is passed over. Macros in branches of `if` count as in a
/// Makefile, folders always, since the header that is looked for decides. Runs nothing and never fails.
[[nodiscard]] BuildFlags read_cmake_flags(const CMakeFile& file);

}  // namespace kiln
