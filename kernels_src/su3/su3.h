#pragma once

// A site is 72 numbers, four links of three rows of three complex ones, and in the published layout what
// MILC's structure has after them: x, y, z, t, index, parity and padding, in the space of 8 more numbers.
constexpr int kLinkNumbers = 18;
constexpr int kSiteNumbers = 4 * kLinkNumbers;
constexpr int kStride = Params::layout == 0 ? kSiteNumbers + 8 : kSiteNumbers;

__device__ inline long long site_count(const Params& p) {
  return (long long)p.L * p.L * p.L * p.L;
}
