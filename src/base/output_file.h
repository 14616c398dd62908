#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace kiln {

/// Where the bytes of an output file that the user named go: the path, or what the symbolic links lead to
/// that it is, there or not. Throws filesystem_error for a chain without end, and for a link of another
/// user's.
[[nodiscard]] std::filesystem::path output_target(FileSystem& files, const std::filesystem::path& file);

/// A file that the user named as output. A plain one is replaced in one step, so that whoever looks finds the
/// old one or the new; it keeps its mode, and a link stays a link. A device or a pipe is written to, never
/// replaced; so is a plain file in a folder where nothing can be made. Until `finish` nothing has changed.
class OutputFile {
 public:
  /// Throws filesystem_error: for a folder or a socket, and where the disk refuses; temporary_folder_error.
  OutputFile(FileSystem& files, const std::filesystem::path& file);

  /// Where the content is to be written first.
  [[nodiscard]] const std::filesystem::path& draft() const { return draft_; }
  void finish();

 private:
  ScratchFolder make_scratch_beside(const std::filesystem::path& file);

  FileSystem& files_;
  std::filesystem::path target_;
  std::optional<FileStatus> before_;
  bool replaces_ = true;
  ScratchFolder scratch_;
  std::filesystem::path draft_;
};

/// All of it at once.
void write_output_file(FileSystem& files, const std::filesystem::path& file, std::string_view text);

}  // namespace kiln
