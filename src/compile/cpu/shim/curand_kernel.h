// curand_kernel.h for a host compiler: numbers of the usual distributions. Uniform ones are cuRAND's bit for
// bit; the others take the same integers in the same order, through the logarithms and sines of libm.
#pragma once

#include "kiln/curand_engines.h"

namespace kiln::curand_detail {

KILN_SHIM float uniform(unsigned x) {
  return static_cast<float>(x) * 0x1p-32f + 0x1p-33f;
}
/// Of 53 bits.
KILN_SHIM double uniform_double(unsigned x, unsigned y) {
  return static_cast<double>(x ^ (static_cast<unsigned long long>(y) << 21)) * 0x1p-53 + 0x1p-54;
}

/// G. Box, M. Muller, A note on the generation of random normal deviates, 1958. `u` in (0, 1], `angle` in
/// radians.
KILN_SHIM float2 box_muller(float u, float angle) {
  const float radius = sqrtf(-2.0f * logf(u));
  return {radius * sinf(angle), radius * cosf(angle)};
}
/// The angle in half turns.
KILN_SHIM double2 box_muller_double(double u, double half_turns) {
  const double radius = sqrt(-2.0 * log(u));
  return {radius * sinpi(half_turns), radius * cospi(half_turns)};
}

constexpr float kTwoPi = 6.2831855f;

KILN_SHIM float2 normal2(unsigned x, unsigned y) {
  return box_muller(uniform(x), static_cast<float>(y) * (0x1p-32f * kTwoPi) + 0x1p-33f * kTwoPi);
}
KILN_SHIM double2 normal2_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  return box_muller_double(uniform_double(x0, x1), 2.0 * uniform_double(y0, y1));
}

/// Which distribution the value kept for the next call is of.
enum : int { kNothing = 0, kNormal = 1, kLogNormal = 2 };

/// Poisson numbers by D. Knuth's product of uniform numbers, The Art of Computer Programming 2, 3.4.1.
template <class State>
KILN_SHIM unsigned poisson_product(State* state, float lambda);

}  // namespace kiln::curand_detail

// ----------------------------------------------------------------------------------------------- uniform

template <class State>
KILN_SHIM float curand_uniform(State* state) {
  return kiln::curand_detail::uniform(curand(state));
}
KILN_SHIM float curand_uniform(curandStateMRG32k3a_t* state) {
  return static_cast<float>(kiln::curand_detail::next_mrg(state) * 2.3283065498378288e-10);
}
KILN_SHIM float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  using kiln::curand_detail::uniform;
  return {uniform(x.x), uniform(x.y), uniform(x.z), uniform(x.w)};
}

KILN_SHIM double curand_uniform_double(curandStateXORWOW_t* state) {
  const unsigned x = curand(state), y = curand(state);
  return kiln::curand_detail::uniform_double(x, y);
}
KILN_SHIM double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  return curand(state) * 0x1p-32 + 0x1p-32;
}
KILN_SHIM double curand_uniform_double(curandStateMRG32k3a_t* state) {
  return kiln::curand_detail::next_mrg(state) * 2.3283065498378288e-10;
}
KILN_SHIM double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return {kiln::curand_detail::uniform_double(x.x, x.y), kiln::curand_detail::uniform_double(x.z, x.w)};
}
KILN_SHIM double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
  return {a.x, a.y, b.x, b.y};
}

// ------------------------------------------------------------------------------------------------ normal

template <class State>
KILN_SHIM float2 curand_normal2(State* state) {
  const unsigned x = curand(state), y = curand(state);
  return kiln::curand_detail::normal2(x, y);
}
KILN_SHIM float2 curand_normal2(curandStateMRG32k3a_t* state) {
  const float u = curand_uniform(state), v = curand_uniform(state);
  return kiln::curand_detail::box_muller(u, v * kiln::curand_detail::kTwoPi);
}
KILN_SHIM float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 a = kiln::curand_detail::normal2(x.x, x.y), b = kiln::curand_detail::normal2(x.z, x.w);
  return {a.x, a.y, b.x, b.y};
}

