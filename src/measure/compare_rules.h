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

/// Result of comparing one element.
struct ElementComparison {
  bool skipped, agrees;
  double relative_error;  ///< |value - expected| / |expected| where expected is not 0; infinite if not finite
  double excess;          ///< error over allowed error; infinite for NaN and for a zero tolerance
};

/// A whole number of up to 64 bits, all digits of it: as sign and magnitude, since `long` and `ulong` are
/// compared with each other and with numbers of double precision.
struct WholeNumber {
  unsigned long long magnitude;
  bool negative;
};

/// The form in which elements are compared: 64-bit integers exactly, all others as the double that represents
/// each of their values.
KILN_HOST_DEVICE WholeNumber comparable(unsigned long long value) {
  return {value, false};
}
KILN_HOST_DEVICE WholeNumber comparable(long long value) {
  const unsigned long long bits = static_cast<unsigned long long>(value);
  return {value < 0 ? 0 - bits : bits, value < 0};
}
KILN_HOST_DEVICE WholeNumber comparable(unsigned long value) {
  return comparable(static_cast<unsigned long long>(value));
}
KILN_HOST_DEVICE WholeNumber comparable(long value) {
  return comparable(static_cast<long long>(value));
}
template <class T>
KILN_HOST_DEVICE double comparable(T value) {
  return static_cast<double>(value);
}

/// Rounded.
KILN_HOST_DEVICE double to_double(double value) {
  return value;
}
KILN_HOST_DEVICE double to_double(WholeNumber value) {
  const double magnitude = static_cast<double>(value.magnitude);
  return value.negative ? -magnitude : magnitude;
}

KILN_HOST_DEVICE double distance(double value, double expected) {
  if (value == expected) return 0;  // infinities, too
  const double difference = value - expected;
  return difference < 0 ? -difference : difference;
}
/// 0 only for equal numbers; else rounded.
KILN_HOST_DEVICE double distance(WholeNumber value, WholeNumber expected) {
  const unsigned long long a = value.magnitude;
  const unsigned long long b = expected.magnitude;
  if (value.negative == expected.negative) return static_cast<double>(a > b ? a - b : b - a);
  const unsigned long long sum = a + b;
  const double beyond = sum < a ? 18446744073709551616.0 : 0;  // 2^64
  return beyond + static_cast<double>(sum);
}
KILN_HOST_DEVICE double distance(WholeNumber value, double expected) {
  const double size = expected < 0 ? -expected : expected;
  const double end = 18446744073709551616.0;  // 2^64
  if (size == end && value.magnitude > 0 && value.negative == (expected < 0))
    return static_cast<double>(0 - value.magnitude);
  if (!(size < end)) return distance(to_double(value), expected);
  const unsigned long long whole = static_cast<unsigned long long>(size);
  // A double with a fraction is below 2^52: nothing that counts is lost beside it.
  if (static_cast<double>(whole) != size) return distance(to_double(value), expected);
  return distance(value, WholeNumber{whole, expected < 0});
}
KILN_HOST_DEVICE double distance(double value, WholeNumber expected) {
  return distance(expected, value);
}

/// `Value` and `Expected`: double or WholeNumber.
template <class Value, class Expected>
KILN_HOST_DEVICE ElementComparison compare_element(const Tolerance& tolerance, Value value, Expected expected,
                                                   double infinity) {
  const double largest = 1.7976931348623157e308;
  const double size = distance(to_double(expected), 0);
  const double magnitude = distance(to_double(value), 0);
  ElementComparison found = {false, false, 0, 0};
  if (magnitude < tolerance.skip_below && size < tolerance.skip_below) {
    found.skipped = true;
    return found;
  }
  const double error = distance(value, expected);
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
