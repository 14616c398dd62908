#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace kiln {

/// The place to which the bytes of an output file go that the user named: the path, or the target of its
/// symbolic links, whether it exists or not. Throws filesystem_error for a chain without end, and for another
/// user's link.
[[nodiscard]] std::filesystem::path output_target(FileSystem& files, const std::filesystem::path& file);

/// A file that the user named as output. A plain file is replaced in one step, so readers find the old one or
/// the new; it keeps its mode, and a link stays a link. A device or a pipe is written to, never replaced, and
/// so is a plain file in a folder where no file can be made. Nothing changes before `finish`.
class OutputFile {
 public:
  /// Throws filesystem_error for a folder or a socket, and if the disk refuses; temporary_folder_error.
  OutputFile(FileSystem& files, const std::filesystem::path& file);

  /// The file to which the content is written first.
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

/// Writes the whole file at once.
void write_output_file(FileSystem& files, const std::filesystem::path& file, std::string_view text);

}  // namespace kiln
