#pragma once

#include <stop_token>

#include "base/pipe.h"

namespace kiln {

/// Lets poll wait for a stop: its descriptor becomes ready (POLLHUP) when one is requested.
class StopEvent {
 public:
  /// Throws environment_error when the process has no descriptors left.
  explicit StopEvent(const std::stop_token& stop)
      : pipe_(stop.stop_possible() ? make_pipe() : Pipe{}), close_(stop, CloseEnd{&pipe_.write_end}) {}

  /// -1, which poll passes over, if no stop can be requested.
  [[nodiscard]] int fd() const { return pipe_.read_end.get(); }

 private:
  struct CloseEnd {
    UniqueFd* end;
    void operator()() const { end->reset(); }
  };

  Pipe pipe_;
  std::stop_callback<CloseEnd> close_;  // last: ends before what it closes
};

}  // namespace kiln
