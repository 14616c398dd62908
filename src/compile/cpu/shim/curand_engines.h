// The generators of curand_kernel.h. Their integers are those of CUDA's cuRAND, bit for
// bit: the same recurrences, seeds and distances of subsequences. Sources:
// - XORWOW: G. Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (14), 2003;
// - Philox4_32_10: J. Salmon, M. Moraes, R. Dror, D. Shaw, Parallel random numbers: as easy as 1, 2, 3,
//   SC'11;
// - MRG32k3a: P. L'Ecuyer, Good parameters and implementations for combined multiple recursive random number
//   generators, Operations Research 47 (1), 1999.
#pragma once

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;  ///< number of values of `output` that were given out
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

namespace kiln::curand_detail {

/// One step of XORWOW's shift register.
KILN_SHIM void xorwow_step(unsigned* v) {
  const unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

struct XorwowRegister {
  unsigned v[5];
};

constexpr int kXorwowSequence = 67;  // subsequences are 2^67 apart

/// The state of one of MRG32k3a's two recurrences, x[n] = (a x[n-2] + b x[n-1] - c x[n-3]) mod m.
template <unsigned kModulus, unsigned kA, unsigned kB, unsigned kC>
struct MrgMatrix {
  unsigned row[3][3];

  void set_step() {
    const unsigned step[3][3] = {{0, 1, 0}, {0, 0, 1}, {kModulus - kC, kA, kB}};
    __builtin_memcpy(row, step, sizeof row);
  }
  void set_square(const MrgMatrix& m) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) row[i][j] = sum(m.row[i], m.row[0][j], m.row[1][j], m.row[2][j]);
    }
  }
  void apply(unsigned (&state)[3]) const {
    const unsigned x = state[0], y = state[1], z = state[2];
    for (int i = 0; i < 3; ++i) state[i] = sum(row[i], x, y, z);
  }
  static unsigned sum(const unsigned* factors, unsigned x, unsigned y, unsigned z) {
    const unsigned long long a = 1ull * factors[0] * x % kModulus, b = 1ull * factors[1] * y % kModulus,
                             c = 1ull * factors[2] * z % kModulus;
    return static_cast<unsigned>((a + b + c) % kModulus);
  }
};

constexpr unsigned kMrgModulus1 = 4294967087u, kMrgModulus2 = 4294944443u;
constexpr int kMrgSubsequence = 76, kMrgSequence = 127;  // so many doublings of a step apart
using MrgMatrix1 = MrgMatrix<kMrgModulus1, 1403580u, 0u, 810728u>;
using MrgMatrix2 = MrgMatrix<kMrgModulus2, 0u, 527612u, 1370589u>;

}  // namespace kiln::curand_detail

#include "kiln/curand_jumps.h"

namespace kiln::curand_detail {

/// 1 to kMrgModulus1.
KILN_SHIM unsigned next_mrg(curandStateMRG32k3a* state) {
  unsigned(&s)[3] = state->s1;
  unsigned(&t)[3] = state->s2;
  const unsigned long long x = (1403580ull * s[1] + 810728ull * (kMrgModulus1 - s[0])) % kMrgModulus1;
  const unsigned long long y = (527612ull * t[2] + 1370589ull * (kMrgModulus2 - t[0])) % kMrgModulus2;
  s[0] = s[1];
  s[1] = s[2];
  s[2] = static_cast<unsigned>(x);
  t[0] = t[1];
  t[1] = t[2];
  t[2] = static_cast<unsigned>(y);
  return static_cast<unsigned>(x > y ? x - y : x + kMrgModulus1 - y);
}

KILN_SHIM uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long a = 0xD2511F53ull * counter.x, b = 0xCD9E8D57ull * counter.z;
    counter = {static_cast<unsigned>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned>(b),
               static_cast<unsigned>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned>(a)};
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

/// Adds to the counter, a number of 128 bits.
KILN_SHIM void advance_philox(curandStatePhilox4_32_10* state, unsigned long long n) {
  const unsigned long long low = state->ctr.y * 0x100000000ull + state->ctr.x, sum = low + n;
  unsigned long long high = state->ctr.w * 0x100000000ull + state->ctr.z;
  if (sum < low) ++high;
  state->ctr = {static_cast<unsigned>(sum), static_cast<unsigned>(sum >> 32), static_cast<unsigned>(high),
                static_cast<unsigned>(high >> 32)};
  state->output = philox(state->ctr, state->key);
}

template <class State>
KILN_SHIM void forget_normals(State* state) {
  state->boxmuller_flag = state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0;
  state->boxmuller_extra_double = 0;
}

}  // namespace kiln::curand_detail

