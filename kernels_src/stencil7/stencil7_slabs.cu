#include "kiln/params.h"

// A work-item takes `vector` x `rows` points of each of `planes` neighbouring planes, and loads all that it needs before
// it computes: many accesses on their way without a barrier. Blocks follow each other along x, then y, then z, so that
// the planes between two slabs, and the rows between two blocks, are still in the second-level cache when they are
// read again; what work-items of a block share is in the first-level cache.

constexpr int vector = Params::vector;
constexpr int rows = Params::rows;
constexpr int planes = Params::planes;

using Elements = kiln::Pack<T, vector>;

extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian_slabs laplacian_slabs(T* __restrict__ f,
                                                                              const T* __restrict__ u,
                                                                              const Params p) {
  const int i = (int(blockIdx.x) * p.block_x + int(threadIdx.x)) * vector;
  const int j = 1 + (int(blockIdx.y) * p.block_y + int(threadIdx.y)) * rows;
  const int k = 1 + int(blockIdx.z) * planes;
  if (i >= p.nx || j >= p.ny - 1) return;

  const T ax = T(p.nx - 1) * T(p.nx - 1);  // 1 / h^2 with h = 1 / (n - 1)
  const T ay = T(p.ny - 1) * T(p.ny - 1);
  const T az = T(p.nz - 1) * T(p.nz - 1);
  const T center = -2 * (ax + ay + az);

  const long long plane = (long long)p.nx * p.ny;
  const T* __restrict__ from = u + plane * (k - 1) + (long long)j * p.nx + i;
  T* __restrict__ to = f + plane * k + (long long)j * p.nx + i;
  const int top = p.nz - k;         // the last plane and the last row, from here: beyond them the last one again
  const int last = p.ny - 1 - j;

  Elements column[planes + 2][rows];
  Elements south[planes], north[planes];
  KILN_UNROLL_ALL
  for (int z = 0; z < planes + 2; ++z) {
    const T* __restrict__ row = from + plane * (z < top ? z : top);
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r)
      column[z][r] = kiln::load_pack<vector>(row + (r < last ? r : last) * p.nx);
    if (z > 0 && z <= planes) {
      south[z - 1] = kiln::load_pack<vector>(row - p.nx);
      north[z - 1] = kiln::load_pack<vector>(row + (rows < last ? rows : last) * p.nx);
    }
  }

  KILN_UNROLL_ALL
  for (int z = 0; z < planes; ++z) {
    if (z + 1 >= top) break;
    const T* __restrict__ row = from + plane * (z + 1);
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      if (r >= last) break;
      const T left = row[r * p.nx + (i > 0 ? -1 : 0)];
      const T right = row[r * p.nx + (i + vector < p.nx ? vector : 0)];
      const Elements c = column[z + 1][r];
      const Elements& before = r > 0 ? column[z + 1][r - (r > 0)] : south[z];
      const Elements& behind = r < rows - 1 ? column[z + 1][r + (r < rows - 1)] : north[z];
      Elements result;
      KILN_UNROLL_ALL
      for (int e = 0; e < vector; ++e) {
        const T west = e > 0 ? c.at[e - (e > 0)] : left;
        const T east = e < vector - 1 ? c.at[e + (e < vector - 1)] : right;
        result.at[e] = c.at[e] * center + (west + east) * ax + (before.at[e] + behind.at[e]) * ay +
                       (column[z][r].at[e] + column[z + 2][r].at[e]) * az;
      }
      T* __restrict__ out = to + plane * z + r * p.nx;
      if (i > 0 && i + vector < p.nx) {
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
    }
  }
}
