#pragma once

namespace kiln {

/// While it lives, the first SIGINT or SIGTERM is only noted; the second ends the process as without it. One
/// at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] static bool requested();
};

}  // namespace kiln
