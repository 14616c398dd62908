#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/unique_fd.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

[[noreturn]] void fail(const char* action, const Path& path, int code) {
  throw std::filesystem::filesystem_error(action, path, std::error_code(code, std::generic_category()));
}

bool is_absence(int code) {
  return code == ENOENT || code == ENOTDIR;
}

constexpr mode_t kUsualFile = 0666;
constexpr mode_t kOwnFile = 0644;

/// `mode`: for a new file.
UniqueFd open_file(const Path& path, int flags, mode_t mode = kUsualFile) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return UniqueFd(fd);
}

void write_all(int fd, std::string_view bytes, const Path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Some file systems report a failed write at close only.
void close_checked(UniqueFd fd, const Path& path) {
  if (::close(fd.release()) != 0 && errno != EINTR) fail("cannot write", path, errno);
}

void write_with(const Path& path, std::string_view bytes, int flags, bool sync, mode_t mode = kUsualFile) {
  UniqueFd fd = open_file(path, O_WRONLY | O_CREAT | flags, mode);
  if (!fd) fail("cannot write", path, errno);
  write_all(fd.get(), bytes, path);
  if (sync && ::fsync(fd.get()) != 0) fail("cannot sync", path, errno);
  close_checked(std::move(fd), path);
}

/// Waits until this process has the file's advisory lock, but not for ever: if the disk has no locks, or the
/// holder is stopped, appending without a lock only risks an empty line.
void wait_for_lock(int fd) {
  constexpr int kTries = 200;
  constexpr std::chrono::milliseconds kPause{10};
  for (int i = 0; i < kTries && ::flock(fd, LOCK_EX | LOCK_NB) != 0; ++i) {
    if (errno != EWOULDBLOCK && errno != EINTR) return;
    std::this_thread::sleep_for(kPause);
  }
}

/// Also true for an empty file and for a file that cannot be read from its end.
bool ends_in_line(int fd) {
  struct stat found {};
  char last = '\n';
  if (::fstat(fd, &found) != 0 || found.st_size == 0) return true;
  return ::pread(fd, &last, 1, found.st_size - 1) != 1 || last == '\n';
}

FileStatus::Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::Type::kFile;
  if (S_ISDIR(mode)) return FileStatus::Type::kDirectory;
  if (S_ISLNK(mode)) return FileStatus::Type::kSymlink;
  if (S_ISFIFO(mode)) return FileStatus::Type::kPipe;
  return S_ISSOCK(mode) ? FileStatus::Type::kSocket : FileStatus::Type::kDevice;
}

FileStatus status_of(const struct stat& found) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  constexpr mode_t kPermissions = 07777;
  FileStatus status;
  status.type = type_of(found.st_mode);
  status.size = static_cast<std::uint64_t>(found.st_size);
  status.modified_ns = found.st_mtim.tv_sec * kNanoseconds + found.st_mtim.tv_nsec;
  status.owner = found.st_uid;
  status.mode = found.st_mode & kPermissions;
  status.device = found.st_dev;
  status.inode = found.st_ino;
  return status;
}

/// The null device counts as an empty file.
bool is_null_device(const struct stat& found) {
  return S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3);
}

/// Checks that `range` accepts `fd`, and goes to the first byte.
void prepare_to_read(int fd, const struct stat& found, const ReadRange& range, const Path& path) {
  if (S_ISDIR(found.st_mode)) fail("cannot read", path, EISDIR);
  if ((range.pipes && S_ISFIFO(found.st_mode)) || is_null_device(found)) return;
  if (!S_ISREG(found.st_mode)) fail("cannot read what is no plain file", path, EOPNOTSUPP);
  if (range.offset > 0 && ::lseek(fd, static_cast<off_t>(range.offset), SEEK_SET) < 0)
    fail("cannot read", path, errno);
}

/// `poll` returns with EINTR whatever the handler's flags are; a read would resume.
void wait_for_bytes(int fd, const Path& path) {
  pollfd waited{fd, POLLIN, 0};
  if (::poll(&waited, 1, -1) < 0) fail("cannot read", path, errno);
}

