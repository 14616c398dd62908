#include "base/clock.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

namespace kiln {
namespace {

class SystemClock : public Clock {
 public:
  [[nodiscard]] std::int64_t steady_ns() const override {
    return nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
  }
  [[nodiscard]] std::int64_t system_ns() const override {
    return nanoseconds(std::chrono::system_clock::now().time_since_epoch());
  }
  void sleep(double seconds) const override {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }

 private:
  template <class Duration>
  static std::int64_t nanoseconds(Duration duration) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  }
};

}  // namespace

std::unique_ptr<Clock> make_system_clock() {
  return std::make_unique<SystemClock>();
}

std::string to_iso8601(std::int64_t system_ns) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds{system_ns}};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{floor<std::chrono::milliseconds>(time - day)};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text.data();
}

}  // namespace kiln
