#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>

#include "base/file.h"
#include "compile/compiler.h"
#include "kiln/settings.h"

namespace kiln {

/// The compiler of a back end, made as the settings say; null if this build has none. The caller keeps it.
using CompilerOf = std::function<Compiler*(const Settings& settings, const std::string& backend)>;

/// The end of a worker's compile.
enum class WorkerEnd {
  kOutcome,    ///< the outcome is in the folder
  kSpoilt,     ///< so it is, but this process should compile no more
  kNoOutcome,  ///< it could not be written
};

/// Reads the capsule in `folder`, puts this process under its limits (memory, no core dumps), compiles, and
/// writes the outcome into the same folder.
[[nodiscard]] WorkerEnd run_worker(FileSystem& files, const std::filesystem::path& folder,
                                   const CompilerOf& compiler_of, std::ostream& err);

/// Compiles what the capsule in each folder says that comes as a line on standard input, and answers it with
/// `kWorkerStays` or `kWorkerLeaves`. Ends, with what it started, when standard input does. What compilers
/// print to standard output goes to standard error. Returns an exit code.
[[nodiscard]] int serve_compiles(FileSystem& files, const CompilerOf& compiler_of, std::ostream& err);

inline constexpr const char* kWorkerServes = "--serve";  ///< the argument that says so
inline constexpr const char* kWorkerStays = "done";
inline constexpr const char* kWorkerLeaves = "done, and out of service";

/// An end with the parent, and none of the descriptors that it passed on beyond the standard streams.
void belong_to_parent();

}  // namespace kiln
