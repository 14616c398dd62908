#include "kiln/params.h"

// Matrices by formula. Rows of the grids are points, x fastest; their entries are in the order of columns.

namespace {

enum { plane5, cube7, cube27, elasticity, banded, rmat };  // `generator`

__device__ inline unsigned long long mixed(unsigned long long seed, unsigned long long n) {
  unsigned long long z = (n + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

// In [0, 1), a multiple of 2^-24, so that it is the same in both precisions.
__device__ inline double fraction(unsigned long long bits) {
  return double(bits >> 40) * (1.0 / 16777216);
}

// Points of a line that are a neighbour of point `at`, itself too; those of all points before.
__device__ inline long long near_of(long long at, long long n) {
  return 1 + (at > 0) + (at < n - 1);
}
__device__ inline long long near_before(long long at, long long n) {
  return at == 0 ? 0 : 3 * at - 1 - (at == n);
}

// Entries before point `r` of the five- or seven-point stencil: all but the neighbours that lie outside.
__device__ inline long long star_before(long long r, long long n, int dimensions) {
  const long long plane = n * n;
  const long long in_plane = r % plane;
  long long outside = 2 * (r / n) + (r % n > 0);
  outside +=
      r / plane * 2 * n + (in_plane < n ? in_plane : n) + (in_plane > plane - n ? in_plane - (plane - n) : 0);
  if (dimensions == 3)
    outside += (r < plane ? r : plane) + (r > plane * n - plane ? r - (plane * n - plane) : 0);
  return (2 * dimensions + 1) * r - outside;
}

// Entries before point `r` of the stencil with all 27 neighbours.
__device__ inline long long box_before(long long r, long long n) {
  const long long x = r % n, y = r / n % n, z = r / (n * n);
  const long long line = near_before(n, n);
  if (z == n) return line * line * line;
  return near_before(z, n) * line * line +
         near_of(z, n) * (near_before(y, n) * line + near_of(y, n) * near_before(x, n));
}

// R-MAT's expected numbers of entries: of a half's entries, 76 of 100 are in its first half of rows. Exact in
// integers.
__device__ inline long long rmat_before(long long row, int scale, long long entries) {
  if (row >> scale) return entries;
  long long before = 0;
  for (int bit = scale - 1; bit >= 0; --bit) {
    const long long low = entries * 76 / 100;
    if (row >> bit & 1) {
      before += low;
      entries -= low;
    } else {
      entries = low;
    }
  }
  return before;
}

// A column bit is 1 with 19 of 76 where the row's is 0, with 5 of 24 where it is 1 (a, b, c, d = 0.57, 0.19,
// 0.19, 0.05).
__device__ inline int rmat_column(long long row, int scale, unsigned long long seed, long long k) {
  int column = 0;
  for (int bit = scale - 1; bit >= 0; --bit) {
    const double u = fraction(mixed(seed + 7, (unsigned long long)k * 64 + (unsigned long long)bit));
    column = 2 * column + ((row >> bit & 1) ? u < 5.0 / 24 : u < 0.25);
  }
  return column;
}

}  // namespace

extern "C" __global__ void make_row_offsets(int* __restrict__ row_offsets, const Params p) {
  const long long row = kiln::global_index_x();
  if (row > p.rows) return;
  const long long n = p.extent;
  long long before = 0;
  switch (p.generator) {
    case plane5:
      before = star_before(row, n, 2);
      break;
    case cube7:
      before = star_before(row, n, 3);
      break;
    case cube27:
      before = box_before(row, n);
      break;
    case elasticity: {
      const long long point = row / 3;
      before = 9 * box_before(point, n);
      if (row % 3 > 0) before += row % 3 * 3 * (box_before(point + 1, n) - box_before(point, n));
      break;
    }
    case banded:
      before = row * p.per_row;
      break;
    default:
      before = rmat_before(row, p.extent, p.nonzeros);
  }
  row_offsets[row] = int(before);
}

extern "C" __global__ void make_column_indices(int* __restrict__ column_indices,
                                               const int* __restrict__ row_offsets, const Params p) {
  const long long row = kiln::global_index_x();
  if (row >= p.rows) return;
  int k = row_offsets[row];
  const int end = row_offsets[row + 1];
  if (p.generator == banded) {
    long long first = row - p.half_width;
    if (first < 0) first = 0;
    if (first > p.rows - 1 - 2 * (long long)p.half_width) first = p.rows - 1 - 2 * (long long)p.half_width;
    for (int j = 0; j < p.per_row; ++j) {
      const double u = fraction(mixed((unsigned long long)p.seed, (unsigned long long)(k + j)));
      column_indices[k + j] = int(first + (long long)((j + u) * (2.0 * p.half_width + 1) / p.per_row));
    }
    return;
  }
  if (p.generator == rmat) {
    for (; k < end; ++k) column_indices[k] = rmat_column(row, p.extent, (unsigned long long)p.seed, k);
    return;
  }
  const long long n = p.extent;
  const int freedoms = p.generator == elasticity ? 3 : 1;
  const long long point = row / freedoms;
  const long long x = point % n, y = point / n % n, z = p.generator == plane5 ? 0 : point / (n * n);
  const int deep = p.generator == plane5 ? 0 : 1;
  const bool star = p.generator == plane5 || p.generator == cube7;
  for (int dz = -deep; dz <= deep; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (star && dx * dx + dy * dy + dz * dz > 1) continue;
        if (x + dx < 0 || x + dx >= n || y + dy < 0 || y + dy >= n || z + dz < 0 || (deep && z + dz >= n))
          continue;
        for (int d = 0; d < freedoms; ++d)
          column_indices[k++] = int((point + (dz * n + dy) * n + dx) * freedoms + d);
      }
    }
  }
}

// Uniform in [-1, 1), multiples of 2^-23.
extern "C" __global__ void make_values(T* __restrict__ values, const Params p) {
  const long long k = kiln::global_index_x();
  if (k < p.nonzeros)
    values[k] = T(2 * fraction(mixed((unsigned long long)p.seed + 1, (unsigned long long)k)) - 1);
}
extern "C" __global__ void make_x(T* __restrict__ x, const Params p) {
  const long long k = kiln::global_index_x();
  if (k < p.columns) x[k] = T(2 * fraction(mixed((unsigned long long)p.seed + 2, (unsigned long long)k)) - 1);
}

// |y - the sum in double| over its bound: 4 eps sqrt(entries) times the sum of magnitudes, or 0 where they
// agree.
extern "C" __global__ void find_errors(double* __restrict__ errors, const T* __restrict__ y,
                                       const int* __restrict__ row_offsets,
                                       const int* __restrict__ column_indices, const T* __restrict__ values,
                                       const T* __restrict__ x, double epsilon, const Params p) {
  const long long row = kiln::global_index_x();
  if (row >= p.rows) return;
  double sum = 0;
  double magnitude = 0;
  for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {
    const double product = double(values[k]) * double(x[column_indices[k]]);
    sum += product;
    magnitude += product < 0 ? -product : product;
  }
  const double difference = double(y[row]) - sum;
  const double bound = 4 * epsilon * sqrt(double(row_offsets[row + 1] - row_offsets[row])) * magnitude;
  errors[row] = difference == 0 ? 0 : (difference < 0 ? -difference : difference) / bound;
}
