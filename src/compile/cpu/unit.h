#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// A generated host-compiler unit: the text for the compiler's standard input, and the headers, by name, for
/// a folder that it searches first.
struct CpuUnit {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;
  std::map<std::string, std::string> lowered_names;  ///< name expression -> symbol
};

/// The way in which the work-items of an entry run.
struct EntryWay {
  enum class Kind { kLoop, kSplit, kFibers };
  Kind kind = Kind::kLoop;
  std::string function;     ///< for kSplit: the template that replaces the kernel
  std::string reason;       ///< for kFibers: why the kernel was not split; empty if no split was tried
  bool syncs_grid = false;  ///< for kSplit: the kernel has the grid's sync
};
using EntryWays = std::map<std::string, EntryWay>;  // by name expression

/// Shim, definitions, kernel text (line numbers kept by #line) and one exported cpu_abi::Kernel for each
/// entry. A kernel whose work-items may wait for each other gets fibers, any other kernel a loop that becomes
/// vector code; if `ways` is given, it decides instead.
[[nodiscard]] CpuUnit make_cpu_unit(const Specialization& specialization, bool gcc,
                                    const EntryWays* ways = nullptr);

/// Whether an entry may wait, as far as the text shows before it is preprocessed.
[[nodiscard]] bool may_need_fibers(const Specialization& specialization);

/// The preprocessor's input, whose output split_unit reads.
[[nodiscard]] CpuUnit make_expansion_unit(const Specialization& specialization);

/// A unit in which kernels are split at their barriers, made from the preprocessor's output.
struct SplitUnit {
  CpuUnit unit;
  EntryWays ways;
  bool splits = false;  ///< at least one kernel is split; otherwise make_cpu_unit with `ways` is enough
};
[[nodiscard]] SplitUnit make_split_unit(const Specialization& specialization, const std::string& expanded,
                                        bool gcc);

/// Digest of everything in a unit that does not come from the user.
[[nodiscard]] std::string cpu_unit_fingerprint();

}  // namespace kiln
