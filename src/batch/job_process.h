#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <poll.h>

#include "base/process.h"

namespace kiln {

/// A program whose output is passed on line by line. To end it, it first gets SIGTERM, so that it writes its
/// results, and is killed with its children if it still runs after `kGrace`. The destructor kills it. One
/// thread at a time.
class JobProcess {
 public:
  using TakeLine = std::function<void(std::string_view line)>;
  static constexpr std::chrono::seconds kGrace{10};

  virtual ~JobProcess() = default;
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;

  /// `command.time_limit` counts from here. The sentence is why it did not start.
  [[nodiscard]] static std::variant<std::unique_ptr<JobProcess>, std::string> start(const Command& command,
                                                                                    TakeLine output,
                                                                                    TakeLine error);

  /// Adds the events to poll for, and lowers the time to wait (milliseconds; -1: without end).
  virtual void add_events(std::vector<pollfd>& events, int& timeout) const = 0;
  /// Passes on new lines, and ends a program that exceeds its time. True when it has ended.
  [[nodiscard]] virtual bool step() = 0;
  virtual void terminate() = 0;
  /// Result of a program that has ended.
  [[nodiscard]] virtual ProcessResult result() const = 0;

 protected:
  JobProcess() = default;
};

}  // namespace kiln
