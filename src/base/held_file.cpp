#include "base/held_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/process_identity.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

[[noreturn]] void fail(const char* action, const Path& path) {
  throw std::filesystem::filesystem_error(action, path, std::error_code(errno, std::generic_category()));
}

UniqueFd open_at(const Path& path, int flags) {
  constexpr mode_t kMode = 0666;
  return UniqueFd(::open(path.c_str(), flags | O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW, kMode));
}

enum class Lock { kTaken, kHeld, kUnsupported };

Lock lock(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return Lock::kTaken;
  return errno == EWOULDBLOCK ? Lock::kHeld : Lock::kUnsupported;
}

/// Whether the open file still has its name: another process may have removed it meanwhile.
bool is_there(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_nlink > 0;
}

}  // namespace

HeldFile HeldFile::create(const Path& prefix) {
  for (int number = 0;; ++number) {
    const Path path = prefix.string() + owner_prefix() + "-" + std::to_string(number);
    UniqueFd file = open_at(path, O_CREAT | O_EXCL);
    if (!file && errno == EEXIST) continue;
    if (!file) fail("cannot write", path);
    if (lock(file.get()) != Lock::kHeld && is_there(file.get())) return {std::move(file), path};
  }
}

std::optional<HeldFile> HeldFile::take_over(const Path& prefix, const std::string& rest) {
  const Path path = prefix.string() + rest;
  UniqueFd file = open_at(path, 0);
  if (!file && (errno == ENOENT || errno == ELOOP)) return std::nullopt;
  if (!file) fail("cannot read", path);
  const Lock state = lock(file.get());
  const bool ended =
      state == Lock::kTaken || (state == Lock::kUnsupported && owner_state(rest) == OwnerState::kEnded);
  if (!ended || !is_there(file.get())) return std::nullopt;
  return HeldFile(std::move(file), path);
}

void HeldFile::write(std::string_view text) {
  if (::ftruncate(file_.get(), 0) != 0) fail("cannot write", path_);
  while (!text.empty()) {
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", path_);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string HeldFile::read() const {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t got = ::pread(file_.get(), chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", path_);
    if (got == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

void HeldFile::remove() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) fail("cannot remove", path_);
  file_ = UniqueFd();
}

}  // namespace kiln
