#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* One block sorts its chunk by 4 bits at a time: split by each bit with a scan (after Satish, Harris and Garland). */

static const int THREADS = 128;

static void die(const char *what) { perror(what); exit(1); }

template <int N>
__device__ uint32_t exclusive_scan(uint32_t x, uint32_t *total) {
  __shared__ uint32_t buf[2][N];
  int in = 0;
  buf[0][threadIdx.x] = x;
  __syncthreads();
  for (int d = 1; d < N; d *= 2) {
    int out = 1 - in;
    buf[out][threadIdx.x] = buf[in][threadIdx.x] + (threadIdx.x >= d ? buf[in][threadIdx.x - d] : 0);
    in = out;
    __syncthreads();
  }
  uint32_t result = buf[in][threadIdx.x] - x;
  *total = buf[in][N - 1];
  __syncthreads();
  return result;
}

__global__ void radix_sort_chunks(uint32_t *keys, int n, int first_bit, int bits) {
  __shared__ uint32_t chunk[THREADS];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  chunk[threadIdx.x] = i < n ? keys[i] : 0xffffffffu;
  __syncthreads();
  for (int b = first_bit; b < first_bit + bits; ++b) {
    const uint32_t key = chunk[threadIdx.x];
    const uint32_t is_zero = ((key >> b) & 1u) ^ 1u;
    uint32_t zeros;
    const uint32_t before = exclusive_scan<THREADS>(is_zero, &zeros);
    const uint32_t where = is_zero ? before : zeros + (threadIdx.x - before);
    chunk[where] = key;
    __syncthreads();
  }
  if (i < n) keys[i] = chunk[threadIdx.x];
}

int main(int argc, char **argv) {
  int c, n = 100000;
  while ((c = getopt(argc, argv, "n:")) != -1)
    if (c == 'n') n = atoi(optarg);
  uint32_t *h = (uint32_t *)malloc(sizeof(uint32_t) * n), *d;
  if (!h) die("malloc");
  srand(time(NULL));
  for (int i = 0; i < n; i++) h[i] = rand();
  cudaMalloc((void **)&d, sizeof(uint32_t) * n);
  cudaMemcpy(d, h, sizeof(uint32_t) * n, cudaMemcpyHostToDevice);
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  radix_sort_chunks<<<(n + THREADS - 1) / THREADS, THREADS>>>(d, n, 0, 32);
  cudaDeviceSynchronize();
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%ld ns\n", (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec);
  return 0;
}
