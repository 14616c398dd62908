#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The result of `FileSystem::status` and `target_status`.
struct FileStatus {
  enum class Type { kFile, kDirectory, kSymlink, kPipe, kSocket, kDevice };
  Type type = Type::kFile;
  std::uint64_t size = 0;        ///< for a symbolic link: the length of its text
  std::int64_t modified_ns = 0;  ///< since 1970-01-01 UTC
  std::uint32_t owner = 0;       ///< numeric user id
  std::uint32_t mode = 0;        ///< permission bits
  std::uint64_t device = 0;      ///< with `inode`: equal for two paths of one file or folder
  std::uint64_t inode = 0;
};

/// The bytes that `FileSystem::read` reads, and the kinds of files that it accepts.
struct ReadRange {
  std::uint64_t offset = 0;                                        ///< not for a pipe
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< bytes; the rest is left unread
  bool pipes = false;  ///< accepts pipes, too, and waits for their writers
};

/// The disk as an argument: the real one, or a test's in-memory one that can be made to fail.
/// Absence is `nullopt` or `false`; a failing operation throws `std::filesystem::filesystem_error` (with
/// errno's code).
class FileSystem {
 public:
  using Path = std::filesystem::path;
  virtual ~FileSystem() = default;

  /// Status of `path` itself: a final symbolic link is not followed. For files that Kiln wrote and removes.
  [[nodiscard]] virtual std::optional<FileStatus> status(const Path& path) = 0;
  /// Status of the target: symbolic links are followed, and a dangling one is absent. For input.
  [[nodiscard]] virtual std::optional<FileStatus> target_status(const Path& path) = 0;
  /// Follows links. Reads regular files and the null device; anything else is a failure, and nothing blocks.
  /// A signal that a handler takes ends the wait for a pipe with EINTR.
  [[nodiscard]] virtual std::optional<std::string> read(const Path& path, const ReadRange& range) = 0;
  [[nodiscard]] std::optional<std::string> read_file(const Path& path) { return read(path, {}); }
  /// Creates or truncates; every write and the close are checked; with `sync`, fsync before the close.
  virtual void write_file(const Path& path, std::string_view bytes, bool sync) = 0;
  /// write_file() for a file that no other user may change, whatever the umask: mode 0644 & ~umask.
  virtual void write_own_file(const Path& path, std::string_view bytes, bool sync) {
    write_file(path, bytes, sync);
  }
  /// Atomic, also between processes: false, and nothing written, if there is something at `path` already.
  [[nodiscard]] virtual bool create_file(const Path& path, std::string_view bytes) = 0;
  virtual void append_file(const Path& path, std::string_view bytes) = 0;
  /// Adds `line` and a line end in one write, also beside other processes that do the same. If the file ends
  /// without a line end, because a writer was killed or a person edited it, a line end is added first;
  /// existing bytes never change. Follows links.
  virtual void append_line(const Path& path, std::string_view line);
  /// Names (not paths) in a directory, sorted; empty if there is no such directory.
  [[nodiscard]] virtual std::vector<std::string> list(const Path& directory) = 0;
  /// With parents; with `private_mode`, new directories have mode 0700 & ~umask.
  virtual void make_directories(const Path& path, bool private_mode) = 0;
  /// With parents, for files that no other user may change, whatever the umask: mode 0755 & ~umask.
  virtual void make_own_directories(const Path& path) { make_directories(path, false); }
  /// A new directory `prefix` + random suffix; mode 0700.
  [[nodiscard]] virtual Path make_unique_directory(const Path& prefix) = 0;
  /// Atomic. Returns false if `to` exists already and is a non-empty directory (the race was lost).
  [[nodiscard]] virtual bool rename(const Path& from, const Path& to) = 0;
  /// Recursively; never follows symbolic links; absent is fine.
  virtual void remove_all(const Path& path) = 0;
  virtual void sync_directory(const Path& path) = 0;
};

std::unique_ptr<FileSystem> make_real_file_system();

/// Makes a file in `folder` and removes it again: permission bits do not show read-only file systems, quotas
/// or root. Throws std::filesystem::filesystem_error if that fails.
void try_to_create_in(FileSystem& files, const std::filesystem::path& folder);

/// Numeric id of the user this process runs as.
[[nodiscard]] std::uint32_t current_user_id();

}  // namespace kiln
