#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "specialize/specialization.h"

namespace kiln {

/// The places for the headers of a kernel text, in the order of the search.
struct IncludeSearch {
  std::filesystem::path source;                                   ///< the text's file
  std::vector<IncludedHeader> supplied = {};                      ///< in memory, by name; before any file
  std::vector<std::filesystem::path> directories = {};            ///< of "-I", in order
  std::vector<std::pair<std::string, std::string>> defines = {};  ///< macros that an #include may name
  /// Whether a header that is found in one of the directories is a compiler's own: then it counts as not
  /// found.
  std::function<bool(const std::filesystem::path& directory, const std::string& name)> is_compilers = {};
};

/// A file that was looked for, and what was there; absent: nothing.
struct LookedAt {
  std::filesystem::path path;
  std::optional<FileStatus> status;
};

/// The files that the #include lines of a kernel text reach.
struct Includes {
  std::string text;                     ///< the kernel's; see below
  std::vector<IncludedHeader> headers;  ///< transitive, in order of first inclusion
  std::vector<std::string> unseen;      ///< names that were not found, sorted: the compiler's business
  /// Why the text may include a file outside this list, which no key can cover; empty: it cannot.
  std::string unknown;
  /// While all of it stays as it is, the same text and search lead to the same. Folders where
  /// IncludeSearch::is_compilers holds are not among it.
  std::vector<LookedAt> looked_at;
};

/// Finds the headers that a kernel text includes, as a compiler would: what was supplied; "name" beside the
/// including file; then the directories in order. What is not found there is a header of the compiler, or a
/// mistake that the compiler reports with its line. A header that __has_include asks for counts as included,
/// and so does one in a branch that is not compiled: more than the compiler reads may be found, never less.
///
/// Every file has one name of its own. Where texts name it otherwise, or mean another file by the same name,
/// their #include lines are changed to that name: texts and names together say which file each line means, so
/// that a key over them changes when a header begins to shadow another. "kiln/params.h" and "kiln/portable.h"
/// are Kiln's own and not followed.
///
/// An #include of a macro is followed to every header that a #define, or `defines`, gives the macro; it is
/// `unknown` where one of these is no plain name or there is none. Throws bad_input, with the text's place,
/// where such a line would find another file than the one that it means, and for a header that is there and
/// cannot be read.
[[nodiscard]] Includes find_includes(FileSystem& files, const std::string& text, const IncludeSearch& search);

}  // namespace kiln
