#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// A kernel that is not compiled, because of the preprocessor's conditions.
struct LeftOutKernel {
  std::string name;
  std::string why;      ///< "nothing defines X (-D X)"; empty for `#if 0`
  bool header = false;  ///< it stands in a header
};

/// The input of a draft of a first workload.
struct DraftRequest {
  std::string text;                  ///< of the program, as far as it is compiled
  std::vector<std::string> headers;  ///< likewise: texts of the program's own headers that it includes
  std::string file;                  ///< its place, for messages
  std::string source;                ///< its path from the folder of the workload
  std::string name;                  ///< of the workload
  std::vector<std::string> kernels;  ///< empty: all
  std::vector<std::pair<std::string, std::string>> defines = {};  ///< macros of the compiler's command line
  std::vector<std::string> folders = {};                          ///< of -I, from the folder of the workload
  std::string flags_from = {};                 ///< where defines and folders were found, for a remark
  std::vector<std::string> more_sources = {};  ///< files with device code that follow the program; likewise
  std::vector<LeftOutKernel> left_out = {};    ///< for messages
  std::string whole_text = {};                 ///< with all branches: how it launches what others do not
  std::vector<std::string> in_front =
      {};  ///< headers that the compiler puts in front of the program; likewise
};

struct WorkloadDraft {
  std::string yaml;
  std::vector<std::string> kernels;  ///< that it runs
  std::vector<std::string> notes;    ///< a sentence for each thing that it has no form for
  std::size_t marks = 0;             ///< lines that say FILL IN
};

/// A job with a workload for kernels of a CUDA or HIP program: their arguments with types, buffers and
/// shapes; block, grid and dynamic shared memory as the program launches them, where that can be read; and
/// checks to be filled in. What is guessed is marked by `# FILL IN`. It is valid as it is. Throws bad_input,
/// with the place, where the text has no kernel, not the one that is asked for, or none whose arguments a
/// workload can pass.
[[nodiscard]] WorkloadDraft draft_workload(const DraftRequest& request);

}  // namespace kiln
