// When a value agrees with what is expected. One text for the host and for kernels that compare on a device
// (trial/kernels/compare_arrays.cu): it includes nothing, and its arithmetic must not be fused.
#pragma once

#ifndef KILN_HOST_DEVICE
#define KILN_HOST_DEVICE inline
#endif

namespace kiln {

/// A value agrees with what is expected if |value - expected| <= atol + rtol * |expected|. NaN never agrees,
/// an infinity only with itself. An element is skipped if both magnitudes are below `skip_below`.
struct Tolerance {
  double rtol = 0, atol = 0, skip_below = 0;
};

/// What comparing one element found.
struct ElementComparison {
  bool skipped, agrees;
  double relative_error;  ///< |value - expected| / |expected| where expected is not 0; infinite if not finite
  double excess;          ///< error over allowed error; infinite for NaN and for a zero tolerance
};

KILN_HOST_DEVICE ElementComparison compare_element(const Tolerance& tolerance, double value, double expected,
                                                   double infinity) {
  const double largest = 1.7976931348623157e308;
  const double size = expected < 0 ? -expected : expected;
  const double magnitude = value < 0 ? -value : value;
  ElementComparison found = {false, false, 0, 0};
  if (magnitude < tolerance.skip_below && size < tolerance.skip_below) {
    found.skipped = true;
    return found;
  }
  const double difference = value - expected;
  double error = difference < 0 ? -difference : difference;
  if (value == expected) error = 0;
  const bool finite = error <= largest;  // neither infinite nor NaN
  const double allowed = tolerance.atol + tolerance.rtol * size;
  found.agrees = error == 0 || (finite && error <= allowed);
  if (!finite)
    found.relative_error = infinity;
  else if (error > 0 && size > 0)
    found.relative_error = error / size;
  if (error != 0) found.excess = finite && allowed > 0 ? error / allowed : infinity;
  return found;
}

}  // namespace kiln
