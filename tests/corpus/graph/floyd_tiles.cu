// All pairs of shortest paths, tiles of 16 x 16 in three phases.
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <random>

constexpr int TILE = 16;
#define INF 1000000000

#define idx(i, j) ((i) * n + (j))

__device__ void relax(int (&c)[TILE][TILE], const int (&a)[TILE][TILE], const int (&b)[TILE][TILE], int x, int y) {
  for (int k = 0; k < TILE; ++k) {
    const int through = a[y][k] + b[k][x];
    if (through < c[y][x]) c[y][x] = through;
    __syncthreads();
  }
}

__global__ void phase_one(int *dist, int n, int round) {
  __shared__ int own[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, base = round * TILE;
  own[y][x] = dist[idx(base + y, base + x)];
  __syncthreads();
  relax(own, own, own, x, y);
  dist[idx(base + y, base + x)] = own[y][x];
}

__global__ void phase_two(int *dist, int n, int round) {
  if (blockIdx.x == round) return;
  __shared__ int pivot[TILE][TILE], own[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, base = round * TILE;
  const bool row = blockIdx.y == 0;
  const int i = row ? base : blockIdx.x * TILE, j = row ? blockIdx.x * TILE : base;
  pivot[y][x] = dist[idx(base + y, base + x)];
  own[y][x] = dist[idx(i + y, j + x)];
  __syncthreads();
  if (row)
    relax(own, pivot, own, x, y);
  else
    relax(own, own, pivot, x, y);
  dist[idx(i + y, j + x)] = own[y][x];
}

__global__ void phase_three(int *dist, int n, int round) {
  if (blockIdx.x == round || blockIdx.y == round) return;
  __shared__ int left[TILE][TILE], above[TILE][TILE];
  const int x = threadIdx.x, y = threadIdx.y, base = round * TILE;
  const int i = blockIdx.y * TILE + y, j = blockIdx.x * TILE + x;
  left[y][x] = dist[idx(i, base + x)];
  above[y][x] = dist[idx(base + y, j)];
  __syncthreads();
  int best = dist[idx(i, j)];
#pragma unroll
  for (int k = 0; k < TILE; ++k) best = min(best, left[y][k] + above[k][x]);
  dist[idx(i, j)] = best;
}

int main(int argc, char *argv[]) {
  int n = (argc > 1) ? std::atoi(argv[1]) : 256;
  if (n % TILE) {
    std::cout << "n must be a multiple of " << TILE << std::endl;
    return 1;
  }
  std::default_random_engine engine(std::time(0));
  std::uniform_int_distribution<int> weight(1, 100);
  int *host = new int[n * n], *dist;
  for (int i = 0; i < n * n; ++i) host[i] = i / n == i % n ? 0 : weight(engine);
  cudaMalloc(&dist, n * n * sizeof(int));
  cudaMemcpy(dist, host, n * n * sizeof(int), cudaMemcpyHostToDevice);
  dim3 threads(TILE, TILE);
  const int rounds = n / TILE;
  for (int r = 0; r < rounds; ++r) {
    phase_one<<<1, threads>>>(dist, n, r);
    phase_two<<<dim3(rounds, 2), threads>>>(dist, n, r);
    phase_three<<<dim3(rounds, rounds), threads>>>(dist, n, r);
  }
  cudaMemcpy(host, dist, n * n * sizeof(int), cudaMemcpyDeviceToHost);
  delete[] host;
  cudaFree(dist);
}
