#include "spmv_bulk.h"

constexpr int width = Params::block_size;
constexpr int share = Params::block * Params::items;

// Rows in groups of `width` whose entries are dense blocks of width x width: such rows lie side by side with
// the same columns, so that one number for each block stands for width^2 columns, and an element of x serves
// `width` rows. The entries of a block's groups are copied to shared memory as they are.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_bricks
spmv_bricks(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ block_columns,
            const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  extern __shared__ __align__(128) char memory[];
  __shared__ Copies<1> copies;
  const int lane = int(threadIdx.x) % lanes;
  const int groups = p.rows / width;
  const int first_group = int(blockIdx.x) * teams;
  const int behind = first_group + teams < groups ? first_group + teams : groups;
  const int group = first_group + int(threadIdx.x) / lanes;
  const bool inside = group < groups;
  const int first = row_offsets[first_group * width];
  const int last = row_offsets[behind * width];
  copies.init();
  __syncthreads();
  const int begin = inside ? row_offsets[group * width] : last;
  const int length = inside ? row_offsets[group * width + 1] - begin : 0;
  T sum[width] = {};
  if (last - first <= share) {
    const Range<T> near_values(memory, values, first, last - first, p.nonzeros);
    const Range<int> near_columns(memory + bytes_for<T>(share), block_columns, first / (width * width),
                                  (last - first) / (width * width), p.nonzeros / (width * width));
    copies.begin(0, near_values, near_columns);
    copies.end(0, 0, near_values, near_columns);
    KILN_UNROLL(4)
    for (int k = lane; k < length; k += lanes) {
      const T factor = x[near_columns.at(begin / (width * width) + k / width) * width + k % width];
      KILN_UNROLL_ALL
      for (int r = 0; r < width; ++r) sum[r] += near_values.at(begin + r * length + k) * factor;
    }
  } else {
    for (int k = lane; k < length; k += lanes) {
      const T factor = x[block_columns[begin / (width * width) + k / width] * width + k % width];
      KILN_UNROLL_ALL
      for (int r = 0; r < width; ++r) sum[r] += values[begin + r * length + k] * factor;
    }
  }
  KILN_UNROLL_ALL
  for (int r = 0; r < width; ++r) {
    const T total = sum_of_team(sum[r]);
    if (lane == 0 && inside) y[group * width + r] = total;
  }
}
