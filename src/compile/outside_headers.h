#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "specialize/includes.h"

namespace kiln {

/// Where a compiler looks for headers that Kiln's own search has not found, in its order.
struct HeaderFolders {
  std::vector<std::filesystem::path> by_variables;  ///< of CPATH and CPLUS_INCLUDE_PATH
  std::vector<std::filesystem::path> built_in;      ///< what it says itself
};

/// What a compiler says of them, in its answer to -E -v.
struct SearchList {
  std::vector<std::filesystem::path> folders;
  std::vector<std::filesystem::path> missing;  ///< would be among them if they were there
};

/// What code depends on by way of headers that only its compiler finds.
struct OutsideHeaders {
  std::string text;     ///< for the key: name and digest of each, those that they include, too; no folder
  std::string unknown;  ///< why they may take in a file that is not among them; empty: they cannot
};

/// Of the lines between "#include <...> search starts here:" and "End of search list.", and of those that
/// ignore a "nonexistent directory".
[[nodiscard]] SearchList parse_search_list(const std::string& answer);

/// The folders of CPATH, then of CPLUS_INCLUDE_PATH.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_variables(
    const std::map<std::string, std::string>& environment);

/// Looks for headers as a compiler does. Its own headers, which lie in a folder of its release, and those of
/// the C library stand for its version and are not read; all others, of packages in /usr/include and of the
/// user, are. What they say is remembered while size, time and inode of each file stay, and while nothing
/// begins to shadow one. Usable from several threads.
class OutsideHeaderFinder {
 public:
  OutsideHeaderFinder(HeaderFolders folders, FileSystem& files)
      : folders_(std::move(folders)), files_(files) {}

  /// By way of names that Kiln's own search has not found (Specialization::unseen_headers).
  [[nodiscard]] OutsideHeaders find(const std::vector<std::string>& unseen);

 private:
  struct Known {
    OutsideHeaders headers;
    std::vector<LookedAt> looked_at;
  };
  [[nodiscard]] Known read(const std::vector<std::string>& unseen) const;
  [[nodiscard]] bool is_current(const Known& known) const;

  HeaderFolders folders_;
  FileSystem& files_;
  std::mutex mutex_;
  std::map<std::vector<std::string>, Known> known_;
};

}  // namespace kiln
