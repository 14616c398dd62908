// Sobol's sequences of curand_kernel.h for a host compiler, of direction vectors that the caller passes. The
// integers are those of CUDA's cuRAND. Sources: I. Sobol, On the distribution of points in a cube, USSR
// Computational Mathematics and Mathematical Physics 7 (4), 1967; I. Antonov, V. Saleev, An economic method
// of computing LP-tau sequences, the same journal, 19 (1), 1979.
#pragma once

#if defined(KILN_SPECIAL_FUNCTIONS)  // a text that names a state has them
typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

namespace kiln::curand_detail {

/// Point i is the sum, modulo 2, of the vectors that the Gray code of i chooses, and of c.
template <class State, class Word>
KILN_SHIM void go_to_point(State* state, Word i) {
  state->i = i;
  state->x = state->c;
  for (Word code = i ^ (i >> 1), k = 0; code != 0; code >>= 1, ++k) {
    if ((code & 1) != 0) state->x ^= state->direction_vectors[k];
  }
}
/// The Gray codes of i and i + 1 differ in the bit of the first zero of i.
template <class State>
KILN_SHIM auto next_point(State* state) {
  const auto point = state->x;
  unsigned zero = 0;
  for (auto rest = state->i; (rest & 1) != 0; rest >>= 1) ++zero;
  constexpr unsigned kBits = 8 * sizeof(point);
  state->x ^= state->direction_vectors[zero < kBits ? zero : kBits - 1];
  ++state->i;
  return point;
}

KILN_SHIM float uniform_point(unsigned x) {
  return uniform(x);
}
KILN_SHIM float uniform_point(unsigned long long x) {
  return uniform(static_cast<unsigned>(x >> 32));
}
KILN_SHIM double uniform_point_double(unsigned x) {
  return x * 0x1p-32 + 0x1p-32;
}
KILN_SHIM double uniform_point_double(unsigned long long x) {
  return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54;
}

// Numbers of the normal distribution with that distribution function. `x` from the middle on is mirrored,
// which keeps its digits.
KILN_SHIM float normal_point(unsigned x) {
  const bool upper = x > 0x80000000u;
  const float size = 1.4142135f * erfcinvf(2.0f * uniform(upper ? ~x : x));
  return upper ? size : -size;
}
KILN_SHIM float normal_point(unsigned long long x) {
  return normal_point(static_cast<unsigned>(x >> 32));
}
KILN_SHIM double normal_point_double(unsigned x) {
  const bool upper = x > 0x80000000u;
  const double size = 1.4142135623730951 * erfcinv(2.0 * ((upper ? ~x : x) * 0x1p-32 + 0x1p-33));
  return upper ? size : -size;
}
KILN_SHIM double normal_point_double(unsigned long long x) {
  x >>= 11;
  const bool upper = x > 1ull << 52;
  const auto mirrored = static_cast<double>(upper ? (1ull << 53) - 1 - x : x);
  const double size = 1.4142135623730951 * erfcinv(2.0 * (mirrored * 0x1p-53 + 0x1p-54));
  return upper ? size : -size;
}

KILN_SHIM double inner_point(unsigned x) {
  return x * 0x1p-32 + 0x1p-33;
}
KILN_SHIM double inner_point(unsigned long long x) {
  return uniform_point_double(x);
}
/// The least count whose distribution function is not below the point; from 1000 on a normal number.
template <class Word>
KILN_SHIM unsigned poisson_point(Word x, double lambda) {
  if (lambda >= 1000) return static_cast<unsigned>(sqrt(lambda) * normal_point_double(x) + lambda + 0.5);
  const double wanted = inner_point(x);
  long double term = __builtin_expl(-static_cast<long double>(lambda)), sum = term;
  unsigned count = 0;
  while (wanted > static_cast<double>(sum)) {
    term *= lambda / ++count;
    if (sum + term == sum && count > lambda) break;
    sum += term;
  }
  return count;
}

}  // namespace kiln::curand_detail

// A scrambled sequence begins at `start`.
#define KILN_CURAND_START_plain(Word)
#define KILN_CURAND_START_scrambled(Word) Word start,
#define KILN_CURAND_FIRST_plain 0
#define KILN_CURAND_FIRST_scrambled start
#define KILN_CURAND_SOBOL(name, Word, Vectors, scrambled)                                      \
  struct name {                                                                                \
    Word i, x, c;                                                                              \
    Word direction_vectors[8 * sizeof(Word)];                                                  \
  };                                                                                           \
  typedef name name##_t;                                                                       \
  KILN_SHIM void skipahead(Word n, name* state) {                                              \
    kiln::curand_detail::go_to_point(state, static_cast<Word>(state->i + n));                  \
  }                                                                                            \
  KILN_SHIM void curand_init(Vectors vectors, KILN_CURAND_START_##scrambled(Word) Word offset, \
                             name* state) {                                                    \
    __builtin_memcpy(state->direction_vectors, vectors, sizeof state->direction_vectors);      \
    state->c = KILN_CURAND_FIRST_##scrambled;                                                  \
    kiln::curand_detail::go_to_point(state, offset);                                           \
  }                                                                                            \
  KILN_SHIM Word curand(name* state) {                                                         \
    return kiln::curand_detail::next_point(state);                                             \
  }                                                                                            \
  KILN_SHIM float curand_uniform(name* state) {                                                \
    return kiln::curand_detail::uniform_point(curand(state));                                  \
  }                                                                                            \
  KILN_SHIM double curand_uniform_double(name* state) {                                        \
    return kiln::curand_detail::uniform_point_double(curand(state));                           \
  }                                                                                            \
  KILN_SHIM float curand_normal(name* state) {                                                 \
    return kiln::curand_detail::normal_point(curand(state));                                   \
  }                                                                                            \
  KILN_SHIM double curand_normal_double(name* state) {                                         \
    return kiln::curand_detail::normal_point_double(curand(state));                            \
  }                                                                                            \
  KILN_SHIM float curand_log_normal(name* state, float mean, float stddev) {                   \
    return expf(mean + stddev * curand_normal(state));                                         \
  }                                                                                            \
  KILN_SHIM double curand_log_normal_double(name* state, double mean, double stddev) {         \
    return exp(mean + stddev * curand_normal_double(state));                                   \
  }                                                                                            \
  KILN_SHIM unsigned curand_poisson(name* state, double lambda) {                              \
    return kiln::curand_detail::poisson_point(curand(state), lambda);                          \
  }
KILN_CURAND_SOBOL(curandStateSobol32, unsigned, curandDirectionVectors32_t, plain)
KILN_CURAND_SOBOL(curandStateScrambledSobol32, unsigned, curandDirectionVectors32_t, scrambled)
KILN_CURAND_SOBOL(curandStateSobol64, unsigned long long, curandDirectionVectors64_t, plain)
KILN_CURAND_SOBOL(curandStateScrambledSobol64, unsigned long long, curandDirectionVectors64_t, scrambled)
#undef KILN_CURAND_SOBOL
#undef KILN_CURAND_START_plain
#undef KILN_CURAND_START_scrambled
#undef KILN_CURAND_FIRST_plain
#undef KILN_CURAND_FIRST_scrambled
#endif
