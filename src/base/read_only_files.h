#pragma once

#include "base/file.h"

namespace kiln {

/// Another file system without its writing half: operations that would change the disk throw filesystem_error
/// (EROFS). `files` outlives it.
class ReadOnlyFiles : public FileSystem {
 public:
  explicit ReadOnlyFiles(FileSystem& files) : files_(files) {}

  std::optional<FileStatus> status(const Path& path) override { return files_.status(path); }
  std::optional<FileStatus> target_status(const Path& path) override { return files_.target_status(path); }
  std::optional<std::string> read(const Path& path, const ReadRange& range) override {
    return files_.read(path, range);
  }
  std::vector<std::string> list(const Path& directory) override { return files_.list(directory); }
  void write_file(const Path& path, std::string_view, bool) override { refuse(path); }
  bool create_file(const Path& path, std::string_view) override { refuse(path); }
  void append_file(const Path& path, std::string_view) override { refuse(path); }
  void append_line(const Path& path, std::string_view) override { refuse(path); }
  void make_directories(const Path& path, bool) override { refuse(path); }
  Path make_unique_directory(const Path& prefix) override { refuse(prefix); }
  bool rename(const Path& from, const Path&) override { refuse(from); }
  void remove_all(const Path& path) override { refuse(path); }
  void sync_directory(const Path& path) override { refuse(path); }

 private:
  [[noreturn]] static void refuse(const Path& path);

  FileSystem& files_;
};

}  // namespace kiln
