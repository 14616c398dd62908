#include "spmv.h"

constexpr int rows_each = Params::rows_each;

// A team of work-items for each row; `rows_each` rows of a team are on their way at the same time. With
// `stay` a block has many neighbouring rows, one group after the other, so that the part of x which they
// share stays in the first-level cache.
__device__ inline void multiply_group(T* __restrict__ y, const int* __restrict__ row_offsets,
                                      const int* __restrict__ column_indices, const T* __restrict__ values,
                                      const T* __restrict__ x, long long group, const Params& p) {
  const int lane = int(threadIdx.x) % lanes;
  const long long first = group * teams * rows_each + int(threadIdx.x) / lanes;
  int begin[rows_each], end[rows_each];
  T sum[rows_each];
  KILN_UNROLL_ALL
  for (int r = 0; r < rows_each; ++r) {
    const long long row = first + r * teams;
    begin[r] = row < p.rows ? row_offsets[row] + lane : 0;
    end[r] = row < p.rows ? row_offsets[row + 1] : 0;
    sum[r] = 0;
  }
  int steps = 0;
  KILN_UNROLL_ALL
  for (int r = 0; r < rows_each; ++r) steps = end[r] - begin[r] > steps ? end[r] - begin[r] : steps;
  KILN_UNROLL(2)
  for (int k = 0; k < steps; k += lanes) {
    T value[rows_each];
    int column[rows_each];
    KILN_UNROLL_ALL
    for (int r = 0; r < rows_each; ++r) {
      const int at = begin[r] + k;
      value[r] = at < end[r] ? once(values + at) : T(0);
      column[r] = at < end[r] ? once(column_indices + at) : -1;
    }
    KILN_UNROLL_ALL
    for (int r = 0; r < rows_each; ++r) {
      if (column[r] >= 0) sum[r] += value[r] * x[column[r]];
    }
  }
  KILN_UNROLL_ALL
  for (int r = 0; r < rows_each; ++r) {
    const T total = sum_of_team(sum[r]);
    const long long row = first + r * teams;
    if (lane == 0 && row < p.rows) y[row] = total;
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_vector
spmv_vector(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
            const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  const long long groups = (p.rows - 1) / (teams * rows_each) + 1;
  const long long behind = Params::stay ? groups * (blockIdx.x + 1ll) / gridDim.x : blockIdx.x + 1ll;
  for (long long group = Params::stay ? groups * blockIdx.x / gridDim.x : blockIdx.x; group < behind; ++group)
    multiply_group(y, row_offsets, column_indices, values, x, group, p);
}

constexpr int width = Params::block_size;
constexpr int steps = Params::items;

// Rows in groups of `width` whose entries are dense blocks of width x width: such rows lie side by side with
// the same columns, so that one number for each block stands for width^2 columns, and an element of x serves
// `width` rows. Entries of `items` steps are on their way at the same time: most rows have fewer steps than a loop that the
// compiler unrolls takes at once. `ahead`: those of the next steps, too, while a team adds.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_blocked
spmv_blocked(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ block_columns,
             const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  const int lane = int(threadIdx.x) % lanes;
  const long long group = (long long)blockIdx.x * teams + int(threadIdx.x) / lanes;
  const bool inside = group < p.rows / width;
  const int begin = inside ? row_offsets[group * width] : 0;
  const int length = inside ? row_offsets[group * width + 1] - begin : 0;
  const int* __restrict__ columns = block_columns + begin / (width * width);
  T sum[width] = {};
  struct Step {
    int column[steps];
    T value[steps][width];
  };
  const auto load = [&](Step& step, int first) {
    KILN_UNROLL_ALL
    for (int i = 0; i < steps; ++i) {
      const int k = first + i * lanes;
      step.column[i] = k < length ? once(columns + k / width) * width + k % width : -1;
      KILN_UNROLL_ALL
      for (int r = 0; r < width; ++r)
        step.value[i][r] = k < length ? once(values + begin + r * length + k) : T(0);
    }
  };
  Step here, next;
  if (Params::ahead) load(next, lane);
  for (int first = lane; first < length; first += steps * lanes) {
    if (Params::ahead) {
      here = next;
      load(next, first + steps * lanes);
    } else {
      load(here, first);
    }
    KILN_UNROLL_ALL
    for (int i = 0; i < steps; ++i) {
      const T factor = here.column[i] >= 0 ? x[here.column[i]] : T(0);
      KILN_UNROLL_ALL
      for (int r = 0; r < width; ++r) sum[r] += here.value[i][r] * factor;
    }
  }
  KILN_UNROLL_ALL
  for (int r = 0; r < width; ++r) {
    const T total = sum_of_team(sum[r]);
    if (lane == 0 && inside) y[group * width + r] = total;
  }
}

// The column of each block, in blocks.
extern "C" __global__ void find_block_columns(int* __restrict__ block_columns,
                                              const int* __restrict__ row_offsets,
                                              const int* __restrict__ column_indices, const Params p) {
  const long long group = kiln::global_index_x();
  if (group >= p.rows / width) return;
  const int begin = row_offsets[group * width];
  const int blocks = (row_offsets[group * width + 1] - begin) / width;
  for (int n = 0; n < blocks; ++n) {
    const int at = begin / (width * width) + n;
    if (at < p.nonzeros / (width * width)) block_columns[at] = column_indices[begin + n * width] / width;
  }
}

// 1 for a row that is not one of dense blocks.
extern "C" __global__ void find_loose_rows(int* __restrict__ loose, const int* __restrict__ row_offsets,
                                           const int* __restrict__ column_indices, const Params p) {
  const long long row = kiln::global_index_x();
  if (row >= p.rows) return;
  const int first = row_offsets[row / width * width];
  const int length = row_offsets[row / width * width + 1] - first;
  const int begin = row_offsets[row];
  bool wrong = row_offsets[row + 1] - begin != length || length % width != 0 || first % (width * width) != 0;
  for (int k = 0; k < length && !wrong; ++k) {
    const int column = column_indices[begin + k];
    wrong = column != column_indices[first + k] || column % width != k % width ||
            (k % width > 0 && column != column_indices[begin + k - 1] + 1);
  }
  loose[row] = wrong;
}
