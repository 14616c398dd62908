#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>

#include "base/clock.h"

namespace kiln::test {

/// Time that passes only when a test says so. Thread-safe. Starts at 2026-01-01T00:00:00Z.
class FakeClock : public Clock {
 public:
  [[nodiscard]] std::int64_t steady_ns() const override { return steady_ns_; }
  [[nodiscard]] std::int64_t system_ns() const override { return steady_ns_ + kStart; }

  /// Returns at once.
  void sleep(double seconds) const override { steady_ns_ += std::llround(seconds * 1e9); }

  void advance(double seconds) { steady_ns_ += std::llround(seconds * 1e9); }

 private:
  static constexpr std::int64_t kStart = 1'767'225'600'000'000'000;
  mutable std::atomic<std::int64_t> steady_ns_{0};
};

}  // namespace kiln::test
