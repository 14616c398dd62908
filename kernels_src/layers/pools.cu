#include "kiln/params.h"

#include "../tiles/overlap.h"

// A work-item has `Count` neighbouring channels of a pixel, or one where the channels are no multiple of them.

using Index = long long;

struct Place {
  int channel, x, y, image;
};
template <int Count>
KILN_DEVICE Place place_of(Index i, int channels, int w, int h) {
  const int packs = channels / Count;
  const int x = int(i / packs % w);
  const int y = int(i / packs / w % h);
  return {int(i % packs) * Count, x, y, int(i / packs / w / h)};
}

/// Begins a launch that overlaps. x is not `__restrict__`: such loads need not stay behind the wait.
KILN_DEVICE void begin() {
  tiles::wait_for_launches_before();
  tiles::let_next_start();
}

// A loop over the channels of a work-item: registers of a GPU, vectors of a CPU. On a GPU many elements of a
// window are on their way at once.
#if defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP)
#define EACH_CHANNEL KILN_UNROLL_ALL
#define EACH_ROW KILN_UNROLL(4)
#define EACH_COLUMN KILN_UNROLL(8)
#else
#define EACH_CHANNEL KILN_SIMD
#define EACH_ROW
#define EACH_COLUMN
#endif

template <int Count, bool Average>
__device__ inline void pool(T* __restrict__ y, const T* x, Index i, const Params& p) {
  if (i >= (Index)p.batch * p.out_h * p.out_w * (p.c / Count)) return;
  const Place at = place_of<Count>(i, p.c, p.out_w, p.out_h);
  float best[Count];
  const float least = __uint_as_float(0xff800000u);  // minus infinity
  EACH_CHANNEL
  for (int e = 0; e < Count; ++e) best[e] = Average ? 0.0f : least;
  int taken = 0;
  // Without borders no load depends on a condition.
  const bool whole = p.padding == 0 && (p.out_h - 1) * p.stride + p.filter_h <= p.h &&
                     (p.out_w - 1) * p.stride + p.filter_w <= p.w;
  EACH_ROW
  for (int r = 0; r < p.filter_h; ++r) {
    const int row = at.y * p.stride + r - p.padding;
    if (!whole && (row < 0 || row >= p.h)) continue;
    EACH_COLUMN
    for (int s = 0; s < p.filter_w; ++s) {
      const int column = at.x * p.stride + s - p.padding;
      if (!whole && (column < 0 || column >= p.w)) continue;
      ++taken;
      const auto pack =
          kiln::load_pack<Count>(x + (((Index)at.image * p.h + row) * p.w + column) * p.c + at.channel);
      EACH_CHANNEL
      for (int e = 0; e < Count; ++e) {
        const float value = float(pack.at[e]);
        best[e] = Average ? best[e] + value : value > best[e] || value != value ? value : best[e];
      }
    }
  }
  if (p.count_padding) taken = p.filter_h * p.filter_w;
  kiln::Pack<T, Count> result;
  EACH_CHANNEL
  for (int e = 0; e < Count; ++e) result.at[e] = T(Average ? best[e] / float(taken) : best[e]);
  kiln::store_pack(y + i * Count, result);
}

/// With the number of channels that the workload's `pack` says.
template <bool Average>
__device__ inline void pool_packs(T* __restrict__ y, const T* x, const Params& p) {
  constexpr int some = 16 / int(sizeof(T));
  constexpr int many = Params::operation == 3 ? 16 * some : some;  // of a CPU's vectors
  if (p.c % many == 0) {
    pool<many, Average>(y, x, kiln::global_index_x(), p);
  } else if (p.c % some == 0) {
    pool<some, Average>(y, x, kiln::global_index_x(), p);
  } else {
    pool<1, Average>(y, x, kiln::global_index_x(), p);
  }
}

extern "C" __global__ void max_pool(T* __restrict__ y, const T* x, const Params p) {
  begin();
  pool_packs<false>(y, x, p);
}
extern "C" __global__ void average_pool(T* __restrict__ y, const T* x, const Params p) {
  begin();
  pool_packs<true>(y, x, p);
}
