#include "spmv_bulk.h"

// For rows whose entries lie near the diagonal but share few cache lines. A block stays, has neighbouring
// rows, and keeps in shared memory the elements of x around their diagonal, a window that moves on with the
// rows: column c stands at c % places. What lies outside the window is read from memory. The entries come
// through shared memory too, in pieces that are on their way while earlier ones are summed: they take nothing
// of the first-level cache, which has little left and whose lines gathers need. A team of `lanes` work-items
// sums a row; a group of rows has one for each team.

constexpr int block = Params::block;
constexpr int places = Params::places;
constexpr int steps = Params::items;  // of a team, whose elements of x are on their way at the same time
constexpr int stages = Params::stages;
constexpr int share = block * steps;  // entries of a piece at most
constexpr int stage_bytes = bytes_for<T>(share) + bytes_for<int>(share);

// The pieces of groups of rows, one after the other: entries [base, base + count()) of `group`.
struct Walk {
  const int* row_offsets;
  long long rows, group;
  int base, last, ahead;  // `last` is the end of the group, `ahead` that of the next one
  __device__ Walk(const int* offsets, long long all, long long first)
      : row_offsets(offsets), rows(all), group(first), base(offsets[first * teams]), last(end_of(first)),
        ahead(end_of(first + 1)) {}
  [[nodiscard]] __device__ int end_of(long long g) const {
    const long long row = (g + 1) * teams;
    return row_offsets[row < rows ? row : rows];
  }
  [[nodiscard]] __device__ int count() const { return last - base < share ? last - base : share; }
  [[nodiscard]] __device__ bool ends_group() const { return last - base <= share; }
  __device__ void advance() {
    if (ends_group()) {
      ++group;
      base = last;
      last = ahead;
      ahead = end_of(group + 1);
    } else {
      base += share;
    }
  }
};

struct Piece {
  Range<T> values;
  Range<int> columns;
  __device__ Piece(char* memory, const Walk& at, const T* all_values, const int* all_columns, int all)
      : values(memory, all_values, at.base, at.count(), all),
        columns(memory + bytes_for<T>(share), all_columns, at.base, at.count(), all) {}
};

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

// Entries [from, to) of a row. Neighbouring teams begin at other entries, so that they read other banks.
__device__ inline T sum_of(const Piece& piece, const Window& window, int from, int to) {
  const int lane = int(threadIdx.x) % lanes;
  const int shift = int(threadIdx.x) / lanes % steps;
  T sum = 0;
  for (int k = from + lane; k - lane < to; k += lanes * steps) {
    T value[steps];
    Element element[steps];
    KILN_UNROLL_ALL
    for (int s = 0; s < steps; ++s) {
      const int at = k + (s + shift < steps ? s + shift : s + shift - steps) * lanes;
      value[s] = at < to ? piece.values.at(at) : T(0);
      element[s].load(window, at < to ? piece.columns.at(at) : -1);
    }
    KILN_UNROLL_ALL
    for (int s = 0; s < steps; ++s) sum += value[s] * element[s].value();
  }
  return sum;
}

// Where the window ends that has the diagonal of this group of rows in its middle.
__device__ inline int wanted_end(long long group, const Params& p) {
  const long long middle = (group * teams + teams / 2) * p.columns / p.rows;
  const long long end = middle + places / 2 > places ? middle + places / 2 : places;
  return int(end < p.columns ? end : p.columns);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_band
spmv_band(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
          const T* __restrict__ values, const T* __restrict__ x, const Params p) {
  extern __shared__ __align__(128) char memory[];
  __shared__ Copies<stages> copies;
  T* const elements = reinterpret_cast<T*>(memory + stages * stage_bytes);
  const int tid = int(threadIdx.x);
  const long long groups = (p.rows - 1ll) / teams + 1;
  const long long behind = groups * (blockIdx.x + 1ll) / gridDim.x;
  Walk now(row_offsets, p.rows, groups * blockIdx.x / gridDim.x);
  Walk coming = now;
  copies.init();
  int high = wanted_end(now.group, p);
  for (int column = high - places + tid; column < high; column += block)
    elements[column % places] = x[column];
  __syncthreads();
  for (int stage = 0; stage < stages && coming.group < behind; ++stage, coming.advance()) {
    const Piece piece(memory + stage * stage_bytes, coming, values, column_indices, p.nonzeros);
    copies.begin(stage, piece.values, piece.columns);
  }
  T sum = 0;
  int stage = 0;
  for (unsigned n = 0; now.group < behind; now.advance()) {
    // Columns for the next rows come while these are summed, to places that no row reads now.
    const int wanted = wanted_end(now.ends_group() ? now.group + 1 : now.group, p);
    const int next = wanted < high + block ? (wanted > high ? wanted : high) : high + block;
    const T element = high + tid < next ? x[high + tid] : T(0);
    const long long row = now.group * teams + tid / lanes;
    const int begin = row < p.rows ? row_offsets[row] : now.last;
    const int end = row < p.rows ? row_offsets[row + 1] : now.last;
    const int low = next - places;
    const Window window = {elements, x, low, high, low % places};
    const Piece piece(memory + stage * stage_bytes, now, values, column_indices, p.nonzeros);
    copies.end(stage, n, piece.values, piece.columns);
    sum += sum_of(piece, window, begin > now.base ? begin : now.base,
                  end < now.base + now.count() ? end : now.base + now.count());
    if (now.ends_group()) {
      const T total = sum_of_team(sum);
      if (tid % lanes == 0 && row < p.rows) y[row] = total;
      sum = 0;
    }
    if (high + tid < next) elements[(high + tid) % places] = element;
    high = next;
    __syncthreads();
    if (coming.group < behind) {
      const Piece later(memory + stage * stage_bytes, coming, values, column_indices, p.nonzeros);
      copies.begin(stage, later.values, later.columns);
      coming.advance();
    }
    if (++stage == stages) {
      stage = 0;
      ++n;
    }
  }
}
