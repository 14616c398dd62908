// Lattice Boltzmann, D2Q9 with BGK collisions on a torus; structure of arrays, pull scheme.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace lbm {
constexpr int Q = 9;
__device__ __constant__ int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__device__ __constant__ int cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
__device__ __constant__ double w[Q] = {4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
                                       1. / 36, 1. / 36, 1. / 36, 1. / 36};

struct Lattice {
  int nx, ny;
  __host__ __device__ __forceinline__ size_t cells() const { return static_cast<size_t>(nx) * ny; }
  __host__ __device__ __forceinline__ size_t at(int x, int y, int q) const {
    x = (x + nx) % nx;
    y = (y + ny) % ny;
    return q * cells() + static_cast<size_t>(y) * nx + x;
  }
};

__device__ inline double equilibrium(int q, double rho, double ux, double uy) {
  const double cu = 3 * (cx[q] * ux + cy[q] * uy);
  return w[q] * rho * (1 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
}

__global__ void initialise(double* f, int nx, int ny, double u0) {
  const Lattice l{nx, ny};
  const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= nx || y >= ny) return;
  const double ux = u0 * sin(2 * M_PI * y / ny);
  for (int q = 0; q < Q; ++q) f[l.at(x, y, q)] = equilibrium(q, 1, ux, 0);
}

__global__ void __launch_bounds__(128) collide_and_stream(const double* __restrict__ from, double* __restrict__ to, int nx, int ny, double tau) {
  const Lattice l{nx, ny};
  const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= nx || y >= ny) return;
  double f[Q], rho = 0, ux = 0, uy = 0;
#pragma unroll
  for (int q = 0; q < Q; ++q) {
    f[q] = from[l.at(x - cx[q], y - cy[q], q)];
    rho += f[q];
    ux += cx[q] * f[q];
    uy += cy[q] * f[q];
  }
  ux /= rho;
  uy /= rho;
#pragma unroll
  for (int q = 0; q < Q; ++q) to[l.at(x, y, q)] = f[q] - (f[q] - equilibrium(q, rho, ux, uy)) / tau;
}
}  // namespace lbm

struct Options {
  int nx = 256, ny = 256, steps = 1000;
  static Options parse(int argc, char** argv) {
    Options o;
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string key = argv[i];
      if (key == "--nx") o.nx = std::stoi(argv[i + 1]);
      if (key == "--ny") o.ny = std::stoi(argv[i + 1]);
      if (key == "--steps") o.steps = std::stoi(argv[i + 1]);
    }
    return o;
  }
};

int main(int argc, char** argv) {
  const Options o = Options::parse(argc, argv);
  double *a, *b;
  cudaMalloc(&a, sizeof(double) * lbm::Q * o.nx * o.ny);
  cudaMalloc(&b, sizeof(double) * lbm::Q * o.nx * o.ny);
  const dim3 block(32, 4), grid((o.nx + 31) / 32, (o.ny + 3) / 4);
  lbm::initialise<<<grid, block>>>(a, o.nx, o.ny, 0.01);
  auto t = std::chrono::system_clock::now();
  for (int s = 0; s < o.steps; ++s) {
    lbm::collide_and_stream<<<grid, block>>>(a, b, o.nx, o.ny, 0.8);
    std::swap(a, b);
  }
  cudaDeviceSynchronize();
  std::chrono::duration<double> d = std::chrono::system_clock::now() - t;
  std::printf("%.1f MLUPS\n", 1e-6 * o.nx * o.ny * o.steps / d.count());
}
