#include "spmv.h"

// For matrices of which few columns have many of the entries and rows differ much in length. Blocks stay and
// keep the elements of x of the most frequent columns in shared memory. Each warp has its own span of the
// entries, whatever the rows, so that no warp waits for another; a row that a span does not end is carried to
// the next ones, and add_carries adds what they have of it.
//
// When the matrix is made, the column of each entry becomes a code: a column's number or the place of its
// element in shared memory, and whether the entry is the last of its row. Rows with entries are listed, so
// that the n-th last entry is that of the n-th listed row; the rows without entries follow in the list.

constexpr unsigned kHot = 1u << 31;
constexpr unsigned kLast = 1u << 30;
constexpr int block = Params::block;
constexpr int items = Params::items;
constexpr int kWarp = block < kiln::warp_size ? block : kiln::warp_size;
constexpr int chunk = kWarp * items;
constexpr unsigned kNowhere = kHot | unsigned(Params::places);  // behind the places stands 0

// A bit for each lane.
#if defined(KILN_BACKEND_HIP)
using Mask = unsigned long long;
__device__ inline Mask lanes_where(bool condition) {
  return __ballot(condition);
}
__device__ inline int count_of(Mask mask) {
  return __popcll(mask);
}
__device__ inline int first_of(Mask mask) {
  return __ffsll((long long)mask) - 1;
}
#else
using Mask = unsigned;
__device__ inline Mask lanes_where(bool condition) {
  return __ballot_sync(0xffffffffu, condition);
}
__device__ inline int count_of(Mask mask) {
  return __popc(mask);
}
__device__ inline int first_of(Mask mask) {
  return __ffs(int(mask)) - 1;
}
#endif

template <class V>
__device__ inline V sum_of_warp(V value) {
  KILN_UNROLL_ALL
  for (int d = kWarp / 2; d > 0; d /= 2) value += kiln::shuffle_xor(value, d);
  return value;
}

// Entries of a warp: lane l has those at l, l + kWarp, ...
struct Chunk {
  unsigned code[items];
  T value[items];
};

__device__ inline Chunk load_chunk(const unsigned* __restrict__ codes, const T* __restrict__ values, int from,
                                   int end, int lane) {
  Chunk loaded;
  KILN_UNROLL_ALL
  for (int n = 0; n < items; ++n) {
    const int k = from + n * kWarp + lane;
    loaded.code[n] = k < end ? once(codes + k) : kNowhere;
    loaded.value[n] = k < end ? once(values + k) : T(0);
  }
  return loaded;
}

