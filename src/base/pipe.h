#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace kiln {

/// Both ends of a pipe, closed on exec. The descriptors are above 2, so that neither can be mistaken for a
/// standard stream in a host that has closed one of its own.
struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

/// Throws environment_error when the process has no descriptors left.
[[nodiscard]] Pipe make_pipe();
void set_non_blocking(int fd);

/// Collects bytes from a pipe's read end: keeps the first `limit` bytes and counts the rest.
class PipeReader {
 public:
  PipeReader(UniqueFd fd, std::size_t limit);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] bool open() const { return static_cast<bool>(fd_); }
  /// Takes the available bytes, without waiting, at most 1 MiB; closes at the end of the stream.
  void drain();
  [[nodiscard]] std::size_t received() const { return text_.size() + dropped_; }
  /// The kept text, followed by a line that says how much was dropped, if any was; then starts to count
  /// again.
  [[nodiscard]] std::string take_text();

 private:
  UniqueFd fd_;
  std::size_t limit_;
  std::size_t dropped_ = 0;
  std::string text_;
};

/// Feeds text into a pipe's write end as far as it accepts it. The calling thread must have SIGPIPE blocked.
class PipeWriter {
 public:
  PipeWriter(UniqueFd fd, std::string_view text);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] bool open() const { return static_cast<bool>(fd_); }
  /// Writes without waiting; closes when all is written or no process reads any more.
  void feed();

 private:
  UniqueFd fd_;
  std::string_view rest_;
};

/// Writes `line` and a newline if they fit into a pipe at once (4 KiB do, into an empty one). False if no
/// process reads any more.
[[nodiscard]] bool write_line(int fd, std::string_view line);

/// What has to be undone at the end of a SigpipeBlock.
enum class SigpipeState { kNothing, kSwallow, kUnblock, kSwallowAndUnblock };

struct SigpipeBlockTraits {
  using Handle = SigpipeState;
  static Handle null() { return SigpipeState::kNothing; }
  static void close(Handle handle) noexcept;
};

/// SIGPIPE blocked for the calling thread; at the end, one that was raised meanwhile is swallowed: a child
/// that does not read its input must not end the host.
using SigpipeBlock = UniqueHandle<SigpipeBlockTraits>;
[[nodiscard]] SigpipeBlock block_sigpipe();

}  // namespace kiln
