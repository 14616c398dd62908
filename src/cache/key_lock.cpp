#include "cache/key_lock.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <sstream>

#include "base/process_identity.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using std::filesystem::filesystem_error;

constexpr const char* kHeld = "held";
constexpr const char* kGivenUp = "given-up";
/// After which a file that names no owner was left by one that died while it wrote.
constexpr double kWritingSeconds = 2;

/// "held MACHINE PID START NUMBER": the number distinguishes locks of one process.
std::string lock_text(const char* state) {
  static std::atomic<std::uint64_t> number = 0;
  const ProcessIdentity& self = this_process();
  return std::string(state) + " " + self.machine + " " + std::to_string(self.pid) + " " +
         std::to_string(self.start) + " " + std::to_string(++number) + "\n";
}

struct LockFile {
  std::string state;
  ProcessIdentity owner;
};

/// `nullopt` for one that is being written, or was when its owner died.
std::optional<LockFile> parse(const std::string& text) {
  LockFile file;
  std::istringstream words(text);
  std::uint64_t number = 0;
  if (!(words >> file.state >> file.owner.machine >> file.owner.pid >> file.owner.start >> number)) {
    return std::nullopt;
  }
  return file;
}

/// One file as a waiter sees it over time.
class Observed {
 public:
  Observed(const Clock& clock, double lease_seconds) : clock_(clock), lease_seconds_(lease_seconds) {}

  /// True if it can be taken over.
  bool is_free(const std::string& text, bool waited) {
    if (text != text_) {
      text_ = text;
      since_ns_ = clock_.steady_ns();
    }
    const double age = seconds_between(since_ns_, clock_.steady_ns());
    const auto file = parse(text);
    if (!file) return age > kWritingSeconds;
    if (file->state == kGivenUp) return !waited;
    return age > lease_seconds_ || has_ended(file->owner);
  }

 private:
  const Clock& clock_;
  double lease_seconds_;
  std::optional<std::string> text_;  ///< none before the first look: a file that is being written is empty
  std::int64_t since_ns_ = 0;
};

bool is_given_up(const std::string& text) {
  const auto file = parse(text);
  return file && file->state == kGivenUp;
}

}  // namespace

void KeyLockTraits::close(const Handle& handle) noexcept {
  try {
    if (handle.files->read_file(handle.path) == handle.text) handle.files->remove_all(handle.path);
  } catch (const std::exception&) {
    return;  // others will see that its owner has ended, or wait for its lease
  }
}

KeyLocks::KeyLocks(FileSystem& files, const Clock& clock, Path folder, double lease_seconds)
    : files_(files), clock_(clock), folder_(std::move(folder)), lease_seconds_(lease_seconds) {}

KeyTurn KeyLocks::take(const std::string& name, const std::function<bool()>& is_done) {
  constexpr double kFirstPause = 0.002;
  constexpr double kLongestPause = 0.1;
  constexpr double kGrowth = 1.5;
  const Path path = folder_ / name;
  Observed observed(clock_, lease_seconds_);
  KeyTurn turn;
  try {
    files_.make_directories(folder_, true);
    for (double pause = kFirstPause;; pause = std::min(pause * kGrowth, kLongestPause)) {
      if ((turn.lock = try_take(path))) return turn;
      const auto text = files_.read_file(path);
      if (!text) continue;
      if (observed.is_free(*text, turn.waited)) {
        take_away(path, *text);
        continue;
      }
      if (turn.waited && is_given_up(*text)) return turn;
      turn.waited = true;
      clock_.sleep(pause);
      if (is_done()) return turn;
    }
  } catch (const filesystem_error&) {
    return turn;
  }
}

void KeyLocks::give_up(KeyLock lock) {
  if (!lock) return;
  const KeyLockTraits::Handle held = lock.get();
  try {
    if (files_.read_file(held.path) != held.text) return;
    const Path fresh = held.path.string() + ".given-up";
    files_.write_file(fresh, lock_text(kGivenUp), false);
    if (files_.rename(fresh, held.path)) static_cast<void>(lock.release());
  } catch (const filesystem_error&) {
    return;  // the lock is given back as if nothing had been said
  }
}

bool KeyLocks::is_held(const std::string& name) const {
  return examine(name).state == State::kHeld;
}

std::vector<std::string> KeyLocks::stale() const {
  std::vector<std::string> names = files_.list(folder_);
  std::erase_if(names, [&](const std::string& name) { return examine(name).state != State::kStale; });
  return names;
}

std::uint64_t KeyLocks::remove_stale() {
  std::uint64_t removed = 0;
  for (const std::string& name : files_.list(folder_)) {
    const Examined found = examine(name);
    if (found.state != State::kStale) continue;
    take_away(folder_ / name, found.text);
    ++removed;
  }
  return removed;
}

/// By the time on the file: no waiter has watched it for a lease.
KeyLocks::Examined KeyLocks::examine(const std::string& name) const {
  const auto status = files_.status(folder_ / name);
  if (!status || status->type != FileStatus::Type::kFile) return {};  // a foreign file is not a lock
  const auto text = files_.read_file(folder_ / name);
  if (!text) return {};
  const double age = static_cast<double>(clock_.system_ns() - status->modified_ns) * 1e-9;
  const auto file = parse(*text);
  const bool left = file ? file->state == kGivenUp || has_ended(file->owner) : age > kWritingSeconds;
  return {left || age > lease_seconds_ ? State::kStale : State::kHeld, *text};
}

KeyLock KeyLocks::try_take(const Path& path) {
  const std::string text = lock_text(kHeld);
  if (!files_.create_file(path, text)) return {};
  return KeyLock({&files_, path, text});
}

/// Moved aside first, so that only one of several processes removes it. A lock that was taken again meanwhile
/// is put back.
void KeyLocks::take_away(const Path& path, const std::string& text) {
  const Path aside = path.string() + ".ended-" + std::to_string(this_process().pid);
  try {
    if (!files_.rename(path, aside)) return;
  } catch (const filesystem_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) return;
    throw;
  }
  const auto moved = files_.read_file(aside);
  if (moved && *moved != text) static_cast<void>(files_.create_file(path, *moved));
  files_.remove_all(aside);
}

}  // namespace kiln
