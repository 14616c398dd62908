// Smoothed particle hydrodynamics: densities and pressures by a uniform grid of cells, array of structs.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
#include <algorithm>
#include <numeric>
#include <math_constants.h>
#include "vec_math.h"

struct Particle {
  float3 position;
  float mass;
  float3 velocity;
  float density;
};

struct Domain {
  float h;      // radius of the smoothing kernel
  int3 cells;
};

__device__ __host__ inline float3 operator-(const float3 &a, const float3 &b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ __host__ inline float dot(const float3 &a, const float3 &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__device__ int3 cell_of(float3 p, float h, int3 n) {
  int3 c;
  c.x = min(max(__float2int_rd(p.x / h), 0), n.x - 1);
  c.y = min(max(__float2int_rd(p.y / h), 0), n.y - 1);
  c.z = min(max(__float2int_rd(p.z / h), 0), n.z - 1);
  return c;
}

__device__ int flat(int3 c, int3 n) { return (c.z * n.y + c.y) * n.x + c.x; }

__global__ void count_particles(const Particle *p, int *count, int n, float h, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int3 cells = make_int3(side, side, side);
  if (i < n) atomicAdd(&count[flat(cell_of(p[i].position, h, cells), cells)], 1);
}

__global__ void offsets_of_cells(const int *count, int *first, int cells) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  int sum = 0;
  for (int c = 0; c < cells; ++c) {
    first[c] = sum;
    sum += count[c];
  }
  first[cells] = sum;
}

__global__ void sort_particles(const Particle *p, const int *first, int *fill, int *sorted, int n, float h, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int3 cells = {side, side, side};
  const int c = flat(cell_of(p[i].position, h, cells), cells);
  sorted[first[c] + atomicAdd(fill + c, 1)] = i;
}

__global__ void densities(Particle *p, const int *first, const int *sorted, int n, float h, int side) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int3 cells = make_int3(side, side, side);
  const Particle me = p[i];
  const int3 c = cell_of(me.position, h, cells);
  const float scale = 315.0f / (64.0f * CUDART_PI_F * powf(h, 9));
  float sum = 0.0f;
  for (int z = max(c.z - 1, 0); z <= min(c.z + 1, side - 1); ++z)
    for (int y = max(c.y - 1, 0); y <= min(c.y + 1, side - 1); ++y)
      for (int x = max(c.x - 1, 0); x <= min(c.x + 1, side - 1); ++x) {
        const int cell = flat(make_int3(x, y, z), cells);
        for (int k = first[cell]; k < first[cell + 1]; ++k) {
          const Particle &other = p[sorted[k]];
          const float3 d = other.position - me.position;
          const float r2 = dot(d, d), h2 = h * h;
          if (r2 < h2) sum += other.mass * (h2 - r2) * (h2 - r2) * (h2 - r2);
        }
      }
  p[i].density = scale * sum;
}

int main() {
  std::vector<Particle> particles(10000);
  for (auto &p : particles) p = {{drand48() * 1.f, drand48() * 1.f, drand48() * 1.f}, 1.f, {0, 0, 0}, 0.f};
  Particle *d;
  int *count, *first, *fill, *sorted;
  const int side = 10, cells = side * side * side, n = particles.size();
  cudaMalloc(&d, n * sizeof(Particle));
  cudaMalloc(&count, cells * sizeof(int));
  cudaMalloc(&first, (cells + 1) * sizeof(int));
  cudaMalloc(&fill, cells * sizeof(int));
  cudaMalloc(&sorted, n * sizeof(int));
  cudaMemcpy(d, particles.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemset(count, 0, cells * sizeof(int));
  cudaMemset(fill, 0, cells * sizeof(int));
  count_particles<<<(n + 127) / 128, 128>>>(d, count, n, 0.1f, side);
  offsets_of_cells<<<1, 1>>>(count, first, cells);
  sort_particles<<<(n + 127) / 128, 128>>>(d, first, fill, sorted, n, 0.1f, side);
  densities<<<(n + 127) / 128, 128>>>(d, first, sorted, n, 0.1f, side);
  cudaMemcpy(particles.data(), d, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%f\n", particles[0].density);
}
