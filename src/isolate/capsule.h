#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "compile/compiler.h"
#include "kiln/settings.h"

namespace kiln {

/// Everything that one compile depends on, as a folder: what a worker process reads, and, with what became of
/// it, what a failed compile leaves behind (a failure capsule). Files: `source.cu`, `params.h`, `headers/`,
/// `settings.yaml`, and `capsule.json` with names, options, entries, target and versions.
struct Capsule {
  Specialization specialization;
  CompilerIdentity compiler;
  Settings settings;
  std::string kiln_version;
};

/// Into a folder that exists. Throws filesystem_error, and bad_input for a name that is not UTF-8.
void write_capsule(FileSystem& files, const std::filesystem::path& folder, const Capsule& capsule);

/// Whether a folder, not a link to one, holds nothing but files of a capsule, whole or not.
[[nodiscard]] bool is_capsule_folder(FileSystem& files, const std::filesystem::path& folder);

/// Throws bad_input that names the file which is missing or not as expected.
[[nodiscard]] Capsule read_capsule(FileSystem& files, const std::filesystem::path& folder);

/// Adds to a capsule's folder what became of it: `failure.txt` with the summary and `log.txt`.
void write_failure(FileSystem& files, const std::filesystem::path& folder, const Diagnostic& failure);

/// The first line of `failure.txt`; empty if there is none.
[[nodiscard]] std::string read_failure(FileSystem& files, const std::filesystem::path& folder);

}  // namespace kiln