// Adds one product of each lane to the rows in whose order they stand. `lasts` are the lanes with the last
// entry of a row, `row` is the row of which this lane has the first product here, if it ends here, else -1.
// `open` are the lanes' parts of the row that goes on.
__device__ inline void add_to_rows(T& open, T* __restrict__ y, T product, Mask lasts, int row, int lane) {
  if (lasts == 0) {
    open += product;
    return;
  }
  const int first = first_of(lasts);
  T sum = sum_of_warp(open + (lane <= first ? product : T(0)));
  if ((lasts & (lasts - 1)) != 0) {
    const Mask above = lasts >> lane;
    const int stop = above != 0 ? lane + first_of(above) : lane;
    T part = product;
    KILN_UNROLL_ALL
    for (int d = 1; d < kWarp; d *= 2) {
      const T other = kiln::shuffle_down(part, d);
      if (lane + d <= stop) part += other;
    }
    if (lane > first) sum = part;
  }
  if (row >= 0) y[row] = sum;
  open = (lasts >> lane) == 0 ? product : T(0);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_spmv_hot
spmv_hot(T* __restrict__ y, int* __restrict__ carry_rows, T* __restrict__ carries,
         const int* __restrict__ span_rows, const int* __restrict__ row_list,
         const unsigned* __restrict__ codes, const int* __restrict__ hot_columns,
         const T* __restrict__ values, const T* __restrict__ x, int spans, int span, const Params p) {
  extern __shared__ __align__(16) char memory[];
  T* const hot = reinterpret_cast<T*>(memory);
  const int tid = int(threadIdx.x);
  const int lane = tid % kWarp;
  const Mask below = (Mask(1) << lane) - 1;
  for (int place = tid; place < Params::places; place += block) hot[place] = x[hot_columns[place]];
  if (tid == 0) hot[Params::places] = 0;
  for (long long n = row_list[p.rows] + kiln::global_index_x(); n < p.rows; n += kiln::global_size_x())
    y[row_list[n]] = 0;
  __syncthreads();
  const int warps = int(gridDim.x) * (block / kWarp);
  for (int which = int(blockIdx.x) * (block / kWarp) + tid / kWarp; which < spans; which += warps) {
    const int begin = which * span;
    const int end = p.nonzeros - begin < span ? p.nonzeros : begin + span;
    int listed = span_rows[which];
    T open = 0;
    Chunk now = load_chunk(codes, values, begin, end, lane);
    for (int at = begin; at < end; at += chunk) {
      Mask lasts[items];
      int row[items];
      T near[items], far[items];  // loads of both kinds, each without a branch, so that none waits for another
      KILN_UNROLL_ALL
      for (int n = 0; n < items; ++n) {
        const unsigned code = now.code[n];
        lasts[n] = lanes_where((code & kLast) != 0);
        const bool leads = (lane == 0 || (lasts[n] >> (lane - 1) & 1) != 0) && lasts[n] >> lane != 0;
        row[n] = leads ? row_list[listed + count_of(lasts[n] & below)] : -1;
        listed += count_of(lasts[n]);
        near[n] = hot[((code & kHot) != 0 ? code : kNowhere) & (kLast - 1)];
        far[n] = (code & kHot) == 0 ? x[code & (kLast - 1)] : T(0);
      }
      const Chunk next = load_chunk(codes, values, at + chunk, end, lane);
      KILN_UNROLL_ALL
      for (int n = 0; n < items; ++n) {
        const T factor = (now.code[n] & kHot) != 0 ? near[n] : far[n];
        add_to_rows(open, y, now.value[n] * factor, lasts[n], row[n], lane);
      }
      now = next;
    }
    open = sum_of_warp(open);
    if (lane == 0) {
      carry_rows[which] = (codes[end - 1] & kLast) != 0 ? -1 : row_list[listed];
      carries[which] = open;
    }
  }
}

// What a matrix is analysed for once is made by one block where it has to wait for itself.

constexpr int analysts = 1024;
constexpr int kCounted = 8 << 20;
constexpr int bins = 4096;  // of numbers of entries; larger ones are in the last

// Of every n-th entry: some millions are enough to find the frequent columns.
extern "C" __global__ void count_entries(int* __restrict__ counts, const int* __restrict__ column_indices,
                                         const Params p) {
  for (int column = int(threadIdx.x); column < p.columns; column += analysts) counts[column] = 0;
  __syncthreads();
  const int every = p.nonzeros / kCounted + 1;
  for (long long k = (long long)threadIdx.x * every; k < p.nonzeros; k += (long long)analysts * every)
    atomicAdd(counts + column_indices[k], 1);
}

// Those with at least `least` entries, which are as many as there are places, or some more.
extern "C" __global__ void find_hot_columns(int* __restrict__ hot_columns, const int* __restrict__ counts,
                                            const Params p) {
  __shared__ int columns_of[bins];
  __shared__ int least, taken;
  const int tid = int(threadIdx.x);
  for (int bin = tid; bin < bins; bin += analysts) columns_of[bin] = 0;
  for (int place = tid; place < Params::places; place += analysts) hot_columns[place] = 0;
  __syncthreads();
  for (int column = tid; column < p.columns; column += analysts)
    atomicAdd(columns_of + (counts[column] < bins ? counts[column] : bins - 1), 1);
  __syncthreads();
  if (tid == 0) {
    int bin = bins - 1;
    for (int all = columns_of[bin]; all < Params::places && bin > 2;) all += columns_of[--bin];
    least = bin;
    taken = 0;
  }
  __syncthreads();
  for (int column = tid; column < p.columns; column += analysts) {
    if (counts[column] < least) continue;
    const int place = atomicAdd(&taken, 1);
    if (place < Params::places) hot_columns[place] = column;
  }
}

extern "C" __global__ void make_codes(unsigned* __restrict__ codes, const int* __restrict__ hot_columns,
                                      const Params p) {
  for (int column = int(threadIdx.x); column < p.columns; column += analysts) codes[column] = unsigned(column);
  __syncthreads();
  for (int place = int(threadIdx.x); place < Params::places; place += analysts)
    codes[hot_columns[place]] = kHot | unsigned(place);
}

// How many of the sorted numbers from `first` on are at most `limit`.
template <class Number>
__device__ inline int at_most(int numbers, int limit, const Number& number) {
  int low = 0;
  int high = numbers;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (number(middle) <= limit) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

extern "C" __global__ void make_column_codes(unsigned* __restrict__ column_codes,
                                             const unsigned* __restrict__ codes,
                                             const int* __restrict__ row_offsets,
                                             const int* __restrict__ column_indices, const Params p) {
  const long long k = kiln::global_index_x();
  if (k >= p.nonzeros) return;
  const int begun = at_most(p.rows + 1, int(k) + 1, [&](int row) { return row_offsets[row]; });
  const bool last = row_offsets[begun - 1] == int(k) + 1;
  column_codes[k] = codes[column_indices[k]] | (last ? kLast : 0);
}

// The rows with entries, then those without, each in their order; their number is the last element.
extern "C" __global__ void list_rows(int* __restrict__ row_list, const int* __restrict__ row_offsets,
                                     const Params p) {
  __shared__ int before[analysts + 1];
  const int tid = int(threadIdx.x);
  const int first = int((long long)p.rows * tid / analysts);
  const int behind = int((long long)p.rows * (tid + 1) / analysts);
  int filled = 0;
  for (int row = first; row < behind; ++row) filled += row_offsets[row + 1] > row_offsets[row];
  before[tid + 1] = filled;
  __syncthreads();
  if (tid == 0) {
    before[0] = 0;
    for (int n = 1; n <= analysts; ++n) before[n] += before[n - 1];
    row_list[p.rows] = before[analysts];
  }
  __syncthreads();
  int place = before[tid];
  int empty = before[analysts] + first - place;
  for (int row = first; row < behind; ++row)
    row_list[row_offsets[row + 1] > row_offsets[row] ? place++ : empty++] = row;
}

// Rows that end before each span.
extern "C" __global__ void find_span_rows(int* __restrict__ span_rows, const int* __restrict__ row_list,
                                          const int* __restrict__ row_offsets, int spans, int span,
                                          const Params p) {
  const long long which = kiln::global_index_x();
  if (which >= spans) return;
  span_rows[which] = at_most(row_list[p.rows], int(which * span),
                             [&](int n) { return row_offsets[row_list[n] + 1]; });
}
