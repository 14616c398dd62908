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

/// The folders where a compiler looks for headers that Kiln's own search has not found, in its order.
struct HeaderFolders {
  std::vector<std::filesystem::path> by_variables;  ///< the folders of CPATH and CPLUS_INCLUDE_PATH
  std::vector<std::filesystem::path> built_in;      ///< the folders that the compiler reports itself
};

/// A compiler's report of these folders, in its answer to -E -v.
struct SearchList {
  std::vector<std::filesystem::path> folders;
  std::vector<std::filesystem::path> missing;  ///< folders that it would search if they existed
};

/// The inputs of the code through headers that only its compiler finds.
struct OutsideHeaders {
  std::string text;  ///< for the key: name and digest of each header, and of the headers that these include;
                     ///< no folder
  std::string unknown;  ///< why they may include a file that is not in the list; empty if they cannot
};

/// Reads the lines between "#include <...> search starts here:" and "End of search list.", and the lines that
/// ignore a "nonexistent directory".
[[nodiscard]] SearchList parse_search_list(const std::string& answer);

/// The folders of CPATH, then of CPLUS_INCLUDE_PATH.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_variables(
    const std::map<std::string, std::string>& environment);

/// Looks for headers as a compiler does. The compiler's own headers, which lie in a folder of its release,
/// and the headers of the C library are covered by their version and are not read. All other headers are
/// read: headers of packages in /usr/include and headers of the user. Their content is remembered as long as
/// size, time and inode of each file do not change, and no new file hides one of them. Usable from several
/// threads.
class OutsideHeaderFinder {
 public:
  OutsideHeaderFinder(HeaderFolders folders, FileSystem& files)
      : folders_(std::move(folders)), files_(files) {}

  /// Finds the headers behind the names that Kiln's own search has not found
  /// (Specialization::unseen_headers).
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
