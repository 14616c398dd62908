// Heat equation in two dimensions, tile and halo in shared memory, two buffers that the host exchanges.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_SAFE_CALL(call)                                                               \
  do {                                                                                     \
    cudaError_t status_ = call;                                                            \
    if (status_ != cudaSuccess) {                                                          \
      fprintf(stderr, "error at %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  } while (0)

const int BX = 32, BY = 8;

__global__ void step(const float *__restrict__ u, float *__restrict__ v, int nx, int ny, float c) {
  __shared__ float s[BY + 2][BX + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  const int xc = min(x, nx - 1), yc = min(y, ny - 1);

  s[ty][tx] = u[yc * nx + xc];
  if (threadIdx.x == 0) s[ty][0] = u[yc * nx + max(xc - 1, 0)];
  if (threadIdx.x == BX - 1) s[ty][BX + 1] = u[yc * nx + min(xc + 1, nx - 1)];
  if (threadIdx.y == 0) s[0][tx] = u[max(yc - 1, 0) * nx + xc];
  if (threadIdx.y == BY - 1) s[BY + 1][tx] = u[min(yc + 1, ny - 1) * nx + xc];
  __syncthreads();

  if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
    v[y * nx + x] = s[ty][tx] + c * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] - 4 * s[ty][tx]);
  else if (x < nx && y < ny)
    v[y * nx + x] = s[ty][tx];
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? atoi(argv[1]) : 512, ny = argc > 2 ? atoi(argv[2]) : 512, steps = argc > 3 ? atoi(argv[3]) : 100;
  std::vector<float> h(nx * ny);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) h[y * nx + x] = sinf(M_PI * x / (nx - 1)) * sinf(M_PI * y / (ny - 1));
  float *u, *v;
  CUDA_SAFE_CALL(cudaMalloc((void **)&u, nx * ny * sizeof(float)));
  CUDA_SAFE_CALL(cudaMalloc((void **)&v, nx * ny * sizeof(float)));
  CUDA_SAFE_CALL(cudaMemcpy(u, h.data(), nx * ny * sizeof(float), cudaMemcpyHostToDevice));
  dim3 block(BX, BY), grid((nx + BX - 1) / BX, (ny + BY - 1) / BY);
  for (int i = 0; i < steps; ++i) {
    step<<<grid, block>>>(u, v, nx, ny, 0.2f);
    std::swap(u, v);
  }
  CUDA_SAFE_CALL(cudaMemcpy(h.data(), u, nx * ny * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%f\n", h[(ny / 2) * nx + nx / 2]);
  return 0;
}
