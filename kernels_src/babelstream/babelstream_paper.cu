#include "kiln/params.h"

// The published dot: a fixed number of blocks step through the arrays, each work-item with one sum; a tree in
// shared memory leaves one sum for each block, and adding those up is the second pass.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_dot_paper dot_paper(Sum* __restrict__ paper_partials,
                                                                  const T* __restrict__ a,
                                                                  const T* __restrict__ b, const Params p) {
  constexpr int width = Params::dot_block;
  __shared__ Sum sums[width];
  const int item = int(threadIdx.x);
  sums[item] = 0;
  for (long long i = kiln::global_index_x(); i < p.n; i += kiln::global_size_x())
    sums[item] += Sum(a[i]) * Sum(b[i]);
  for (int half = width / 2; half > 0; half /= 2) {
    __syncthreads();
    if (item < half) sums[item] += sums[item + half];
  }
  if (item == 0) paper_partials[blockIdx.x] = sums[0];
}
