#include "batched_loops.h"

namespace kiln::bench {
namespace {

template <int N, class T>
void multiply_all(T* __restrict__ d, const T* __restrict__ a, const T* __restrict__ b, long batch) {
#pragma omp parallel for schedule(static)
  for (long at = 0; at < batch; ++at) {
    for (int i = 0; i < N; ++i) {
      T sums[N] = {};
      for (int l = 0; l < N; ++l) {
        for (int j = 0; j < N; ++j) sums[j] += a[(at * N + i) * N + l] * b[(at * N + l) * N + j];
      }
      for (int j = 0; j < N; ++j) d[(at * N + i) * N + j] = sums[j];
    }
  }
}

template <class T>
void multiply_of_size(T* d, const T* a, const T* b, int n, long batch) {
  switch (n) {
    case 4:
      return multiply_all<4>(d, a, b, batch);
    case 8:
      return multiply_all<8>(d, a, b, batch);
    case 16:
      return multiply_all<16>(d, a, b, batch);
    default:
      return multiply_all<32>(d, a, b, batch);
  }
}

}  // namespace

void multiply_batch(float* d, const float* a, const float* b, int n, long batch) {
  multiply_of_size(d, a, b, n, batch);
}
void multiply_batch(double* d, const double* a, const double* b, int n, long batch) {
  multiply_of_size(d, a, b, n, batch);
}

}  // namespace kiln::bench
