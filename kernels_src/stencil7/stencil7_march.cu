#include "kiln/params.h"

// A work-item marches along a column of `vector` points, `tile_z` planes high, with the planes before, at and after the
// current one in registers and those up to `ahead` planes further on their way. The neighbours along y and x come
// from the first-level cache: another work-item of the block loaded them as its column a plane ago.

constexpr int vector = Params::vector;
constexpr int ahead = Params::ahead;
constexpr int stages = ahead + 2;  // before, here, after, and what is on its way

using Elements = kiln::Pack<T, vector>;

struct Place {
  int row, tile;  // of blocks along y, of marches along z
};

// Blocks start in the order of their indices, x first. Of the rest, `strip` rows go up all tiles before the next
// strip begins, so that planes that two tiles share are still in the second-level cache.
__device__ inline Place place_of_block(int strip) {
  const int rows = int(gridDim.y);
  const int tiles = int(gridDim.z);
  if (strip > rows) strip = rows;
  const int index = int(blockIdx.z) * rows + int(blockIdx.y);
  const int first = index / (strip * tiles) * strip;
  const int width = rows - first < strip ? rows - first : strip;  // the last strip may be narrower
  const int inside = index - first * tiles;
  return {first + inside % width, inside / width};
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian_march laplacian_march(T* __restrict__ f,
                                                                              const T* __restrict__ u,
                                                                              const Params p) {
  const int i = (int(blockIdx.x) * p.block_x + int(threadIdx.x)) * vector;
  const Place place = place_of_block(p.strip);
  const int j = 1 + place.row * p.block_y + int(threadIdx.y);
  const int k_begin = 1 + place.tile * p.tile_z;
  if (i >= p.nx || j >= p.ny - 1 || k_begin >= p.nz - 1) return;
  const int planes = k_begin + p.tile_z < p.nz - 1 ? p.tile_z : p.nz - 1 - k_begin;
  const bool down = Params::turns != 0 && place.tile % 2 != 0;

  const T ax = T(p.nx - 1) * T(p.nx - 1);  // 1 / h^2 with h = 1 / (n - 1)
  const T ay = T(p.ny - 1) * T(p.ny - 1);
  const T az = T(p.nz - 1) * T(p.nz - 1);
  const T center = -2 * (ax + ay + az);

  const long long plane = (long long)p.nx * p.ny;
  const long long step = down ? -plane : plane;
  const int k_first = down ? k_begin + planes - 1 : k_begin;
  const int left_offset = i > 0 ? -1 : 0;
  const int right_offset = i + vector < p.nx ? vector : 0;
  const bool inside = i > 0 && i + vector < p.nx;
  const T* __restrict__ at = u + plane * k_first + (long long)j * p.nx + i;
  T* __restrict__ out = f + plane * k_first + (long long)j * p.nx + i;

  // Planes are counted in the direction of the march, its own from 0 on; the one before them is in column[0].
  Elements column[stages];
  int on_its_way = -1;
  const T* __restrict__ next = at - step;
  KILN_UNROLL_ALL
  for (int s = 0; s < stages - 1; ++s, ++on_its_way, next += step) {
    if (on_its_way <= planes) column[s] = kiln::fetch_pack<vector, Params::fetch>(next);
  }
  for (int round = 0; round < planes; round += stages) {
    // The stages change their parts without being moved.
    KILN_UNROLL_ALL
    for (int s = 0; s < stages; ++s) {
      if (round + s >= planes) break;
      if (on_its_way <= planes) column[(s + stages - 1) % stages] = kiln::fetch_pack<vector, Params::fetch>(next);
      ++on_its_way;
      next += step;
      const Elements south = kiln::load_pack<vector>(at - p.nx);
      const Elements north = kiln::load_pack<vector>(at + p.nx);
      const T left = at[left_offset];
      const T right = at[right_offset];
      const Elements& before = column[s];
      const Elements& here = column[(s + 1) % stages];
      const Elements& after = column[(s + 2) % stages];
      Elements result;
      KILN_UNROLL_ALL
      for (int e = 0; e < vector; ++e) {
        const T west = e > 0 ? here.at[e - (e > 0)] : left;
        const T east = e < vector - 1 ? here.at[e + (e < vector - 1)] : right;
        result.at[e] = here.at[e] * center + (west + east) * ax + (south.at[e] + north.at[e]) * ay +
                       (before.at[e] + after.at[e]) * az;
      }
      if (inside) {
        if (Params::stores == 1) {
          kiln::stream_store_pack(out, result);
        } else {
          kiln::store_pack(out, result);
        }
      } else {
        KILN_UNROLL_ALL
        for (int e = 0; e < vector; ++e) {
          if (i + e > 0 && i + e < p.nx - 1) out[e] = result.at[e];
        }
      }
      at += step;
      out += step;
    }
  }
}
