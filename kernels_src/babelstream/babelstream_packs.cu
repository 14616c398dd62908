#include "kiln/params.h"

// A work-item moves `items` packs of `pack` neighbouring elements (`dot_packs` of them in dot), whose loads
// are all under way before the first of them is needed. A block's packs of one round lie side by side. A
// block takes one tile of block * pack * items elements, or with `blocks` every blocks-th tile.

constexpr int pack = Params::pack;
constexpr int items = Params::items;

using Elements = kiln::Pack<T, pack>;

__device__ inline Elements load(const T* __restrict__ from) {
  return Params::loads == 1 ? kiln::stream_load_pack<pack>(from)
                            : kiln::fetch_pack<pack, Params::fetch>(from);
}

__device__ inline void store(T* __restrict__ to, Elements elements) {
  if (Params::stores == 1) {
    kiln::stream_store_pack(to, elements);
  } else {
    kiln::store_pack(to, elements);
  }
}

// Calls whole(first) for each tile that lies within n, where the work-item's packs begin at first + r *
// stride, and single(i) for each of the work-item's elements in a tile that does not.
template <int Rounds, class Whole, class Single>
__device__ inline void for_each_tile(const Params p, int width, Whole whole, Single single) {
  const int stride = width * pack;
  const long long tile = (long long)stride * Rounds;
  for (long long begin = tile * blockIdx.x; begin < p.n; begin += tile * gridDim.x) {
    const long long first = begin + int(threadIdx.x) * pack;
    if (begin + tile <= p.n) {
      whole(first, stride);
      continue;
    }
    for (int r = 0; r < Rounds; ++r) {
      for (int e = 0; e < pack; ++e) {
        const long long i = first + (long long)r * stride + e;
        if (i < p.n) single(i);
      }
    }
  }
}

// out = f(x)
template <class Function>
__device__ inline void map(T* __restrict__ out, const T* __restrict__ x, const Params p, Function f) {
  for_each_tile<items>(
      p, p.block,
      [&](long long first, int stride) {
        Elements in[items];
        KILN_UNROLL_ALL
        for (int r = 0; r < items; ++r) in[r] = load(x + first + r * stride);
        KILN_UNROLL_ALL
        for (int r = 0; r < items; ++r) {
          Elements result;
          KILN_UNROLL_ALL
          for (int e = 0; e < pack; ++e) result.at[e] = f(in[r].at[e]);
          store(out + first + r * stride, result);
        }
      },
      [&](long long i) { out[i] = f(x[i]); });
}

// out = f(x, y)
template <class Function>
__device__ inline void map(T* __restrict__ out, const T* __restrict__ x, const T* __restrict__ y,
                           const Params p, Function f) {
  for_each_tile<items>(
      p, p.block,
      [&](long long first, int stride) {
        Elements left[items], right[items];
        KILN_UNROLL_ALL
        for (int r = 0; r < items; ++r) {
          left[r] = load(x + first + r * stride);
          right[r] = load(y + first + r * stride);
        }
        KILN_UNROLL_ALL
        for (int r = 0; r < items; ++r) {
          Elements result;
          KILN_UNROLL_ALL
          for (int e = 0; e < pack; ++e) result.at[e] = f(left[r].at[e], right[r].at[e]);
          store(out + first + r * stride, result);
        }
      },
      [&](long long i) { out[i] = f(x[i], y[i]); });
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_copy_packs copy_packs(T* __restrict__ c,
                                                                    const T* __restrict__ a, const Params p) {
  map(c, a, p, [](T x) { return x; });
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_mul_packs mul_packs(T* __restrict__ b, const T* __restrict__ c,
                                                                  const Params p) {
  map(b, c, p, [=](T x) { return p.scalar * x; });
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_add_packs add_packs(T* __restrict__ c, const T* __restrict__ a,
                                                                  const T* __restrict__ b, const Params p) {
  map(c, a, b, p, [](T x, T y) { return x + y; });
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_triad_packs triad_packs(T* __restrict__ a,
                                                                      const T* __restrict__ b,
                                                                      const T* __restrict__ c,
                                                                      const Params p) {
  map(a, b, c, p, [=](T x, T y) { return x + p.scalar * y; });
}

// The whole dot product in one launch: each block adds up its tiles; the block that arrives last adds up the
// blocks' sums in their order (`ordered`: the same bits each time), or takes what they have added to one
// number. It leaves block_sums[0] and arrivals as it found them, 0.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_dot_once dot_once(Sum* __restrict__ dot_sum, Sum* block_sums,
                                                                unsigned* arrivals, const T* __restrict__ a,
                                                                const T* __restrict__ b, const Params p) {
  constexpr int width = Params::dot_block;
  constexpr int rounds = Params::dot_packs;
  constexpr bool ordered = Params::dot_order == 0;
  const int item = int(threadIdx.x);

  Sum sums[rounds][pack] = {};
  for_each_tile<rounds>(
      p, width,
      [&](long long first, int stride) {
        Elements x[rounds], y[rounds];
        KILN_UNROLL_ALL
        for (int r = 0; r < rounds; ++r) {
          x[r] = load(a + first + r * stride);
          y[r] = load(b + first + r * stride);
        }
        KILN_UNROLL_ALL
        for (int r = 0; r < rounds; ++r) {
          KILN_UNROLL_ALL
          for (int e = 0; e < pack; ++e) sums[r][e] += Sum(x[r].at[e]) * Sum(y[r].at[e]);
        }
      },
      [&](long long i) { sums[0][0] += Sum(a[i]) * Sum(b[i]); });

  Sum sum = 0;
  for (int r = 0; r < rounds; ++r) {
    for (int e = 0; e < pack; ++e) sum += sums[r][e];
  }
  sum = kiln::block_reduce_sum<width>(sum, item);

  __shared__ bool last;
  if (item == 0) {
    if (ordered) {
      block_sums[blockIdx.x] = sum;
    } else {
      atomicAdd(block_sums, sum);
    }
    __threadfence();
    last = atomicAdd(arrivals, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;

  __threadfence();
  const volatile Sum* const others = block_sums;
  if (ordered) {
    sum = 0;
    for (int i = item; i < int(gridDim.x); i += width) sum += others[i];
    sum = kiln::block_reduce_sum<width>(sum, item);
  } else {
    sum = others[0];
  }
  if (item != 0) return;
  *dot_sum = sum;
  *arrivals = 0;
  if (!ordered) block_sums[0] = 0;
}