// ------------------------------------------------------------------------------------------------ XORWOW

KILN_SHIM unsigned int curand(curandStateXORWOW_t* state) {
  kiln::curand_detail::xorwow_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}

KILN_SHIM void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  kiln::curand_detail::skip_xorwow(state, n, 0);
  state->d += 362437u * static_cast<unsigned>(n);
}

KILN_SHIM void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  kiln::curand_detail::skip_xorwow(state, n, kiln::curand_detail::kXorwowSequence);
}

KILN_SHIM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateXORWOW_t* state) {
  const unsigned a = 1099087573u * (static_cast<unsigned>(seed) ^ 0xaad26b49u);
  const unsigned b = 2591861531u * (static_cast<unsigned>(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + a + b;
  state->v[0] = 123456789u + a;
  state->v[1] = 362436069u ^ a;
  state->v[2] = 521288629u + b;
  state->v[3] = 88675123u ^ b;
  state->v[4] = 5783321u + a;
  kiln::curand_detail::start_xorwow(state, subsequence);
  skipahead(offset, state);
  kiln::curand_detail::forget_normals(state);
}

// ----------------------------------------------------------------------------------------- Philox4_32_10

KILN_SHIM unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const unsigned values[4] = {state->output.x, state->output.y, state->output.z, state->output.w};
  const unsigned result = values[state->STATE & 3u];
  if (++state->STATE == 4) {
    state->STATE = 0;
    kiln::curand_detail::advance_philox(state, 1);
  }
  return result;
}

KILN_SHIM uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 old = state->output;
  kiln::curand_detail::advance_philox(state, 1);
  const uint4& next = state->output;
  const unsigned values[7] = {old.x, old.y, old.z, old.w, next.x, next.y, next.z};
  const unsigned* first = values + (state->STATE & 3u);
  return {first[0], first[1], first[2], first[3]};
}

KILN_SHIM void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned given_out = state->STATE + static_cast<unsigned>(n & 3);
  state->STATE = given_out & 3u;
  kiln::curand_detail::advance_philox(state, n / 4 + given_out / 4);
}

KILN_SHIM void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  const unsigned long long high = state->ctr.w * 0x100000000ull + state->ctr.z + n;
  state->ctr.z = static_cast<unsigned>(high);
  state->ctr.w = static_cast<unsigned>(high >> 32);
  kiln::curand_detail::advance_philox(state, 0);
}

KILN_SHIM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStatePhilox4_32_10_t* state) {
  state->ctr = {0, 0, 0, 0};
  state->key = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
  state->STATE = 0;
  kiln::curand_detail::forget_normals(state);
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}

// ---------------------------------------------------------------------------------------------- MRG32k3a

KILN_SHIM unsigned int curand(curandStateMRG32k3a_t* state) {
  return static_cast<unsigned>(kiln::curand_detail::next_mrg(state) * 1.000000048662);
}

KILN_SHIM void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) {
  kiln::curand_detail::skip_mrg(state, n, 0);
}

KILN_SHIM void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  kiln::curand_detail::skip_mrg(state, n, kiln::curand_detail::kMrgSubsequence);
}

KILN_SHIM void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
  kiln::curand_detail::skip_mrg(state, n, kiln::curand_detail::kMrgSequence);
}

KILN_SHIM void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                           curandStateMRG32k3a_t* state) {
  using namespace kiln::curand_detail;
  for (int i = 0; i < 3; ++i) state->s1[i] = state->s2[i] = 12345u;
  if (seed != 0) {
    const unsigned long long low = static_cast<unsigned>(seed) ^ 0x55555555u,
                             high = static_cast<unsigned>(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; ++i) {
      const bool odd = i == 1;
      state->s1[i] = static_cast<unsigned>((odd ? high : low) * 12345u % kMrgModulus1);
      state->s2[i] = static_cast<unsigned>((odd ? low : high) * 12345u % kMrgModulus2);
    }
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  forget_normals(state);
}