KILN_SHIM double2 curand_normal2_double(curandStateXORWOW_t* state) {
  const unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
  return kiln::curand_detail::normal2_double(x0, x1, y0, y1);
}
KILN_SHIM double2 curand_normal2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return kiln::curand_detail::normal2_double(x.x, x.y, x.z, x.w);
}
KILN_SHIM double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
  const double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  return {a.x, a.y, b.x, b.y};
}
KILN_SHIM double2 curand_normal2_double(curandStateMRG32k3a_t* state) {
  const double u = curand_uniform_double(state), v = curand_uniform_double(state);
  return kiln::curand_detail::box_muller_double(u, 2.0 * v);
}

template <class State>
KILN_SHIM float2 curand_log_normal2(State* state, float mean, float stddev) {
  const float2 normal = curand_normal2(state);
  return {expf(mean + stddev * normal.x), expf(mean + stddev * normal.y)};
}
KILN_SHIM float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float4 normal = curand_normal4(state);
  return {expf(mean + stddev * normal.x), expf(mean + stddev * normal.y), expf(mean + stddev * normal.z),
          expf(mean + stddev * normal.w)};
}
template <class State>
KILN_SHIM double2 curand_log_normal2_double(State* state, double mean, double stddev) {
  const double2 normal = curand_normal2_double(state);
  return {exp(mean + stddev * normal.x), exp(mean + stddev * normal.y)};
}
KILN_SHIM double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev) {
  const double4 normal = curand_normal4_double(state);
  return {exp(mean + stddev * normal.x), exp(mean + stddev * normal.y), exp(mean + stddev * normal.z),
          exp(mean + stddev * normal.w)};
}

// Every second call returns the second number of a pair.
#define KILN_CURAND_OF_PAIR(name, value, suffix, kind, parameters, ...)                               \
  template <class State>                                                                              \
  KILN_SHIM value name parameters {                                                                   \
    const bool kept = state->boxmuller_flag##suffix == kiln::curand_detail::kind;                     \
    state->boxmuller_flag##suffix = kept ? kiln::curand_detail::kNothing : kiln::curand_detail::kind; \
    if (kept) return state->boxmuller_extra##suffix;                                                  \
    const value##2 pair = __VA_ARGS__;                                                                \
    state->boxmuller_extra##suffix = pair.y;                                                          \
    return pair.x;                                                                                    \
  }
KILN_CURAND_OF_PAIR(curand_normal, float, , kNormal, (State * state), curand_normal2(state))
KILN_CURAND_OF_PAIR(curand_normal_double, double, _double, kNormal, (State * state),
                    curand_normal2_double(state))
KILN_CURAND_OF_PAIR(curand_log_normal, float, , kLogNormal, (State * state, float mean, float stddev),
                    curand_log_normal2(state, mean, stddev))
KILN_CURAND_OF_PAIR(curand_log_normal_double, double, _double, kLogNormal,
                    (State * state, double mean, double stddev),
                    curand_log_normal2_double(state, mean, stddev))

// ----------------------------------------------------------------------------------------------- Poisson

template <class State>
KILN_SHIM unsigned kiln::curand_detail::poisson_product(State* state, float lambda) {
  unsigned count = 0;
  for (float product = expf(lambda) * curand_uniform(state); product > 1.0f; ++count)
    product *= curand_uniform(state);
  return count;
}

/// As cuRAND's below 64 and above 4000. Between them cuRAND rejects by an approximation of the inverse gamma
/// distribution; here it is a sum of numbers of smaller expectation, which has the same distribution.
template <class State>
KILN_SHIM unsigned int curand_poisson(State* state, double lambda) {
  if (lambda > 4000) return static_cast<unsigned>(sqrt(lambda) * curand_normal_double(state) + lambda + 0.5);
  unsigned count = 0;
  for (; lambda >= 64; lambda -= 32) count += kiln::curand_detail::poisson_product(state, 32.0f);
  return count + kiln::curand_detail::poisson_product(state, static_cast<float>(lambda));
}
KILN_SHIM uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
  unsigned counts[4];
  if (lambda > 4000) {
    const double4 normal = curand_normal4_double(state);
    const double values[4] = {normal.x, normal.y, normal.z, normal.w};
    for (int i = 0; i < 4; ++i) counts[i] = static_cast<unsigned>(sqrt(lambda) * values[i] + lambda + 0.5);
  } else {
    for (unsigned& count : counts) count = curand_poisson(state, lambda);
  }
  return {counts[0], counts[1], counts[2], counts[3]};
}
