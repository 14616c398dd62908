#include "kiln/params.h"

// A work-item marches up a column of `vector` x `rows` points, `tile_z` planes high. It holds the planes
// below, at and above the current one in registers, and has those up to `ahead` planes above on their way:
// each element of u comes from memory once, apart from the edges of the tiles. The neighbours along y are
// loaded with the plane; those along x come from the neighbouring work-items' registers, or from the cache.

constexpr int vector = Params::vector;
constexpr int rows = Params::rows;
constexpr int ahead = Params::ahead;
constexpr int stages = ahead + 2;  // below, center, above, and what is on its way
constexpr bool by_shuffle = Params::neighbors == 0;

using Elements = kiln::Pack<T, vector>;

// What a work-item sees of a plane: its rows and the two beside them, and beside each of its rows an element
// to the left and to the right.
struct Slice {
  Elements row[rows + 2];
  T left[rows], right[rows];
};

struct Column {
  int row_offset[rows + 2];  // of the slice's rows, from the work-item's first element
  int left_offset, right_offset;
  bool first_lane, last_lane;  // whose x neighbour is no lane of the same row in this warp
};

__device__ inline void load_slice(Slice& slice, const T* __restrict__ at, const Column& column) {
  KILN_UNROLL_ALL
  for (int r = 0; r < rows + 2; ++r) slice.row[r] = kiln::load_pack<vector>(at + column.row_offset[r]);
  KILN_UNROLL_ALL
  for (int r = 0; r < rows; ++r) {
    const T* __restrict__ row = at + column.row_offset[r + 1];
    if (!by_shuffle || column.first_lane) slice.left[r] = row[column.left_offset];
    if (!by_shuffle || column.last_lane) slice.right[r] = row[column.right_offset];
  }
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian_columns laplacian_columns(T* __restrict__ f,
                                                                                  const T* __restrict__ u,
                                                                                  const Params p) {
  const int i = (int(blockIdx.x) * p.block_x + int(threadIdx.x)) * vector;
  const int j = 1 + (int(blockIdx.y) * p.block_y + int(threadIdx.y)) * rows;
  const int k_begin = 1 + int(blockIdx.z) * p.tile_z;
  const int k_limit = k_begin + p.tile_z;
  const int k_end = k_limit < p.nz - 1 ? k_limit : p.nz - 1;

  const T ax = T(p.nx - 1) * T(p.nx - 1);  // 1 / h^2 with h = 1 / (n - 1)
  const T ay = T(p.ny - 1) * T(p.ny - 1);
  const T az = T(p.nz - 1) * T(p.nz - 1);
  const T center = -2 * (ax + ay + az);

  // Work-items beyond the grid load what the last ones load, and store nothing.
  const int i_load = i < p.nx ? i : p.nx - vector;
  const int j_load = j < p.ny - 1 ? j : p.ny - 2;
  Column column;
  KILN_UNROLL_ALL
  for (int r = 0; r < rows + 2; ++r) {
    const int wanted = j_load - 1 + r;
    column.row_offset[r] = ((wanted < p.ny ? wanted : p.ny - 1) - j_load) * p.nx;
  }
  column.left_offset = i_load > 0 ? -1 : 0;
  column.right_offset = i_load + vector < p.nx ? vector : vector - 1;
  const int lane = (int(threadIdx.y) * p.block_x + int(threadIdx.x)) % kiln::warp_size;
  column.first_lane = lane == 0 || threadIdx.x == 0;
  column.last_lane = lane == kiln::warp_size - 1 || int(threadIdx.x) == p.block_x - 1;

  const long long plane = (long long)p.nx * p.ny;
  const long long start = plane * (k_begin - 1) + (long long)j_load * p.nx + i_load;
  const T* __restrict__ next = u + start;  // the next plane to load
  T* __restrict__ out = f + start + plane;

  Slice slices[stages] = {};
  int k_next = k_begin - 1;
  KILN_UNROLL_ALL
  for (int s = 0; s < stages - 1; ++s, ++k_next, next += plane) {
    if (k_next <= k_end) load_slice(slices[s], next, column);
  }

  for (int k_round = k_begin; k_round < k_end; k_round += stages) {
    // Plane k - 1 is in slice s: the slices change their parts without being moved.
    KILN_UNROLL_ALL
    for (int s = 0; s < stages; ++s) {
      const int k = k_round + s;
      if (k >= k_end) break;
      if (k_next <= k_end) load_slice(slices[(s + stages - 1) % stages], next, column);
      ++k_next;
      next += plane;
      const Slice& below = slices[s];
      const Slice& here = slices[(s + 1) % stages];
      const Slice& above = slices[(s + 2) % stages];
      KILN_UNROLL_ALL
      for (int r = 0; r < rows; ++r) {
        const Elements c = here.row[r + 1];
        T left = here.left[r];
        T right = here.right[r];
        if (by_shuffle) {
          const T from_left = kiln::shuffle_up(c.at[vector - 1], 1);
          const T from_right = kiln::shuffle_down(c.at[0], 1);
          if (!column.first_lane) left = from_left;
          if (!column.last_lane) right = from_right;
        }
        Elements result;
        KILN_UNROLL_ALL
        for (int e = 0; e < vector; ++e) {
          const T west = e > 0 ? c.at[e - 1 + (e == 0)] : left;
          const T east = e < vector - 1 ? c.at[e + (e < vector - 1)] : right;
          result.at[e] = c.at[e] * center + (west + east) * ax +
                         (here.row[r].at[e] + here.row[r + 2].at[e]) * ay +
                         (below.row[r + 1].at[e] + above.row[r + 1].at[e]) * az;
        }
        if (i >= p.nx || j + r >= p.ny - 1) continue;
        T* __restrict__ to = out + r * p.nx;
        if (i > 0 && i + vector < p.nx) {
          if (Params::stores == 1) {
            kiln::stream_store_pack(to, result);
          } else {
            kiln::store_pack(to, result);
          }
        } else {
          KILN_UNROLL_ALL
          for (int e = 0; e < vector; ++e) {
            if (i + e > 0 && i + e < p.nx - 1) to[e] = result.at[e];
          }
        }
      }
      out += plane;
    }
  }
}
