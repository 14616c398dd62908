// CUDA's complex numbers. Sizes and quotients are scaled, so that squares of large numbers do not overflow.
#define KILN_COMPLEX(Real, Pair, Complex, suffix, fabs, sqrt)                          \
  typedef Pair Complex;                                                                \
  __host__ __device__ inline Real cuCreal##suffix(Complex x) {                         \
    return x.x;                                                                        \
  }                                                                                    \
  __host__ __device__ inline Real cuCimag##suffix(Complex x) {                         \
    return x.y;                                                                        \
  }                                                                                    \
  __host__ __device__ inline Complex make_##Complex(Real x, Real y) {                  \
    return make_##Pair(x, y);                                                          \
  }                                                                                    \
  __host__ __device__ inline Complex cuConj##suffix(Complex x) {                       \
    return make_##Pair(x.x, -x.y);                                                     \
  }                                                                                    \
  __host__ __device__ inline Complex cuCadd##suffix(Complex a, Complex b) {            \
    return make_##Pair(a.x + b.x, a.y + b.y);                                          \
  }                                                                                    \
  __host__ __device__ inline Complex cuCsub##suffix(Complex a, Complex b) {            \
    return make_##Pair(a.x - b.x, a.y - b.y);                                          \
  }                                                                                    \
  __host__ __device__ inline Complex cuCmul##suffix(Complex a, Complex b) {            \
    return make_##Pair(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                  \
  }                                                                                    \
  __host__ __device__ inline Complex cuCdiv##suffix(Complex a, Complex b) {            \
    const Real one = 1;                                                                \
    const Real scale = one / (fabs(b.x) + fabs(b.y));                                  \
    const Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale; \
    const Real norm = one / (bx * bx + by * by);                                       \
    return make_##Pair((ax * bx + ay * by) * norm, (ay * bx - ax * by) * norm);        \
  }                                                                                    \
  __host__ __device__ inline Real cuCabs##suffix(Complex a) {                          \
    const Real x = fabs(a.x), y = fabs(a.y);                                           \
    const Real large = x > y ? x : y, small = x > y ? y : x;                           \
    if (small == 0 || large + large == large) return large + small;                    \
    const Real ratio = small / large, one = 1;                                         \
    return large * sqrt(one + ratio * ratio);                                          \
  }                                                                                    \
  __host__ __device__ inline Complex cuCfma##suffix(Complex a, Complex b, Complex c) { \
    return make_##Pair(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);      \
  }
KILN_COMPLEX(float, float2, cuFloatComplex, f, fabsf, sqrtf)
KILN_COMPLEX(double, double2, cuDoubleComplex, , fabs, sqrt)
#undef KILN_COMPLEX
typedef cuFloatComplex cuComplex;
__host__ __device__ inline cuComplex make_cuComplex(float x, float y) {
  return make_float2(x, y);
}
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_double2(a.x, a.y);
}
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_float2(static_cast<float>(a.x), static_cast<float>(a.y));
}
