// Jumps of cuRAND's generators for a GPU, where threads share no tables: XORWOW's by polynomials modulo the
// characteristic polynomial of its step (H. Haramoto, M. Matsumoto, T. Nishimura, F. Panneton, P. L'Ecuyer,
// Efficient jump ahead for F2-linear random number generators, INFORMS Journal on Computing 20 (3), 2008).
#pragma once

namespace kiln::curand_detail {

/// Over bits: bit i of the words is the coefficient of x^i. Degree below 160.
struct XorwowPolynomial {
  unsigned w[5];
};

/// That of the step has x^160 and these.
constexpr XorwowPolynomial kXorwowStep = {{0x00060001u, 0x08610030u, 0x00062121u, 0x0f3c0035u, 0x00000f0eu}};
/// x^(2^67), a subsequence.
constexpr XorwowPolynomial kXorwowSubsequence = {
    {0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u}};

/// a * b.
KILN_SHIM XorwowPolynomial product(const XorwowPolynomial& a, const XorwowPolynomial& b) {
  XorwowPolynomial sum = {{0, 0, 0, 0, 0}};
  const XorwowPolynomial step = kXorwowStep;
#pragma unroll 1
  for (int word = 4; word >= 0; --word) {
    const unsigned bits = b.w[word];
#pragma unroll 1
    for (int bit = 31; bit >= 0; --bit) {
      const unsigned carry = 0u - (sum.w[4] >> 31), one = 0u - (bits >> bit & 1u);
      for (int i = 4; i > 0; --i) sum.w[i] = sum.w[i] << 1 | sum.w[i - 1] >> 31;
      sum.w[0] <<= 1;
      for (int i = 0; i < 5; ++i) sum.w[i] ^= (step.w[i] & carry) ^ (a.w[i] & one);
    }
  }
  return sum;
}

/// a^n.
KILN_SHIM XorwowPolynomial power(XorwowPolynomial a, unsigned long long n) {
  XorwowPolynomial result = {{1, 0, 0, 0, 0}};
#pragma unroll 1
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) result = product(result, a);
    if (n > 1) a = product(a, a);
  }
  return result;
}

/// The polynomial of the step's matrix, applied to the register.
KILN_SHIM void apply(const XorwowPolynomial& a, unsigned* v) {
  unsigned sum[5] = {0, 0, 0, 0, 0};
#pragma unroll 1
  for (int word = 4; word >= 0; --word) {
    const unsigned bits = a.w[word];
#pragma unroll 1
    for (int bit = 31; bit >= 0; --bit) {
      xorwow_step(sum);
      const unsigned one = 0u - (bits >> bit & 1u);
      for (int i = 0; i < 5; ++i) sum[i] ^= v[i] & one;
    }
  }
  for (int i = 0; i < 5; ++i) v[i] = sum[i];
}

/// n * 2^first steps; `first` is 0 or kXorwowSequence.
KILN_SHIM void skip_xorwow(curandStateXORWOW* state, unsigned long long n, int first) {
  if (n == 0) return;
  const XorwowPolynomial one_step = {{2, 0, 0, 0, 0}}, subsequence = kXorwowSubsequence;
  apply(power(first == 0 ? one_step : subsequence, n), state->v);
}

KILN_SHIM void start_xorwow(curandStateXORWOW* state, unsigned long long subsequence) {
  skip_xorwow(state, subsequence, kXorwowSequence);
}

/// n * 2^first steps of one of MRG32k3a's recurrences.
template <class Matrix>
KILN_SHIM void skip_recurrence(unsigned (&state)[3], unsigned long long n, int first) {
  if (n == 0) return;
  Matrix step, square;
  step.set_step();
#pragma unroll 1
  for (int i = 0; i < first; ++i) {
    square.set_square(step);
    step = square;
  }
#pragma unroll 1
  for (; n != 0; n >>= 1) {
    if ((n & 1) != 0) step.apply(state);
    square.set_square(step);
    step = square;
  }
}

KILN_SHIM void skip_mrg(curandStateMRG32k3a* state, unsigned long long n, int first) {
  skip_recurrence<MrgMatrix1>(state->s1, n, first);
  skip_recurrence<MrgMatrix2>(state->s2, n, first);
}

}  // namespace kiln::curand_detail
