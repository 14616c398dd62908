#pragma once

namespace kiln {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is only noted; the second of its kind ends the process
/// as without it. A SIGHUP that the caller ignores (nohup) stays ignored. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] static bool requested();
  /// The exit code that a shell shows for a process that the signal ended: 130, 143 or 129.
  [[nodiscard]] static int exit_code();
  /// Readable from the first signal on, until it is read; -1 where there is none.
  [[nodiscard]] static int descriptor();
};

}  // namespace kiln
