#pragma once

#include "kiln/params.h"

// A work-item marches along z with `rows` neighbouring rows of `vector` points each, `tile_z` planes high: the planes before,
// at and after the current one are in registers, and those up to `ahead` planes further on their way. Its other
// neighbours along y and x come from the first-level cache: a work-item of the block loaded them a plane ago.

constexpr int vector = Params::vector;
constexpr int rows = Params::rows;
constexpr int ahead = Params::ahead;
constexpr int stages = ahead + 2;  // before, here, after, and what is on its way

using Elements = kiln::Pack<T, vector>;

struct Place {
  int column, row, tile;  // of blocks along x and y, of marches along z
};

__device__ inline unsigned rows_of_blocks(const Params& p) {
  const unsigned needed = unsigned(p.ny - 2 + p.block_y * rows - 1) / unsigned(p.block_y * rows);
  return (needed + Params::cluster_y - 1) / Params::cluster_y * Params::cluster_y;
}
__device__ inline unsigned marches_along_z(const Params& p) {
  return unsigned(p.nz - 2 + p.tile_z - 1) / unsigned(p.tile_z);
}

// The place of block `index` among those of rows `low` to `high` - 1 in one column. `strip` rows go up all marches before
// the next strip begins, so that planes that two marches share are still in the second-level cache.
__device__ inline Place place_in_column(const Params& p, unsigned index, unsigned low, unsigned high) {
  const unsigned strip = unsigned(p.strip) < high - low ? unsigned(p.strip) : high - low;
  const unsigned marches = marches_along_z(p);
  const unsigned first = index / (strip * marches) * strip;
  const unsigned left = high - low - first;
  const unsigned width = left < strip ? left : strip;  // the last strip may be narrower
  const unsigned inside = index - first * marches;
  return {0, int(low + first + inside % width), int(inside / width)};
}

__device__ inline void march(T* __restrict__ f, const T* __restrict__ u, const Params& p, const Place& place) {
  const int i = (place.column * p.block_x + int(threadIdx.x)) * vector;
  const int j_own = 1 + (place.row * p.block_y + int(threadIdx.y)) * rows;
  const int k_begin = 1 + place.tile * p.tile_z;
  if (i >= p.nx || j_own >= p.ny - 1 || k_begin >= p.nz - 1) return;
  const int planes = k_begin + p.tile_z < p.nz - 1 ? p.tile_z : p.nz - 1 - k_begin;
  // Where the rows do not come out even, the last work-item begins with some of the one before it, unstored.
  const int j = rows == 1 || j_own + rows < p.ny ? j_own : p.ny - 1 - rows;
  const int others = j_own - j;

  const T ax = T(p.nx - 1) * T(p.nx - 1);  // 1 / h^2 with h = 1 / (n - 1)
  const T ay = T(p.ny - 1) * T(p.ny - 1);
  const T az = T(p.nz - 1) * T(p.nz - 1);
  const T center = -2 * (ax + ay + az);

  const long long plane = (long long)p.nx * p.ny;
  const bool inside = i > 0 && i + vector < p.nx;
  const T* __restrict__ at = u + plane * k_begin + (long long)j * p.nx + i;
  T* __restrict__ out = f + plane * k_begin + (long long)j * p.nx + i;

  // Planes are counted from the current one; the one before it is in column[0].
  Elements column[stages][rows];
  int needed = planes;  // the highest plane that the march still needs
  const auto load_plane = [&](Elements(&to)[rows], int which) {
    if (which > needed) return;
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) to[r] = kiln::fetch_pack<vector, Params::fetch>(at + which * plane + r * p.nx);
  };
  KILN_UNROLL_ALL
  for (int s = 0; s < stages - 1; ++s) load_plane(column[s], s - 1);
  for (int round = 0; round < planes; round += stages) {
    // The stages change their parts without being moved.
    KILN_UNROLL_ALL
    for (int s = 0; s < stages; ++s) {
      if (round + s >= planes) break;
      load_plane(column[(s + stages - 1) % stages], ahead);
      const Elements(&before)[rows] = column[s];
      const Elements(&here)[rows] = column[(s + 1) % stages];
      const Elements(&after)[rows] = column[(s + 2) % stages];
      const Elements south = kiln::load_pack<vector>(at - p.nx);
      const Elements north = kiln::load_pack<vector>(at + rows * p.nx);
      T left[rows];
      T right[rows];
      KILN_UNROLL_ALL
      for (int r = 0; r < rows; ++r) {
        left[r] = i > 0 ? at[r * p.nx - 1] : T(0);
        right[r] = i + vector < p.nx ? at[r * p.nx + vector] : T(0);
      }
      KILN_UNROLL_ALL
      for (int r = 0; r < rows; ++r) {
        const Elements& below = r > 0 ? here[r - (r > 0)] : south;
        const Elements& above = r < rows - 1 ? here[r + (r < rows - 1)] : north;
        Elements result;
        KILN_UNROLL_ALL
        for (int e = 0; e < vector; ++e) {
          const T west = e > 0 ? here[r].at[e - (e > 0)] : left[r];
          const T east = e < vector - 1 ? here[r].at[e + (e < vector - 1)] : right[r];
          result.at[e] = here[r].at[e] * center + (west + east) * ax + (below.at[e] + above.at[e]) * ay +
                         (before[r].at[e] + after[r].at[e]) * az;
        }
        if (r < others) continue;
        T* __restrict__ to = out + r * p.nx;
        if (inside) {
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
      at += plane;
      out += plane;
      --needed;
    }
  }
}
