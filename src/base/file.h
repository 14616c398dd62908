#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// What `FileSystem::status` tells of a path without following a final symbolic link.
struct FileStatus {
  enum class Type { kFile, kDirectory, kSymlink, kOther };
  Type type = Type::kOther;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  ///< since 1970-01-01 UTC
  std::uint32_t owner = 0;       ///< numeric user id
  std::uint32_t mode = 0;        ///< permission bits
};

/// The disk as an argument: the real one, or a test's in-memory one that can be made to fail.
/// Absence is `nullopt` or `false`; a failing operation throws `std::filesystem::filesystem_error` (with
/// errno's code).
class FileSystem {
 public:
  using Path = std::filesystem::path;
  virtual ~FileSystem() = default;

  [[nodiscard]] virtual std::optional<FileStatus> status(const Path& path) = 0;
  [[nodiscard]] virtual std::optional<std::string> read_file(const Path& path) = 0;
  /// Creates or truncates; every write and the close are checked; with `sync`, fsync before the close.
  virtual void write_file(const Path& path, std::string_view bytes, bool sync) = 0;
  /// Atomic, also between processes: false, and nothing written, if there is something at `path` already.
  [[nodiscard]] virtual bool create_file(const Path& path, std::string_view bytes) = 0;
  virtual void append_file(const Path& path, std::string_view bytes) = 0;
  /// Names (not paths) in a directory, sorted; empty if there is no such directory.
  [[nodiscard]] virtual std::vector<std::string> list(const Path& directory) = 0;
  /// With parents; mode 0700 & ~umask for the last component where `private_mode`.
  virtual void make_directories(const Path& path, bool private_mode) = 0;
  /// A fresh directory `prefix` + random suffix beside nothing else's; mode 0700.
  [[nodiscard]] virtual Path make_unique_directory(const Path& prefix) = 0;
  /// Atomic. Returns false if `to` exists already and is a non-empty directory (the race was lost).
  [[nodiscard]] virtual bool rename(const Path& from, const Path& to) = 0;
  /// Recursively; never follows symbolic links; absent is fine.
  virtual void remove_all(const Path& path) = 0;
  virtual void sync_directory(const Path& path) = 0;
};

std::unique_ptr<FileSystem> make_real_file_system();

/// The content of a file that the user named. Throws bad_input naming the file when it is not there or cannot
/// be read.
[[nodiscard]] std::string read_input(FileSystem& files, const std::filesystem::path& path);

/// Makes something in `folder` and removes it again: permission bits do not tell about read-only file
/// systems, quotas or root. Throws std::filesystem::filesystem_error where that cannot be done.
void try_to_create_in(FileSystem& files, const std::filesystem::path& folder);

/// Numeric id of the user this process runs as.
[[nodiscard]] std::uint32_t current_user_id();

}  // namespace kiln
