// z = alpha x + y in the type T, rounded once; products of bytes; vectors.
#include "kiln/params.h"

extern "C" __global__ void update(T* z, const T* x, const T* y, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) z[i] = T(fmaf(float(p.alpha), float(x[i]), float(y[i])));
}

// The random numbers that Kiln has filled `x` with on the host, made here: their bits are equal.
extern "C" __global__ void same_numbers(T* x, const Params p) {
  unsigned long long stream = 14695981039346656037ull;  // FNV-1a of the buffer's name
  stream = (stream ^ 'x') * 1099511628211ull;
  const long long i = kiln::global_index_x();
  if (i < p.n) x[i] = T(-2.0 + 4.0 * kiln::uniform01(p.seed, i, stream));
}

extern "C" __global__ void exact(double* z, const T* x, const T* y, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) z[i] = double(float(p.alpha)) * double(float(x[i])) + double(float(y[i]));
}

extern "C" __global__ void multiply_bytes(int* products, const signed char* a, const signed char* b, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) products[i] = a[i] * b[i];
}

extern "C" __global__ void three_times(int* products, const signed char* a, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) products[i] = 3 * a[i];
}

extern "C" __global__ void double_vectors(float4* out, const float4* in, const Params p) {
  const long long i = kiln::global_index_x();
  if (i >= p.n) return;
  const float4 v = in[i];
  out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

extern "C" __global__ void twice(float* out, const float* in, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < 4LL * p.n) out[i] = 2 * in[i];
}
