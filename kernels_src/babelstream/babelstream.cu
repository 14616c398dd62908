#include "kiln/params.h"

extern "C" __global__ void KILN_LAUNCH_BOUNDS_copy copy(T* __restrict__ c, const T* __restrict__ a,
                                                        const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) c[i] = a[i];
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_mul mul(T* __restrict__ b, const T* __restrict__ c,
                                                      const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) b[i] = p.scalar * c[i];
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_add add(T* __restrict__ c, const T* __restrict__ a,
                                                      const T* __restrict__ b, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) c[i] = a[i] + b[i];
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_triad triad(T* __restrict__ a, const T* __restrict__ b,
                                                          const T* __restrict__ c, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) a[i] = b[i] + p.scalar * c[i];
}

// A block sums dot_block * dot_items neighbouring elements into partials[block]. Each work-item keeps
// dot_lanes sums, so that additions do not wait for each other; a lane's step is 1 (blocked) or the block's
// width (strided, coalesced).
extern "C" __global__ void KILN_LAUNCH_BOUNDS_dot dot(Sum* __restrict__ partials, const T* __restrict__ a,
                                                      const T* __restrict__ b, const Params p) {
  constexpr int width = Params::dot_block;
  constexpr int lanes = Params::dot_lanes;
  constexpr bool blocked = Params::dot_layout == 0;
  constexpr int lane_step = blocked ? 1 : width;
  const int item = int(threadIdx.x);

  const long long tile = (long long)width * p.dot_items;
  const long long begin = tile * blockIdx.x;
  const long long rest = p.n - begin;
  const int extent = int(rest < tile ? rest : tile);  // of this block
  const T* __restrict__ x = a + begin;
  const T* __restrict__ y = b + begin;

  const int first = blocked ? item * p.dot_items : item;
  const int own_end = blocked ? first + p.dot_items : extent;
  const int last = own_end < extent ? own_end : extent;

  Sum sums[lanes] = {};
  int i = first;
  for (; i + (lanes - 1) * lane_step < last; i += lanes * lane_step) {
    for (int lane = 0; lane < lanes; ++lane) {
      sums[lane] += Sum(x[i + lane * lane_step]) * Sum(y[i + lane * lane_step]);
    }
  }
  for (; i < last; i += lane_step) sums[0] += Sum(x[i]) * Sum(y[i]);

  Sum sum = 0;
  for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];

  sum = kiln::block_reduce_sum<width>(sum, item);
  if (item == 0) partials[blockIdx.x] = sum;
}
