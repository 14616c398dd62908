#pragma once

#include "sampling.h"

// Groups of `lanes` work-items that work on the same lookups: a warp, or a part of one; one work-item on a
// CPU.

constexpr int kLanes = Params::lanes;
constexpr int kGroups = Params::block / kLanes;  // of a block

__device__ inline void sync_group() {
  if (kLanes > 1) kiln::sync_warp();
}

template <class V>
__device__ inline V group_sum(V value) {
  for (int mask = kLanes / 2; mask > 0; mask /= 2) value += kiln::shuffle_xor(value, mask);
  return value;
}

template <class V>
__device__ inline V group_min(V value) {
  for (int mask = kLanes / 2; mask > 0; mask /= 2) {
    const V other = kiln::shuffle_xor(value, mask);
    value = other < value ? other : value;
  }
  return value;
}

/// A nuclide of a material, and the point of its grid where the group begins.
struct __align__(16) Begin {
  double amount;
  int point;  // among all nuclides' points
  int left;   // points that follow it, but for the last
};

/// 1 / a for positive numbers that are neither tiny nor huge. On a GPU the root's estimate spares a
/// division's tests for special values.
__device__ inline double fast_reciprocal(double a) {
  if (kLanes == 1) return 1 / a;
  const double root = kiln::fast_rsqrt(a);
  return root * root;
}

/// Adds what the lanes of a group have summed up.
__device__ inline void add_totals(double* __restrict__ sums, Word* __restrict__ value_sum,
                                  double (&total)[kChannels], unsigned values, int lane) {
  KILN_UNROLL_ALL
  for (int c = 0; c < kChannels; ++c) total[c] = group_sum(total[c]);
  const Word all = group_sum(Word(values));
  if (lane != 0 || all == 0) return;
  KILN_UNROLL_ALL
  for (int c = 0; c < kChannels; ++c) atomicAdd(&sums[c], total[c]);
  atomicAdd(value_sum, all);
}
