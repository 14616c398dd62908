#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "base/file.h"

namespace kiln::test {

/// A disk in memory that fails when a test requests it, with the codes of a real one. Paths are absolute; "/"
/// exists. Everything belongs to the current user with mode 0755 unless a test changes that. Thread-safe.
class MemoryFileSystem : public FileSystem {
 public:
  explicit MemoryFileSystem(const Clock& clock);

  std::optional<FileStatus> status(const Path& path) override;
  std::optional<FileStatus> target_status(const Path& path) override;
  std::optional<std::string> read(const Path& path, const ReadRange& range) override;
  void write_file(const Path& path, std::string_view bytes, bool sync) override;
  bool create_file(const Path& path, std::string_view bytes) override;
  void append_file(const Path& path, std::string_view bytes) override;
  std::vector<std::string> list(const Path& directory) override;
  void make_directories(const Path& path, bool private_mode) override;
  Path make_unique_directory(const Path& prefix) override;
  bool rename(const Path& from, const Path& to) override;
  void remove_all(const Path& path) override;
  void sync_directory(const Path& path) override;

  /// The n-th write from now (1 is the next) throws `code` and leaves half of its bytes behind.
  void fail_write(int n, std::errc code);
  /// While full, every write of at least one byte throws ENOSPC and leaves half of its bytes behind.
  void set_full(bool full);
  /// While read-only, whatever would change the disk throws EROFS.
  void set_read_only(bool read_only);
  void set_owner(const Path& path, std::uint32_t owner);
  void set_mode(const Path& path, std::uint32_t mode);
  void add_symlink(const Path& path, const Path& target);
  /// Called once, without the lock, at the start of the next rename: what another process did just before it.
  void before_next_rename(std::function<void()> action);

  /// The operations, in order: "write /a/b sync", "write /a/c", "sync /a", "rename /a /b", "remove /a".
  [[nodiscard]] std::vector<std::string> operations() const;
  /// Paths of what was read since `clear_reads`, in order.
  [[nodiscard]] std::vector<std::string> reads() const;
  void clear_reads();
  /// Paths of all regular files below `root`, sorted.
  [[nodiscard]] std::vector<std::string> files_below(const Path& root) const;

 private:
  struct Node {
    FileStatus status;
    std::string bytes;
    std::string link_target;
  };

  [[nodiscard]] std::string resolve(const Path& path, bool follow_last) const;
  Node* find(const std::string& path);
  Node& make_node(const std::string& path, FileStatus::Type type, std::uint32_t mode);
  void require_writable(const Path& path) const;
  void write(const Path& path, std::string_view bytes, bool append);
  void move_tree(const std::string& from, const std::string& to);
  void erase_tree(const std::string& path);
  [[nodiscard]] bool has_children(const std::string& path) const;

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Node> nodes_;
  std::vector<std::string> operations_, reads_;
  std::function<void()> before_rename_;
  int writes_until_failure_ = 0;
  std::errc failure_{};
  bool full_ = false;
  bool read_only_ = false;
  int unique_ = 0;
  std::uint64_t nodes_made_ = 0;
};

}  // namespace kiln::test
