#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/unique_handle.h"

namespace kiln {

/// The entries that this process has loaded, announced to other processes by a file
/// `<folder>/<owner>-<number>` with a line for each digest, so that they do not evict them. The file is
/// removed with its owner; its name identifies one that a dead process left. A disk that refuses is not an
/// error: then loaded entries may be evicted, and a process that needs one again compiles it. Thread-safe.
class UseMark {
 public:
  UseMark(FileSystem& files, std::filesystem::path folder);

  /// The first time for each digest costs one small append.
  void add(const std::string& digest);

 private:
  struct RemoveFile {
    struct Handle {
      FileSystem* files = nullptr;
      std::filesystem::path path;
      friend bool operator!=(const Handle& a, const Handle& b) { return a.files != b.files; }
    };
    static Handle null() { return {}; }
    static void close(const Handle& handle) noexcept;
  };

  FileSystem& files_;
  std::filesystem::path folder_;
  std::mutex mutex_;  // of what follows
  std::set<std::string> digests_;
  bool refused_ = false;
  UniqueHandle<RemoveFile> file_;
};

/// All marks in a folder, for an evicting process.
class UseMarks {
 public:
  UseMarks(FileSystem& files, const Clock& clock, std::filesystem::path folder);

  /// Looks again at files that are new or have grown. Throws filesystem_error.
  void refresh();
  [[nodiscard]] bool contains(const std::string& digest) const;
  /// Files of processes that have ended, or that cannot be seen from here and have loaded nothing for a day.
  [[nodiscard]] std::vector<std::filesystem::path> stale() const;

 private:
  struct Seen {
    std::uint64_t size = 0;
    std::set<std::string> digests;
  };
  [[nodiscard]] bool is_stale(const std::string& name, const FileStatus& status) const;

  FileSystem& files_;
  const Clock& clock_;
  std::filesystem::path folder_;
  std::map<std::string, Seen> seen_;  // by file name
  std::vector<std::filesystem::path> stale_;
};

}  // namespace kiln
