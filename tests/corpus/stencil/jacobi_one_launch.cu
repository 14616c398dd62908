#include <cooperative_groups.h>
#include <cstdio>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;

// All sweeps of a Jacobi iteration in one launch: the grid synchronises between two sweeps.
__global__ void jacobi(float* u, float* v, int nx, int ny, int sweeps) {
  cg::grid_group grid = cg::this_grid();
  float* from = u;
  float* to = v;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (unsigned long long i = grid.thread_rank(); i < (unsigned long long)nx * ny; i += grid.size()) {
      const int x = (int)(i % nx), y = (int)(i / nx);
      const bool edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
      to[i] = edge ? from[i] : 0.25f * (from[i - 1] + from[i + 1] + from[i - nx] + from[i + nx]);
    }
    grid.sync();
    float* swapped = from;
    from = to;
    to = swapped;
  }
}

int main() {
  int nx = 512, ny = 512, sweeps = 100, device = 0, sms = 0, per_sm = 0;
  std::vector<float> h(nx * ny, 0.f);
  for (int x = 0; x < nx; ++x) h[x] = 1.f;
  float *u, *v;
  cudaMalloc(&u, h.size() * sizeof(float));
  cudaMalloc(&v, h.size() * sizeof(float));
  cudaMemcpy(u, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, jacobi, 256, 0);
  void* args[] = {&u, &v, &nx, &ny, &sweeps};
  cudaLaunchCooperativeKernel((void*)jacobi, dim3(sms * per_sm), dim3(256), args, 0, 0);
  cudaMemcpy(h.data(), u, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("middle: %g\n", h[nx * (ny / 2) + nx / 2]);
  cudaFree(u), cudaFree(v);
}
