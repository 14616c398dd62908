#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/target.h"
#include "kiln/error.h"

namespace kiln {

/// One kernel to be found in the compiled code.
struct EntryPoint {
  std::string name_expression;  ///< as in the source: "laplacian", "axpy<float, 4>"
  /// Block shape where compile-time constants determine it: the CPU back end bakes it into its loops.
  std::optional<Dim3> fixed_block;
  /// Text for __launch_bounds__, "256" or "256, 2"; empty: none. Reaches the text as
  /// KILN_LAUNCH_BOUNDS_<name>.
  std::string launch_bounds;
};

/// A header that the kernel text includes, found by Kiln in the order that a compiler would look.
struct IncludedHeader {
  std::string name;  ///< the name by which the texts include it; unique to this header
  std::string path;  ///< where it was found, empty: it was supplied in memory; not part of the key
  std::string text;
};

/// Words of a workload's file that only the compiler understands, and their place.
struct WrittenWords {
  std::string text;  ///< an option, or names: "-O1", "float", "mask<T>"
  std::string key;   ///< "kernels.k.options.cuda"
  SourceLocation where;
  bool option = false;
};

/// Everything that determines the machine code, except the compiler itself. A value: two equal ones give one
/// binary.
struct Specialization {
  std::string source_name;              ///< file name for diagnostics and #line, "stencil7.cu"
  std::string source_path;              ///< full path; for messages and `-I`, not part of the key
  std::string source_text;              ///< as the user wrote it, but for names of headers, see find_includes
  std::string params_header;            ///< the generated kiln/params.h
  std::vector<IncludedHeader> headers;  ///< transitive, in order of first inclusion
  /// Included names that Kiln did not find, sorted: the compiler's own headers, or mistakes.
  std::vector<std::string> unseen_headers;
  std::vector<std::pair<std::string, std::string>> defines;  ///< in order; an empty value means "#define X"
  std::vector<std::string> options;                          ///< the user's own compiler options, in order
  std::vector<std::string> include_directories;              ///< not part of the key
  /// Why its code may depend on an unknown file; then it is not cached on disk. Empty: it does not.
  std::string unknown_input;
  bool fast_math = false;
  bool lineinfo = false;  ///< line information for profilers: the code contains its files and lines
  std::vector<EntryPoint> entries;
  Target target;
  /// Parts that leave_out_host_code() removed from the texts, a phrase for each; not part of the key.
  std::vector<std::string> left_out = {};
  std::vector<WrittenWords> written = {};  ///< for messages; not part of the key
  /// wavefronts_of_64() of the texts, if the target's warps have 32 lanes; not part of the key.
  std::string wide_warps = {};
};

/// The file that the code's lines are said to come from: its name, or its whole path with `lineinfo`. In the
/// second case it is part of the code, and of the key.
[[nodiscard]] inline const std::string& source_line_name(const Specialization& specialization) {
  return specialization.lineinfo ? specialization.source_path : specialization.source_name;
}

}  // namespace kiln
