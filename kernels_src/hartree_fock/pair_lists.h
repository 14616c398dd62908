#pragma once

// Pairs of atoms, sorted by Schwarz's bound, the largest first; those with equal bounds (to 32 bits) by place, so
// that neighbours are near each other. A chunk is `lanes * kets` neighbours of that order: the kets that the lanes
// of a group take side by side.

struct RankedPair {
  double schwarz;  // S
  double bound;    // not smaller than S, and descending
  int i, j;
};

// What all pairs of a chunk share: their primitives stand in one order, by the largest weight in the chunk.
struct ChunkPrimitive {
  float bound;  // not smaller than any weight in the chunk
  int kind;     // which two exponents: an index of the table of alphas, and for set-up
  int slot;     // which two primitives: a * ngauss + b
};

// alpha = p q / (p + q) for two kinds of primitives, with what the integral needs of it.
struct Alpha {
  double alpha, root;
};

__device__ inline int kind_of(int a, int b) {
  return a >= b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

// S rounded up to 32 bits: pairs that differ by rounding errors only share it.
__device__ inline double rounded_up(double schwarz) {
  const long long low = (1ll << 20) - 1;
  return __longlong_as_double((__double_as_longlong(schwarz) | low) + 1);
}
