#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "base/file.h"
#include "compile/compiler.h"
#include "kiln/error.h"

namespace kiln {

/// The files that a worker process leaves in its folder: code as the directory of a cache entry, with all its
/// checksums, or a Diagnostic, or the Error that it caught. Any other content is garbage, with a sentence
/// fragment that says why.
struct OutcomeGarbage {
  std::string what;
};
using WorkerOutcome = std::variant<CodeObject, Diagnostic, Error, OutcomeGarbage>;

/// Throws filesystem_error.
void write_outcome(FileSystem& files, const std::filesystem::path& folder, const CompileResult& result);
void write_outcome(FileSystem& files, const std::filesystem::path& folder, const Error& error);

[[nodiscard]] WorkerOutcome read_outcome(FileSystem& files, const std::filesystem::path& folder);

}  // namespace kiln