std::string read_bytes(int fd, const struct stat& found, const ReadRange& range, const Path& path) {
  const std::uint64_t size = static_cast<std::uint64_t>(std::max<off_t>(found.st_size, 0));
  const std::uint64_t left = size > range.offset ? size - range.offset : 0;
  std::string bytes;
  bytes.reserve(std::min(range.most, left));
  std::array<char, std::size_t{64} << 10> chunk;  // NOLINT(*-member-init): filled by read
  // Of a file that grows meanwhile, reads the bytes that were there when it was opened. Files of /proc report
  // size 0.
  const std::uint64_t most = S_ISREG(found.st_mode) && left > 0 ? std::min(range.most, left) : range.most;
  while (bytes.size() < most) {
    const auto wanted = std::min<std::uint64_t>(chunk.size(), most - bytes.size());
    const ssize_t got = ::read(fd, chunk.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && S_ISFIFO(found.st_mode)) {
      wait_for_bytes(fd, path);
      continue;
    }
    if (got < 0) fail("cannot read", path, errno);
    if (got == 0) break;
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return bytes;
}

bool leads_to_directory(const Path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

void make_directory(const Path& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return;
  const int code = errno;
  if (!leads_to_directory(path)) fail("cannot create directory", path, code);
}

void make_with_parents(const Path& path, mode_t mode) {
  if (path.empty() || leads_to_directory(path)) return;
  const Path plain = path.has_filename() ? path : path.parent_path();
  make_with_parents(plain.parent_path(), mode);
  make_directory(plain, mode);
}

class RealFileSystem : public FileSystem {
 public:
  std::optional<FileStatus> status(const Path& path) override { return examine(path, ::lstat); }

  std::optional<FileStatus> target_status(const Path& path) override { return examine(path, ::stat); }

  /// O_NONBLOCK: opening a pipe without a writer returns at once.
  std::optional<std::string> read(const Path& path, const ReadRange& range) override {
    const UniqueFd fd = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!fd) {
      if (is_absence(errno)) return std::nullopt;
      fail("cannot read", path, errno);
    }
    struct stat found {};
    if (::fstat(fd.get(), &found) != 0) fail("cannot read", path, errno);
    prepare_to_read(fd.get(), found, range, path);
    return read_bytes(fd.get(), found, range, path);
  }

  void write_file(const Path& path, std::string_view bytes, bool sync) override {
    write_with(path, bytes, O_TRUNC, sync);
  }

  void write_own_file(const Path& path, std::string_view bytes, bool sync) override {
    write_with(path, bytes, O_TRUNC, sync, kOwnFile);
  }

  bool create_file(const Path& path, std::string_view bytes) override {
    UniqueFd fd = open_file(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!fd && errno == EEXIST) return false;
    if (!fd) fail("cannot write", path, errno);
    try {
      write_all(fd.get(), bytes, path);
      close_checked(std::move(fd), path);
    } catch (...) {
      ::unlink(path.c_str());
      throw;
    }
    return true;
  }

  void append_file(const Path& path, std::string_view bytes) override {
    write_with(path, bytes, O_APPEND, false);
  }

  void append_line(const Path& path, std::string_view line) override {
    UniqueFd fd = open_file(path, O_RDWR | O_CREAT | O_APPEND);
    if (!fd) fail("cannot write", path, errno);
    wait_for_lock(fd.get());
    const std::string text = (ends_in_line(fd.get()) ? "" : "\n") + std::string(line) + "\n";
    write_all(fd.get(), text, path);
    close_checked(std::move(fd), path);
  }

  std::vector<std::string> list(const Path& directory) override {
    std::error_code code;
    std::filesystem::directory_iterator entries(directory, code);
    if (code) {
      if (is_absence(code.value())) return {};
      fail("cannot list", directory, code.value());
    }
    std::vector<std::string> names;
    while (entries != std::filesystem::directory_iterator()) {
      names.push_back(entries->path().filename().string());
      entries.increment(code);
      if (code) fail("cannot list", directory, code.value());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  void make_directories(const Path& path, bool private_mode) override {
    constexpr mode_t kPrivate = 0700;
    constexpr mode_t kUsual = 0777;
    make_with_parents(path, private_mode ? kPrivate : kUsual);
  }

  void make_own_directories(const Path& path) override {
    constexpr mode_t kOwn = 0755;
    make_with_parents(path, kOwn);
  }

  Path make_unique_directory(const Path& prefix) override {
    std::string name = prefix.string() + "XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) fail("cannot create directory", name, errno);
    return name;
  }

  bool rename(const Path& from, const Path& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return true;
    const int code = errno;
    if (code == ENOTEMPTY || code == EEXIST) return false;
    throw std::filesystem::filesystem_error("cannot rename", from, to,
                                            std::error_code(code, std::generic_category()));
  }

  void remove_all(const Path& path) override {
    std::error_code code;
    std::filesystem::remove_all(path, code);
    if (code && !is_absence(code.value())) fail("cannot remove", path, code.value());
  }

  void sync_directory(const Path& path) override {
    const UniqueFd fd = open_file(path, O_RDONLY | O_DIRECTORY);
    if (!fd) fail("cannot sync", path, errno);
    const bool unsupported_is_fine = ::fsync(fd.get()) == 0 || errno == EINVAL || errno == ENOTSUP;
    if (!unsupported_is_fine) fail("cannot sync", path, errno);
  }

 private:
  using Examine = int (*)(const char*, struct stat*);
  static std::optional<FileStatus> examine(const Path& path, Examine function) {
    struct stat found {};
    if (function(path.c_str(), &found) == 0) return status_of(found);
    if (is_absence(errno) || errno == ELOOP) return std::nullopt;  // a circle of links counts as absent
    fail("cannot examine", path, errno);
  }
};

}  // namespace

void FileSystem::append_line(const Path& path, std::string_view line) {
  const std::string before = read_file(path).value_or("");
  const bool whole = before.empty() || before.back() == '\n';
  append_file(path, (whole ? "" : "\n") + std::string(line) + "\n");
}

std::unique_ptr<FileSystem> make_real_file_system() {
  return std::make_unique<RealFileSystem>();
}

void try_to_create_in(FileSystem& files, const std::filesystem::path& folder) {
  const auto there = files.status(folder);
  if (there && there->type == FileStatus::Type::kFile) {
    throw std::filesystem::filesystem_error("cannot create in", folder,
                                            std::make_error_code(std::errc::not_a_directory));
  }
  files.remove_all(files.make_unique_directory(folder / ".kiln-probe-"));
}

std::uint32_t current_user_id() {
  return ::geteuid();
}

}  // namespace kiln
