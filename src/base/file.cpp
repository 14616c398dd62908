#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/unique_fd.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = FileSystem::Path;

[[noreturn]] void fail(const char* action, const Path& path, int code) {
  throw std::filesystem::filesystem_error(action, path, std::error_code(code, std::generic_category()));
}

bool is_absence(int code) {
  return code == ENOENT || code == ENOTDIR;
}

UniqueFd open_file(const Path& path, int flags) {
  constexpr mode_t kMode = 0666;
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, kMode);
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

void write_with(const Path& path, std::string_view bytes, int flags, bool sync) {
  UniqueFd fd = open_file(path, O_WRONLY | O_CREAT | flags);
  if (!fd) fail("cannot write", path, errno);
  write_all(fd.get(), bytes, path);
  if (sync && ::fsync(fd.get()) != 0) fail("cannot sync", path, errno);
  close_checked(std::move(fd), path);
}

FileStatus::Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::Type::kFile;
  if (S_ISDIR(mode)) return FileStatus::Type::kDirectory;
  if (S_ISLNK(mode)) return FileStatus::Type::kSymlink;
  return FileStatus::Type::kOther;
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

class RealFileSystem : public FileSystem {
 public:
  std::optional<FileStatus> status(const Path& path) override {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
      if (is_absence(errno)) return std::nullopt;
      fail("cannot examine", path, errno);
    }
    constexpr std::int64_t kNanoseconds = 1'000'000'000;
    constexpr mode_t kPermissions = 07777;
    FileStatus status;
    status.type = type_of(found.st_mode);
    status.size = static_cast<std::uint64_t>(found.st_size);
    status.modified_ns = found.st_mtim.tv_sec * kNanoseconds + found.st_mtim.tv_nsec;
    status.owner = found.st_uid;
    status.mode = found.st_mode & kPermissions;
    return status;
  }

  std::optional<std::string> read_file(const Path& path) override {
    const UniqueFd fd = open_file(path, O_RDONLY);
    if (!fd) {
      if (is_absence(errno)) return std::nullopt;
      fail("cannot read", path, errno);
    }
    std::string bytes;
    struct stat found {};
    if (::fstat(fd.get(), &found) == 0 && found.st_size > 0) {
      bytes.reserve(static_cast<std::size_t>(found.st_size));
    }
    std::array<char, std::size_t{64} << 10> chunk;  // NOLINT(*-member-init): filled by read
    for (;;) {
      const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("cannot read", path, errno);
      if (got == 0) return bytes;
      bytes.append(chunk.data(), static_cast<std::size_t>(got));
    }
  }

  void write_file(const Path& path, std::string_view bytes, bool sync) override {
    write_with(path, bytes, O_TRUNC, sync);
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
    constexpr mode_t kOpen = 0777;
    if (path.empty() || leads_to_directory(path)) return;
    const Path plain = path.has_filename() ? path : path.parent_path();
    make_directories(plain.parent_path(), false);
    make_directory(plain, private_mode ? kPrivate : kOpen);
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
};

}  // namespace

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

std::string read_input(FileSystem& files, const std::filesystem::path& path) {
  std::optional<std::string> text;
  try {
    text = files.read_file(path);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("cannot be read: " + error.code().message(), {path.string(), 0, 0});
  }
  if (!text) throw bad_input("no such file", {path.string(), 0, 0});
  return std::move(*text);
}

}  // namespace kiln
