#include "kiln/params.h"

// A block marches up a column of tile_x by tile_y points. The tensor memory accelerator (sm_90 and newer) copies plane
// after plane, a halo around each, into a ring of `stages` planes in shared memory. A work-item holds `vector` by
// `rows` points of the planes below, at and above the current one in registers; neighbours of other work-items come
// from the ring. Only the halo of a tile is read twice from the second-level cache.

constexpr int vector = Params::vector;
constexpr int rows = Params::rows;
constexpr int stages = Params::stages;
constexpr int warps = Params::block_x * Params::block_y / 32;
constexpr int tile_x = Params::block_x * vector;
constexpr int tile_y = Params::block_y * rows;
constexpr int halo_x = 16 / int(sizeof(T));  // one point would do; a row of the box must begin on 16 bytes
constexpr int pitch = tile_x + 2 * halo_x;
constexpr int box_bytes = pitch * (tile_y + 2) * int(sizeof(T));
constexpr int stage_bytes = (box_bytes + 127) / 128 * 128;

using Elements = kiln::Pack<T, vector>;

struct alignas(64) TensorMap {
  unsigned long long words[16];
};

// A barrier's address in shared memory, as PTX takes it.
__device__ __forceinline__ unsigned int address_of(const void* shared) {
  return static_cast<unsigned int>(__cvta_generic_to_shared(shared));
}

__device__ __forceinline__ void wait(unsigned int barrier, unsigned int parity) {
  unsigned int done = 0;
  while (!done)
    asm volatile(
        "{\n\t.reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
}

__device__ __forceinline__ void arrive(unsigned int barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// Copies the box whose first point is (x, y, z) to `stage`; `barrier` completes when all of it is there.
__device__ __forceinline__ void copy_box(unsigned int stage, const TensorMap& map, int x, int y, int z,
                                         unsigned int barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(box_bytes) : "memory");
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(
          stage),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_laplacian_tma laplacian_tma(T* __restrict__ f,
                                                                          const __grid_constant__ TensorMap u,
                                                                          const Params p) {
  extern __shared__ __align__(128) unsigned char ring[];
  __shared__ unsigned long long filled[stages];  // a plane is in the stage
  __shared__ unsigned long long read[stages];    // every warp has read it

  const int x_box = int(blockIdx.x) * tile_x - halo_x;
  const int y_box = int(blockIdx.y) * tile_y;
  const int k_begin = 1 + int(blockIdx.z) * p.tile_z;
  const int k_limit = k_begin + p.tile_z;
  const int k_end = k_limit < p.nz - 1 ? k_limit : p.nz - 1;
  const int z_box = k_begin - 1;  // plane n of the march is z_box + n
  const int planes = k_end + 1 - z_box;
  const unsigned int ring_address = address_of(ring);
  const bool first_lane = (threadIdx.y * Params::block_x + threadIdx.x) % 32 == 0;
  const bool leader = threadIdx.x == 0 && threadIdx.y == 0;

  if (leader) {
    for (int s = 0; s < stages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address_of(filled + s)) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(read + s)), "r"(warps) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int s = 0; s < stages && s < planes; ++s)
      copy_box(ring_address + s * stage_bytes, u, x_box, y_box, z_box + s, address_of(filled + s));
  }
  __syncthreads();

  const T ax = T(p.nx - 1) * T(p.nx - 1);  // 1 / h^2 with h = 1 / (n - 1)
  const T ay = T(p.ny - 1) * T(p.ny - 1);
  const T az = T(p.nz - 1) * T(p.nz - 1);
  const T center = -2 * (ax + ay + az);

  const int i = x_box + halo_x + int(threadIdx.x) * vector;
  const int j = 1 + y_box + int(threadIdx.y) * rows;
  const bool inside = i > 0 && i + vector < p.nx;
  const int rows_here = j < p.ny - 1 ? p.ny - 1 - j : 0;  // rows of f that are to be written; may be over `rows`
  const long long plane = (long long)p.nx * p.ny;
  T* __restrict__ out = f + plane * k_begin + (long long)j * p.nx + i;
  const int own = (int(threadIdx.y) * rows + 1) * pitch + halo_x + int(threadIdx.x) * vector;
  const auto stage = [&](int s) { return reinterpret_cast<const T*>(ring + s * stage_bytes) + own; };
  const auto done_with = [&](int s) {
    __syncwarp();
    if (first_lane) arrive(address_of(read + s));
  };

  Elements below[rows];
  Elements here[rows];
  wait(address_of(filled), 0);
  KILN_UNROLL_ALL
  for (int r = 0; r < rows; ++r) below[r] = kiln::load_pack<vector>(stage(0) + r * pitch);
  done_with(0);
  wait(address_of(filled + 1), 0);
  KILN_UNROLL_ALL
  for (int r = 0; r < rows; ++r) here[r] = kiln::load_pack<vector>(stage(1) + r * pitch);

  int s_below = 0, s_here = 1, s_above = 2;
  unsigned int parity_below = 0, parity_above = 0;
  for (int n = 0; n < planes - 2; ++n) {
    wait(address_of(filled + s_above), parity_above);
    Elements above[rows];
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) above[r] = kiln::load_pack<vector>(stage(s_above) + r * pitch);
    const T* __restrict__ at = stage(s_here);
    const Elements first_south = kiln::load_pack<vector>(at - pitch);
    const Elements last_north = kiln::load_pack<vector>(at + rows * pitch);
    T left[rows], right[rows];
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      left[r] = at[r * pitch - 1];
      right[r] = at[r * pitch + vector];
    }
    done_with(s_here);
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      const Elements& south = r > 0 ? here[r - (r > 0)] : first_south;
      const Elements& north = r < rows - 1 ? here[r + (r < rows - 1)] : last_north;
      Elements result;
      KILN_UNROLL_ALL
      for (int e = 0; e < vector; ++e) {
        const T west = e > 0 ? here[r].at[e - (e > 0)] : left[r];
        const T east = e < vector - 1 ? here[r].at[e + (e < vector - 1)] : right[r];
        result.at[e] = here[r].at[e] * center + (west + east) * ax + (south.at[e] + north.at[e]) * ay +
                       (below[r].at[e] + above[r].at[e]) * az;
      }
      if (r >= rows_here) continue;
      if (inside) {
        if (Params::stores == 1) {
          kiln::stream_store_pack(out + (long long)r * p.nx, result);
        } else {
          kiln::store_pack(out + (long long)r * p.nx, result);
        }
      } else {
        KILN_UNROLL_ALL
        for (int e = 0; e < vector; ++e) {
          if (i + e > 0 && i + e < p.nx - 1) out[(long long)r * p.nx + e] = result.at[e];
        }
      }
    }
    out += plane;
    // Plane n was given back by every warp an iteration ago, or will be soon.
    if (leader && n + stages < planes) {
      wait(address_of(read + s_below), parity_below);
      copy_box(ring_address + s_below * stage_bytes, u, x_box, y_box, z_box + n + stages, address_of(filled + s_below));
    }
    KILN_UNROLL_ALL
    for (int r = 0; r < rows; ++r) {
      below[r] = here[r];
      here[r] = above[r];
    }
    if (s_below == stages - 1) parity_below ^= 1;
    s_below = s_here;
    s_here = s_above;
    if (++s_above == stages) {
      s_above = 0;
      parity_above ^= 1;
    }
  }
}
