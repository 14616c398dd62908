#include "base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

#include "kiln/error.h"

namespace kiln {
namespace {

UniqueFd above_standard_streams(UniqueFd fd) {
  constexpr int kFirst = 3;
  if (fd.get() >= kFirst) return fd;
  UniqueFd moved(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirst));
  if (!moved) throw environment_error("cannot duplicate a pipe: " + std::generic_category().message(errno));
  return moved;
}

sigset_t only_sigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool is_sigpipe_pending() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw environment_error("cannot create a pipe: " + std::generic_category().message(errno));
  }
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  return {above_standard_streams(std::move(read_end)), above_standard_streams(std::move(write_end))};
}

void set_non_blocking(int fd) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

PipeReader::PipeReader(UniqueFd fd, std::size_t limit) : fd_(std::move(fd)), limit_(limit) {
  set_non_blocking(fd_.get());
}

void PipeReader::drain() {
  std::array<char, std::size_t{64} << 10> chunk;  // NOLINT(*-member-init): filled by read
  constexpr int kReadsAtOnce =
      16;  // more than a pipe holds; a writer that never pauses must not block this process
  for (int reads = 0; fd_ && reads < kReadsAtOnce; ++reads) {
    const ssize_t got = ::read(fd_.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      fd_.reset();
      return;
    }
    const auto size = static_cast<std::size_t>(got);
    const std::size_t kept = std::min(size, limit_ - text_.size());
    text_.append(chunk.data(), kept);
    dropped_ += size - kept;
  }
}

std::string PipeReader::take_text() {
  if (dropped_ > 0) {
    text_ += "\n[kiln: " + std::to_string(dropped_) + " more bytes of output were dropped]\n";
  }
  dropped_ = 0;
  return std::exchange(text_, {});
}

PipeWriter::PipeWriter(UniqueFd fd, std::string_view text) : fd_(std::move(fd)), rest_(text) {
  set_non_blocking(fd_.get());
}

void PipeWriter::feed() {
  while (fd_ && !rest_.empty()) {
    const ssize_t written = ::write(fd_.get(), rest_.data(), rest_.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0) break;
    rest_.remove_prefix(static_cast<std::size_t>(written));
  }
  fd_.reset();
}

bool write_line(int fd, std::string_view line) {
  const SigpipeBlock sigpipe = block_sigpipe();
  const std::string text = std::string(line) + "\n";
  ssize_t written = 0;
  do {
    written = ::write(fd, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(text.size());
}

SigpipeBlock block_sigpipe() {
  const bool was_pending = is_sigpipe_pending();
  const sigset_t set = only_sigpipe();
  sigset_t before;
  sigemptyset(&before);
  pthread_sigmask(SIG_BLOCK, &set, &before);
  const bool was_blocked = sigismember(&before, SIGPIPE) == 1;
  if (was_pending) return SigpipeBlock(was_blocked ? SigpipeState::kNothing : SigpipeState::kUnblock);
  return SigpipeBlock(was_blocked ? SigpipeState::kSwallow : SigpipeState::kSwallowAndUnblock);
}

void SigpipeBlockTraits::close(SigpipeState handle) noexcept {
  const sigset_t set = only_sigpipe();
  const bool swallow = handle == SigpipeState::kSwallow || handle == SigpipeState::kSwallowAndUnblock;
  if (swallow && is_sigpipe_pending()) {
    const timespec now{};
    sigtimedwait(&set, nullptr, &now);
  }
  if (handle != SigpipeState::kSwallow) pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace kiln
