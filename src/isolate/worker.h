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

/// What the program `kiln-worker` does: reads the capsule in `folder`, puts this process under its limits,
/// compiles, and writes the outcome into the same folder. Returns an exit code: 0 if there is an outcome.
int run_worker(FileSystem& files, const std::filesystem::path& folder, const CompilerOf& compiler_of,
               std::ostream& err);

/// Limits of this process and of those that it starts: memory (RLIMIT_AS), no core dumps, and an end with its
/// parent. Descriptors that it inherited beyond the standard streams are closed.
void restrain_this_process(const Settings& settings);

}  // namespace kiln
