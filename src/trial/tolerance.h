#pragma once

#include "measure/compare.h"
#include "workload/configuration.h"

namespace kiln {

/// The tolerance of a check in this configuration. Throws bad_input at the value's place unless `rtol` is at
/// least 0 and below 1 and `atol` and `skip_below` are at least 0, all of them finite: with an `rtol` of 1 an
/// array of zeros would agree with anything, and with an infinite `atol` every array.
[[nodiscard]] Tolerance tolerance_of(const Configuration& configuration, const CheckSpec& check);

/// Calls tolerance_of for every check whose condition holds, so that a mistake is found before anything is
/// compiled.
void require_tolerances(const Configuration& configuration);

}  // namespace kiln
