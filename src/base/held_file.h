#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace kiln {

/// A small file that records what its process is doing. Other processes can detect that its process has
/// ended, however it ended: the operating system releases its lock. On a disk without locks, the name decides
/// (base/process_identity.h). Every failure throws filesystem_error.
class HeldFile {
 public:
  /// `<prefix><owner>-<number>`, empty.
  [[nodiscard]] static HeldFile create(const std::filesystem::path& prefix);
  /// The file of a process that has ended; absent if its process may still run, or if it is gone.
  [[nodiscard]] static std::optional<HeldFile> take_over(const std::filesystem::path& prefix,
                                                         const std::string& rest);

  /// Replaces the content.
  void write(std::string_view text);
  [[nodiscard]] std::string read() const;
  void remove();
  /// For a signal handler, which may only append.
  [[nodiscard]] int descriptor() const { return file_.get(); }

 private:
  HeldFile(UniqueFd file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}

  UniqueFd file_;
  std::filesystem::path path_;
};

}  // namespace kiln
