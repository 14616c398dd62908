#include "base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using SteadyClock = std::chrono::steady_clock;

/// Fails as writing results to the folder would fail.
[[noreturn]] void refuse(const Path& folder, const std::error_code& code) {
  throw bad_input("the output folder '" + folder.string() + "' cannot be written: " + code.message());
}

UniqueFd open_lock(const Path& path) {
  constexpr mode_t kMode = 0666;
  return UniqueFd(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, kMode));
}

/// The former holder may have removed the file between our open and our lock.
bool has_name(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && status.st_nlink > 0;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "?";
}

void write_holder(int file, const std::string& holder) {
  const std::string text = holder + ", process " + std::to_string(::getpid()) + " on " + host_name() + "\n";
  // The text is only for people: the lock holds without it.
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, text.data(), text.size(), 0) < 0) return;
}

std::string read_holder(int file) {
  std::array<char, 1024> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  std::string holder(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  holder.resize(std::min(holder.find('\n'), holder.size()));
  return holder.empty() ? "another process" : holder;
}

enum class Attempt { kTaken, kHeld, kAgain };

/// A disk without locks counts as taken.
Attempt attempt(const UniqueFd& file, FolderLock::Kind kind) {
  const int operation = kind == FolderLock::Kind::kShared ? LOCK_SH : LOCK_EX;
  if (::flock(file.get(), operation | LOCK_NB) == 0)
    return has_name(file.get()) ? Attempt::kTaken : Attempt::kAgain;
  if (errno == EINTR) return Attempt::kAgain;
  return errno == EWOULDBLOCK ? Attempt::kHeld : Attempt::kTaken;
}

}  // namespace

FolderLock::FolderLock(const Path& folder, const std::string& name, const std::string& holder, Kind kind,
                       double wait_seconds)
    : path_(folder / name), kind_(kind) {
  constexpr std::chrono::milliseconds kPause{50};
  // The last of several shared holders takes the lock exclusively while it removes the file.
  constexpr double kWhileRemoved = 1;
  if (kind == Kind::kShared) wait_seconds = std::max(wait_seconds, kWhileRemoved);
  std::error_code code;
  for (Path missing = folder; !missing.empty() && !std::filesystem::exists(missing, code);
       missing = missing.parent_path())
    made_.push_back(missing);
  std::filesystem::create_directories(folder, code);
  if (code) refuse(folder, code);
  const auto deadline = SteadyClock::now() + std::chrono::duration<double>(wait_seconds);
  for (;;) {
    UniqueFd file = open_lock(path_);
    // The process that made the folder may have removed it.
    if (!file && errno == ENOENT && std::filesystem::create_directories(folder, code)) continue;
    if (!file) refuse(folder, {errno, std::generic_category()});
    const Attempt result = attempt(file, kind);
    if (result == Attempt::kTaken) {
      file_ = std::move(file);
      write_holder(file_.get(), holder);
      return;
    }
    if (result == Attempt::kAgain) continue;
    if (SteadyClock::now() >= deadline)
      throw bad_input("'" + folder.string() + "' is in use: " + read_holder(file.get()) +
                      "; wait for its end, or name another folder");
    std::this_thread::sleep_for(kPause);
  }
}

FolderLock::~FolderLock() {
  remove();
}

void FolderLock::remove() noexcept {
  const bool alone = kind_ == Kind::kExclusive || attempt(file_, Kind::kExclusive) == Attempt::kTaken;
  if (!path_.empty() && alone) {
    ::unlink(path_.c_str());
    for (const Path& folder : made_) {
      if (::rmdir(folder.c_str()) != 0) break;
    }
  }
  path_.clear();  // from here on another process may own the name
}

std::string FolderLock::holder(const Path& folder, const std::string& name) {
  const UniqueFd file(::open((folder / name).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file || attempt(file, Kind::kExclusive) != Attempt::kHeld) return "";
  return read_holder(file.get());
}

}  // namespace kiln
