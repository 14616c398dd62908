// Generators of pseudo-random numbers with their state in registers: xorshift128, xorwow and a 64-bit LCG that jumps ahead.
#include <cstdio>
#include <cstdlib>
#include <ctime>

struct xorshift128 {
  unsigned x, y, z, w;
  __host__ __device__ explicit xorshift128(unsigned seed) : x(123456789u ^ seed), y(362436069u), z(521288629u), w(88675123u) {}
  __host__ __device__ unsigned next() {
    unsigned t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    return w = w ^ (w >> 19) ^ t ^ (t >> 8);
  }
};

__host__ __device__ inline unsigned long long lcg_jump(unsigned long long state, unsigned long long steps) {
  unsigned long long a = 6364136223846793005ull, c = 1442695040888963407ull, am = 1, cm = 0;
  while (steps) {
    if (steps & 1) {
      am *= a;
      cm = cm * a + c;
    }
    c = (a + 1) * c;
    a *= a;
    steps >>= 1;
  }
  return am * state + cm;
}

__global__ void fill_xorshift(unsigned* out, int per_thread, unsigned seed) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  xorshift128 rng(seed + t);
  for (int k = 0; k < per_thread; k++) out[t * per_thread + k] = rng.next();
}

__global__ void fill_lcg(unsigned* out, int n, unsigned long long seed) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = static_cast<unsigned>(lcg_jump(seed, i + 1) >> 32);
}

int main() {
  srand((unsigned)time(nullptr));
  unsigned* d;
  cudaMalloc(&d, 1024 * 16 * sizeof *d);
  fill_xorshift<<<8, 128>>>(d, 16, rand());
  fill_lcg<<<8, 128>>>(d, 1024 * 16, 1);
  xorshift128 host(0);
  printf("%u\n", host.next());
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
