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

/// How the work-items of an entry run.
struct EntryWay {
  enum class Kind { kLoop, kSplit, kFibers };
  Kind kind = Kind::kLoop;
  std::string function;  ///< of kSplit: the template that stands for the kernel
  std::string reason;    ///< of kFibers: why it could not be split; empty: nobody tried
};
using EntryWays = std::map<std::string, EntryWay>;  // by name expression

/// Shim, definitions, kernel text (line numbers kept by #line) and one exported cpu_abi::Kernel per entry. A
/// kernel whose work-items may wait for each other gets fibers, any other a loop that becomes vector code;
/// `ways`, where given, decides instead.
[[nodiscard]] CpuUnit make_cpu_unit(const Specialization& specialization, bool gcc,
                                    const EntryWays* ways = nullptr);

/// Whether an entry may wait, as far as the text shows without being preprocessed.
[[nodiscard]] bool may_need_fibers(const Specialization& specialization);

/// What a preprocessor is given so that split_unit can work on its output.
[[nodiscard]] CpuUnit make_expansion_unit(const Specialization& specialization);

/// A unit in which kernels are split at their barriers, made of the preprocessor's output.
struct SplitUnit {
  CpuUnit unit;
  EntryWays ways;
  bool splits = false;  ///< at least one kernel is; else make_cpu_unit with `ways` does
};
[[nodiscard]] SplitUnit make_split_unit(const Specialization& specialization, const std::string& expanded,
                                        bool gcc);

/// Digest of everything in a unit that is not the user's.
[[nodiscard]] std::string cpu_unit_fingerprint();

}  // namespace kiln
