#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "specialize/specialization.h"

namespace kiln {

/// The places for a text's headers.
struct InputSearch {
  FileSystem& files;
  std::filesystem::path source;                    ///< the text's file; need not be there
  std::vector<std::filesystem::path> directories;  ///< searched before the folders of "-I"
  std::filesystem::path base;                      ///< base of relative folders in options
  const std::vector<IncludedHeader>& supplied;     ///< in memory, by name; before any file
};

/// Fills in all of `specialization` that follows from a text and the compiler's options: text, headers,
/// folders, options, and what is not known of them. A header that an option puts in front of the text
/// (`-include FILE`) is included at its head. Its macros (`defines`) are there already. Throws as
/// find_includes.
void add_inputs(Specialization& specialization, const std::string& text, std::vector<std::string> options,
                const InputSearch& search);

/// The macros that a compiler's options define (`-DN=2`, `-D N`, `--define-macro=N`), with their values; 1
/// where none is written.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> macros_of_options(
    const std::vector<std::string>& options);

/// The line by which `source` includes a file, by its path from the folder of `source`.
[[nodiscard]] std::string include_of(const std::filesystem::path& file, const std::filesystem::path& source);

}  // namespace kiln
