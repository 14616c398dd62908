#pragma once

// Pairs of atoms, sorted by classes of Schwarz's bound, the largest first; those of one class by place, so
// that neighbours are near each other. A chunk is `lanes * kets` neighbours of that order: the kets that the
// lanes of a group take side by side.

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

// A pair's key in the sort: nine bits for the class, the largest bounds first, then nine bits for the place.
// Four classes double the bound, from 2^-111 to 2^17; the first and the last one take what is beyond.
constexpr int kDigitBits = 9;
constexpr int kMostClass = (1 << kDigitBits) - 1;
constexpr long long kLowestClass = (1023 - 111) * 4;

__device__ inline unsigned class_of(double schwarz) {
  const long long quarters = (__double_as_longlong(schwarz) >> 50) - kLowestClass;
  return unsigned(kMostClass - (quarters < 0 ? 0 : quarters > kMostClass ? kMostClass : quarters));
}

// What no bound in the class of a key reaches; it does not grow with the key.
__device__ inline double class_bound(unsigned key) {
  const long long quarters = kMostClass - (key >> kDigitBits);
  return quarters == kMostClass ? 1e300 : __longlong_as_double((quarters + 1 + kLowestClass) << 50);
}
