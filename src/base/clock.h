#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kiln {

/// Time as an argument, so that tests control it.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic time in nanoseconds from an arbitrary origin.
  [[nodiscard]] virtual std::int64_t steady_ns() const = 0;
  /// Wall-clock time in nanoseconds since 1970-01-01 UTC.
  [[nodiscard]] virtual std::int64_t system_ns() const = 0;
  /// The calling thread waits.
  virtual void sleep(double seconds) const = 0;
};

std::unique_ptr<Clock> make_system_clock();

/// Seconds between two `steady_ns()` readings.
[[nodiscard]] inline double seconds_between(std::int64_t begin_ns, std::int64_t end_ns) {
  return static_cast<double>(end_ns - begin_ns) * 1e-9;
}

/// ISO 8601 UTC with milliseconds, "2026-11-21T09:35:00.123Z".
[[nodiscard]] std::string to_iso8601(std::int64_t system_ns);

}  // namespace kiln
