#pragma once

#include <string>
#include <vector>

namespace kiln {

/// A range of values on a range of places in a picture; `log` for values above 0 only.
struct Axis {
  double low = 0, high = 1;   ///< values
  double begin = 0, end = 1;  ///< their places
  bool log = false;

  /// Where `value` stands; a value outside the range, outside the places.
  [[nodiscard]] double at(double value) const;
};

/// Multiples of 1, 2 or 5 times a power of ten in [low, high], at most `most` of them (at least 2).
[[nodiscard]] std::vector<double> even_ticks(double low, double high, std::size_t most);
/// Ratios that read well and lie in [low, high], 1 among them if it does, at least `gap` apart on the axis.
[[nodiscard]] std::vector<double> ratio_ticks(const Axis& axis, double gap);
/// Values above 0 in the range of a logarithmic axis, at least `gap` apart: 1, 2 and 5 times powers of ten, 1
/// and 3 times, or powers of ten, as the room allows.
[[nodiscard]] std::vector<double> log_ticks(const Axis& axis, double gap);
/// "0.01", "1000", "10⁶".
[[nodiscard]] std::string power_text(int exponent);

/// A unit in which seconds up to `most` have a whole part: 1e3 and "ms" for 0.02.
struct TimeUnit {
  double in_a_second = 1;
  std::string name = "s";
};
[[nodiscard]] TimeUnit time_unit(double most);

}  // namespace kiln
