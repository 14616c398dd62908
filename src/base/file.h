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

/// What `FileSystem::status` and `target_status` know of a path.
struct FileStatus {
  enum class Type { kFile, kDirectory, kSymlink, kPipe, kSocket, kDevice };
  Type type = Type::kFile;
  std::uint64_t size = 0;        ///< of a symbolic link: the length of its text
  std::int64_t modified_ns = 0;  ///< since 1970-01-01 UTC
  std::uint32_t owner = 0;       ///< numeric user id
  std::uint32_t mode = 0;        ///< permission bits
  std::uint64_t device = 0;      ///< with `inode`: the same for two paths of one file or folder
  std::uint64_t inode = 0;
};

/// Which bytes of which files `FileSystem::read` reads.
struct ReadRange {
  std::uint64_t offset = 0;                                        ///< not of a pipe
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();  ///< bytes; what follows is left unread
  bool pipes = false;  ///< accepts pipes, too, and waits for what is written into them
};

/// The disk as an argument: the real one, or a test's in-memory one that can be made to fail.
/// Absence is `nullopt` or `false`; a failing operation throws `std::filesystem::filesystem_error` (with
/// errno's code).
class FileSystem {
 public:
  using Path = std::filesystem::path;
  virtual ~FileSystem() = default;

  /// Of `path` itself: a final symbolic link is not followed. For what Kiln wrote and removes.
  [[nodiscard]] virtual std::optional<FileStatus> status(const Path& path) = 0;
  /// Of what `path` leads to: symbolic links are followed, and one that leads nowhere is absent. For input.
  [[nodiscard]] virtual std::optional<FileStatus> target_status(const Path& path) = 0;
  /// Follows links. Reads regular files and the null device; anything else is a failure, and nothing blocks.
  /// A signal that a handler takes ends the wait for a pipe with EINTR.
  [[nodiscard]] virtual std::optional<std::string> read(const Path& path, const ReadRange& range) = 0;
  [[nodiscard]] std::optional<std::string> read_file(const Path& path) { return read(path, {}); }
  /// Creates or truncates; every write and the close are checked; with `sync`, fsync before the close.
  virtual void write_file(const Path& path, std::string_view bytes, bool sync) = 0;
  /// The same for a file that nobody else may change, whatever the umask: mode 0644 & ~umask.
  virtual void write_own_file(const Path& path, std::string_view bytes, bool sync) {
    write_file(path, bytes, sync);
  }
  /// Atomic, also between processes: false, and nothing written, if there is something at `path` already.
  [[nodiscard]] virtual bool create_file(const Path& path, std::string_view bytes) = 0;
  virtual void append_file(const Path& path, std::string_view bytes) = 0;
  /// Adds `line` and a line end in one write, also beside other processes that do the same. Where the file
  /// ends without a line end, because a writer was killed or a person edited it, it gets one first: what
  /// stands there is never changed. Follows links.
  virtual void append_line(const Path& path, std::string_view line);
  /// Names (not paths) in a directory, sorted; empty if there is no such directory.
  [[nodiscard]] virtual std::vector<std::string> list(const Path& directory) = 0;
  /// With parents; mode 0700 & ~umask of what is made where `private_mode`.
  virtual void make_directories(const Path& path, bool private_mode) = 0;
  /// With parents, for files that nobody else may change, whatever the umask: mode 0755 & ~umask.
  virtual void make_own_directories(const Path& path) { make_directories(path, false); }
  /// A fresh directory `prefix` + random suffix beside nothing else's; mode 0700.
  [[nodiscard]] virtual Path make_unique_directory(const Path& prefix) = 0;
  /// Atomic. Returns false if `to` exists already and is a non-empty directory (the race was lost).
  [[nodiscard]] virtual bool rename(const Path& from, const Path& to) = 0;
  /// Recursively; never follows symbolic links; absent is fine.
  virtual void remove_all(const Path& path) = 0;
  virtual void sync_directory(const Path& path) = 0;
};

std::unique_ptr<FileSystem> make_real_file_system();

/// Makes something in `folder` and removes it again: permission bits do not tell about read-only file
/// systems, quotas or root. Throws std::filesystem::filesystem_error where that cannot be done.
void try_to_create_in(FileSystem& files, const std::filesystem::path& folder);

/// Numeric id of the user this process runs as.
[[nodiscard]] std::uint32_t current_user_id();

}  // namespace kiln
