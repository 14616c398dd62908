#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/case_data.h"

namespace kiln {

/// How long a program has waited for its results after so many launches, from the wish for the kernel on.
/// All numbers are medians of what was measured.
struct AmortisationCurve {
  /// What ran before the case's own code did, of the ways in the background.
  struct Before {
    std::string subject;
    double launch_seconds = 0;
    double swap_seconds = 0;  ///< from the wish until the case's own code was in use
  };

  std::string subject;
  FirstWay way = FirstWay::kCold;
  double first_seconds = 0;   ///< to the end of the first launch
  double launch_seconds = 0;  ///< of each further one, with the case's own code
  std::optional<Before> before;

  /// Launches that began before the swap, the first among them; 0 where there is none.
  [[nodiscard]] double launches_before() const;
  /// After `launches` of them, at least one, one after the other.
  [[nodiscard]] double seconds(double launches) const;
};

/// The curves of one choice of switches, over the same numbers of launches.
struct Amortisation {
  bool fast_math = false, launch_bounds = true;
  std::vector<double> launches;  ///< 1, 2, 5, 10, ...: a decade beyond the last crossing, 10^3 to 10^9
  std::vector<AmortisationCurve> curves;
};

/// For each choice of switches: the generic kernels compiled ahead, the fastest instance compiled ahead, and
/// the kernel with all constants in each way that was measured. A choice with fewer than two curves has
/// nothing to compare and is left out.
[[nodiscard]] std::vector<Amortisation> amortise(const DeviceCases& cases, const DeviceData& data);

}  // namespace kiln
