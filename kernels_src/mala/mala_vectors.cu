#include "dense_order.h"

// For a CPU: a work-item takes Params::length rows, each_rows at a time, whose sums stay in vector registers.
constexpr int each_rows = Params::each_rows;
constexpr int vector_bytes = __BIGGEST_ALIGNMENT__;  // of the processor that is compiled for
constexpr int lanes = vector_bytes / 4;
typedef float Vector __attribute__((vector_size(vector_bytes), aligned(4)));
static_assert(16 % lanes == 0, "padding holds whole vectors");

/// to[row][n] = relu(bias[n] + sum over k of from[row][k] weights[k][n]) for Count vectors from `column` on.
template <int Count>
inline void columns_of(float* __restrict__ to, int to_pitch, const float* const (&from)[each_rows], int depth,
                       const float* __restrict__ weights, int pitch, const float* __restrict__ bias,
                       int column) {
  Vector sums[each_rows][Count];
  for (int v = 0; v < Count; ++v) {
    const Vector first = *reinterpret_cast<const Vector*>(bias + column + v * lanes);
    KILN_UNROLL_ALL
    for (int i = 0; i < each_rows; ++i) sums[i][v] = first;
  }
  for (int k = 0; k < depth; ++k) {
    Vector right[Count];
    for (int v = 0; v < Count; ++v)
      right[v] = *reinterpret_cast<const Vector*>(weights + k * pitch + column + v * lanes);
    KILN_UNROLL_ALL
    for (int i = 0; i < each_rows; ++i) {
      for (int v = 0; v < Count; ++v) sums[i][v] += from[i][k] * right[v];
    }
  }
  KILN_UNROLL_ALL
  for (int i = 0; i < each_rows; ++i) {
    for (int v = 0; v < Count; ++v) {
      const Vector zero = {};
      *reinterpret_cast<Vector*>(to + i * to_pitch + column + v * lanes) =
          sums[i][v] < zero ? zero : sums[i][v];  // NaN stays
    }
  }
}

template <int Columns>
inline void layer(float* to, int to_pitch, const float* const (&from)[each_rows], int depth,
                  const float* weights, int pitch, const float* bias) {
  constexpr int vectors = (Columns + lanes - 1) / lanes;
  for (int v = 0; v + 2 <= vectors; v += 2)
    columns_of<2>(to, to_pitch, from, depth, weights, pitch, bias, v * lanes);
  if (vectors % 2 == 1) columns_of<1>(to, to_pitch, from, depth, weights, pitch, bias, (vectors - 1) * lanes);
}

template <class E>
inline const float* in_float(float* to, const E* row) {
  for (int i = 0; i < inputs; ++i) to[i] = float(row[i]);
  return to;
}
inline const float* in_float(float*, const float* row) {
  return row;
}

extern "C" __global__ void mala_vectors(T* __restrict__ y, const T* __restrict__ x,
                                        const unsigned* __restrict__ packed, const Params p) {
  const float* weights = reinterpret_cast<const float*>(packed);
  const long long begin = (long long)blockIdx.x * p.length;
  const long long end = begin + p.length < p.rows ? begin + p.length : p.rows;
  for (long long row = begin; row < end; row += each_rows) {
    alignas(64) float units[each_rows][VectorOrder::units];
    alignas(64) float results[each_rows][VectorOrder::outs];
    float converted[each_rows][inputs];
    const float* from[each_rows];
    const float* between[each_rows];
    for (int i = 0; i < each_rows; ++i) {
      const long long at = row + i < end ? row + i : end - 1;  // rows behind the end are not stored
      from[i] = in_float(converted[i], x + at * inputs);
      between[i] = units[i];
    }
    layer<hidden>(units[0], VectorOrder::units, from, inputs, weights, VectorOrder::units,
                  weights + VectorOrder::bias1);
    layer<outputs>(results[0], VectorOrder::outs, between, hidden, weights + VectorOrder::second,
                   VectorOrder::outs, weights + VectorOrder::bias2);
    for (int i = 0; i < each_rows && row + i < end; ++i) {
      for (int o = 0; o < outputs; ++o) y[(row + i) * outputs + o] = T(results[i][o]);
    }
  }
}
