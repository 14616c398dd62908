#include "kiln/params.h"

// A block marches up a column of tiles, `tile_z` planes high. Planes wait in a ring of `stages` in shared
// memory, to which they are copied while the ones before are worked on: registers hold only the points of a
// work-item, vector x rows of them, in the planes below, at and above the current one. Rows are contiguous;
// the tile begins at a multiple of `vector`, and has `vector` elements more on either side, of which one is
// needed.

constexpr int vector = Params::vector;
constexpr int rows = Params::rows;
constexpr int stages = Params::stages;
constexpr int tile_x = Params::block_x * vector;
constexpr int tile_y = Params::block_y * rows;
constexpr int pitch = tile_x + 2 * vector;
constexpr int slice = pitch * (tile_y + 2);  // elements of a plane in the ring

using Elements = kiln::Pack<T, vector>;

// What of a plane this work-item copies: its own rows, at the tile's edges what is beside them.
struct Share {
  bool row[rows], above, below;  // y
  bool side;                     // x
  int side_offset;
};

__device__ inline void start_copy(T* to, const T* __restrict__ from, const Share& share, int row) {
  constexpr int bytes = int(sizeof(Elements));
  KILN_UNROLL_ALL
  for (int r = 0; r < rows; ++r) {
    if (share.row[r]) kiln::copy_async<bytes>(to + r * pitch, from + r * row);
    if (share.row[r] && share.side)
      kiln::copy_async<bytes>(to + r * pitch + share.side_offset, from + r * row + share.side_offset);
  }
  if (share.below) kiln::copy_async<bytes>(to - pitch, from - row);
  if (share.above) kiln::copy_async<bytes>(to + rows * pitch, from + rows * row);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian_tiles laplacian_tiles(T* __restrict__ f,
                                                                              const T* __restrict__ u,
                                                                              const Params p) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int tx = int(threadIdx.x);
  const int ty = int(threadIdx.y);
  const int i = int(blockIdx.x) * tile_x + tx * vector;
  const int j = 1 + int(blockIdx.y) * tile_y + ty * rows;
  const int k_begin = 1 + int(blockIdx.z) * p.tile_z;
  const int k_limit = k_begin + p.tile_z;
  const int k_end = k_limit < p.nz - 1 ? k_limit : p.nz - 1;

  const T ax = T(p.nx - 1) * T(p.nx - 1);  // 1 / h^2 with h = 1 / (n - 1)
  const T ay = T(p.ny - 1) * T(p.ny - 1);
  const T az = T(p.nz - 1) * T(p.nz - 1);
  const T center = -2 * (ax + ay + az);

  Share share;
  const bool in_x = i < p.nx;
  KILN_UNROLL_ALL
  for (int r = 0; r < rows; ++r) share.row[r] = in_x && j + r < p.ny;
  share.below = in_x && ty == 0;
  share.above = in_x && ty == Params::block_y - 1 && j + rows < p.ny;
  const bool first = tx == 0 && i > 0;
  const bool last = tx == Params::block_x - 1 && i + vector < p.nx;
  share.side = first || last;
  share.side_offset = first ? -vector : vector;

  const long long plane = (long long)p.nx * p.ny;
  const long long start = plane * (k_begin - 1) + (long long)j * p.nx + i;
  const T* __restrict__ next = u + start;  // in the next plane to copy
  T* __restrict__ out = f + start + plane;
  T* const ring = reinterpret_cast<T*>(memory);
  const int own = (1 + ty * rows) * pitch + vector + tx * vector;  // of this work-item in a slice

  int k_next = k_begin - 1;
  KILN_UNROLL_ALL
  for (int s = 0; s < stages; ++s, ++k_next, next += plane) {
    if (k_next <= k_end) start_copy(ring + s * slice + own, next, share, p.nx);
    kiln::copy_async_commit();
  }

  kiln::copy_async_wait<stages - 2>();  // all but the newest: planes k_begin - 1 and k_begin have come
  Elements below[rows], here[rows], above[rows];
  KILN_UNROLL_ALL
  for (int r = 0; r < rows; ++r) {
    below[r] = kiln::load_pack<vector>(ring + own + r * pitch);
    here[r] = kiln::load_pack<vector>(ring + slice + own + r * pitch);
  }

  int slot = 1;  // of plane k
  for (int k = k_begin; k < k_end; ++k) {
    // Plane k + 1 has come to this work-item, and plane k to all of them, which are done with plane k - 1.
    kiln::copy_async_wait<stages - 3>();
    __syncthreads();
    const int slot_above = slot + 1 < stages ? slot + 1 : 0;
    const int slot_free = slot > 0 ? slot - 1 : stages - 1;
    const T* const at = ring + slot * slice + own;
    const T* const at_above = ring + slot_above * slice + own;
    if (k_next <= k_end) start_copy(ring + slot_free * slice + own, next, share, p.nx);
    kiln::copy_async_commit();
    ++k_next;
    next += plane;

    const Elements south = kiln::load_pack<vector>(at - pitch);
    const Elements north = kiln::load_pack<vector>(at + rows * pitch);
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) above[r] = kiln::load_pack<vector>(at_above + r * pitch);
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      const Elements c = here[r];
      const Elements& lower = r > 0 ? here[r > 0 ? r - 1 : 0] : south;
      const Elements& upper = r < rows - 1 ? here[r < rows - 1 ? r + 1 : 0] : north;
      Elements result;
      KILN_UNROLL_ALL
      for (int e = 0; e < vector; ++e) {
        const T west = e > 0 ? c.at[e > 0 ? e - 1 : 0] : at[r * pitch - 1];
        const T east = e < vector - 1 ? c.at[e < vector - 1 ? e + 1 : 0] : at[r * pitch + vector];
        result.at[e] = c.at[e] * center + (west + east) * ax + (lower.at[e] + upper.at[e]) * ay +
                       (below[r].at[e] + above[r].at[e]) * az;
      }
      T* __restrict__ to = out + r * p.nx;
      if (in_x && j + r < p.ny - 1) {
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
    }
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      below[r] = here[r];
      here[r] = above[r];
    }
    out += plane;
    slot = slot_above;
  }
}
