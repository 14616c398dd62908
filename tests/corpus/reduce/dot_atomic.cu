#include <sys/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double get_time() {
  struct timeval tv;
  gettimeofday(&tv, NULL);
  return tv.tv_sec + tv.tv_usec * 1e-6;
}

#define THREADS 256

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
__device__ double atomicAddD(double* address, double val) {
  unsigned long long int* address_as_ull = (unsigned long long int*)address;
  unsigned long long int old = *address_as_ull, assumed;
  do {
    assumed = old;
    old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
#else
#define atomicAddD atomicAdd
#endif

__global__ void dot_kernel(const double* a, const double* b, double* result, long n) {
  __shared__ double cache[THREADS];
  double temp = 0.0;
  long stride = (long)blockDim.x * gridDim.x;
  for (long tid = threadIdx.x + (long)blockIdx.x * blockDim.x; tid < n; tid += stride) temp += a[tid] * b[tid];
  cache[threadIdx.x] = temp;
  __syncthreads();
  int i = blockDim.x / 2;
  while (i != 0) {
    if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
    __syncthreads();
    i /= 2;
  }
  if (threadIdx.x == 0) atomicAddD(result, cache[0]);
}

__global__ void clear_kernel(double* result) { *result = 0; }

void usage(const char* name) {
  fprintf(stderr, "usage: %s [-n elements] [-r repeats]\n", name);
  exit(EXIT_FAILURE);
}

int main(int argc, char** argv) {
  long n = 1 << 22;
  int repeats = 10;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-n") && i + 1 < argc) n = atol(argv[++i]);
    else if (!strcmp(argv[i], "-r") && i + 1 < argc) repeats = atoi(argv[++i]);
    else usage(argv[0]);
  }
  double *a = (double*)malloc(n * sizeof(double)), *b = (double*)malloc(n * sizeof(double));
  for (long i = 0; i < n; i++) a[i] = i % 7, b[i] = i % 5;
  double *d_a, *d_b, *d_result, result;
  cudaMalloc((void**)&d_a, n * sizeof(double));
  cudaMalloc((void**)&d_b, n * sizeof(double));
  cudaMalloc((void**)&d_result, sizeof(double));
  cudaMemcpy(d_a, a, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, n * sizeof(double), cudaMemcpyHostToDevice);
  double t0 = get_time();
  for (int r = 0; r < repeats; r++) {
    clear_kernel<<<1, 1>>>(d_result);
    dot_kernel<<<64, THREADS>>>(d_a, d_b, d_result, n);
  }
  cudaDeviceSynchronize();
  double t1 = get_time();
  cudaMemcpy(&result, d_result, sizeof(double), cudaMemcpyDeviceToHost);
  printf("dot = %f, %f ms, %f GB/s\n", result, (t1 - t0) / repeats * 1e3, 16e-9 * n * repeats / (t1 - t0));
  return 0;
}
