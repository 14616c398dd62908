#include "spmv.h"

// For rows whose entries lie near the diagonal but share few cache lines. A block stays, has neighbouring
// rows, and keeps in shared memory the elements of x around their diagonal, a window that moves on with the
// rows: column c stands at c % places. What lies outside the window is read from memory, so that the window
// may be narrower than the band. A team of `lanes` work-items sums a row.

constexpr int block = Params::block;
constexpr int places = Params::places;
constexpr int rows_each = Params::rows_each;
constexpr int steps = Params::items;  // of a team, whose entries are on their way at the same time
constexpr int per_pass = teams * rows_each;

// The columns [low, high) of x, where `turn` is low % places.
struct Window {
  const T* elements;
  const T* all;
  int low, high, turn;
};

// An element of x: both loads are without a branch, so that none waits for another.
struct Element {
  T near, far;
  bool inside;
  __device__ void load(const Window& window, int column) {
    const unsigned offset = unsigned(column) - unsigned(window.low);
    inside = offset < unsigned(window.high - window.low);
    const unsigned place = offset + unsigned(window.turn);
    near = window.elements[!inside ? 0 : place < unsigned(places) ? place : place - unsigned(places)];
    far = !inside && column >= 0 ? window.all[column] : T(0);
  }
  [[nodiscard]] __device__ T value() const { return inside ? near : far; }
};

struct Teams {
  int begin[rows_each], end[rows_each];  // of each row of this work-item's team
};

__device__ inline Teams load_rows(const int* __restrict__ row_offsets, long long first, long long behind) {
  Teams rows;
  KILN_UNROLL_ALL
  for (int r = 0; r < rows_each; ++r) {
    const long long row = first + r * teams + int(threadIdx.x) / lanes;
    rows.begin[r] = row < behind ? row_offsets[row] + int(threadIdx.x) % lanes : 0;
    rows.end[r] = row < behind ? row_offsets[row + 1] : 0;
  }
  return rows;
}

__device__ inline int steps_of(const Teams& rows) {
  int most = 0;
  KILN_UNROLL_ALL
  for (int r = 0; r < rows_each; ++r)
    most = rows.end[r] - rows.begin[r] > most ? rows.end[r] - rows.begin[r] : most;
  return most;
}

__device__ inline void add_products(T (&sum)[rows_each], const Teams& rows, const int* __restrict__ column_indices,
                                    const T* __restrict__ values, const Window& window) {
  const int most = steps_of(rows);
  for (int k = 0; k < most; k += lanes * steps) {
    T value[steps][rows_each];
    int column[steps][rows_each];
    KILN_UNROLL_ALL
    for (int s = 0; s < steps; ++s) {
      KILN_UNROLL_ALL
      for (int r = 0; r < rows_each; ++r) {
        const int at = rows.begin[r] + k + s * lanes;
        column[s][r] = at < rows.end[r] ? once(column_indices + at) : -1;
        value[s][r] = at < rows.end[r] ? once(values + at) : T(0);
      }
    }
    Element element[steps][rows_each];
    KILN_UNROLL_ALL
    for (int s = 0; s < steps; ++s) {
      KILN_UNROLL_ALL
      for (int r = 0; r < rows_each; ++r) element[s][r].load(window, column[s][r]);
    }
    KILN_UNROLL_ALL
    for (int s = 0; s < steps; ++s) {
      KILN_UNROLL_ALL
      for (int r = 0; r < rows_each; ++r) sum[r] += value[s][r] * element[s][r].value();
    }
  }
}

// Rows [first, behind), per_pass at a time.
__device__ inline void multiply_rows(T* __restrict__ y, const int* __restrict__ row_offsets,
                                     const int* __restrict__ column_indices, const T* __restrict__ values,
                                     const Window& window, long long first, long long behind) {
  Teams rows = load_rows(row_offsets, first, behind);
  for (; first < behind; first += per_pass) {
    const Teams next = load_rows(row_offsets, first + per_pass, behind);
    T sum[rows_each] = {};
    add_products(sum, rows, column_indices, values, window);
    KILN_UNROLL_ALL
    for (int r = 0; r < rows_each; ++r) {
      const T total = sum_of_team(sum[r]);
      const long long row = first + r * teams + int(threadIdx.x) / lanes;
      if (int(threadIdx.x) % lanes == 0 && row < behind) y[row] = total;
    }
    rows = next;
  }
}

// Where the window ends that has the diagonal of this group of rows in its middle.
__device__ inline int wanted_end(long long group, const Params& p) {
  const long long middle = (group * block + block / 2) * p.columns / p.rows;
  const long long end = middle + places / 2 > places ? middle + places / 2 : places;
  return int(end < p.columns ? end : p.columns);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_window
spmv_window(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
            const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  extern __shared__ __align__(16) char memory[];
  T* const elements = reinterpret_cast<T*>(memory);
  const long long groups = (p.rows - 1ll) / block + 1;
  const long long behind = groups * (blockIdx.x + 1ll) / gridDim.x;
  long long group = groups * blockIdx.x / gridDim.x;
  int high = wanted_end(group, p);
  for (int column = high - places + int(threadIdx.x); column < high; column += block)
    elements[column % places] = x[column];
  __syncthreads();
  for (; group < behind; ++group) {
    // Columns for the next rows come while these are summed, to places that no row reads now.
    const int wanted = group + 1 < behind ? wanted_end(group + 1, p) : high;
    constexpr int most = block < places ? block : places;  // no more than the window holds
    const int next = wanted < high + most ? wanted : high + most;
    const int coming = high + int(threadIdx.x);
    const T element = coming < next ? x[coming] : T(0);
    const int low = next - places;
    const Window window = {elements, x, low, high, low % places};
    const long long last = (group + 1) * block;
    multiply_rows(y, row_offsets, column_indices, values, window, group * block, last < p.rows ? last : p.rows);
    if (coming < next) elements[coming % places] = element;
    high = next;
    __syncthreads();
  }
}
