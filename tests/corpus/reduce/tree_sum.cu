// Sum of an array by a tree in shared memory. The block size is a template argument, so that the loop over the tree
// unrolls; the host picks the instance.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>
#include <helper_cuda.h>

#ifndef MIN
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#endif

template <class T, unsigned int blockSize, bool nIsPow2>
__global__ void treeSum(T *g_idata, T *g_odata, unsigned int n) {
  __shared__ T sdata[blockSize];

  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x;
  unsigned int gridSize = blockSize * 2 * gridDim.x;

  T mySum = 0;
  while (i < n) {
    mySum += g_idata[i];
    // the second element must be checked unless n is a power of two
    if (nIsPow2 || i + blockSize < n) mySum += g_idata[i + blockSize];
    i += gridSize;
  }
  sdata[tid] = mySum;
  __syncthreads();

  if (blockSize >= 512) {
    if (tid < 256) sdata[tid] = mySum = mySum + sdata[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128) sdata[tid] = mySum = mySum + sdata[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64) sdata[tid] = mySum = mySum + sdata[tid + 64];
    __syncthreads();
  }
#pragma unroll
  for (unsigned int s = 32; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = mySum;
}

template <class T>
void reduce(int n, int threads, int blocks, T *d_idata, T *d_odata) {
  dim3 dimBlock(threads, 1, 1);
  dim3 dimGrid(blocks, 1, 1);
  if ((n & (n - 1)) == 0) {
    switch (threads) {
      case 256: treeSum<T, 256, true><<<dimGrid, dimBlock>>>(d_idata, d_odata, n); break;
      case 128: treeSum<T, 128, true><<<dimGrid, dimBlock>>>(d_idata, d_odata, n); break;
    }
  } else {
    switch (threads) {
      case 256: treeSum<T, 256, false><<<dimGrid, dimBlock>>>(d_idata, d_odata, n); break;
      case 128: treeSum<T, 128, false><<<dimGrid, dimBlock>>>(d_idata, d_odata, n); break;
    }
  }
  getLastCudaError("Kernel execution failed");
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  int threads = 256, blocks = MIN(64, (n + threads * 2 - 1) / (threads * 2));
  int *h_idata = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) h_idata[i] = rand() & 0xff;
  int *d_idata = NULL, *d_odata = NULL;
  checkCudaErrors(cudaMalloc((void **)&d_idata, n * sizeof(int)));
  checkCudaErrors(cudaMalloc((void **)&d_odata, blocks * sizeof(int)));
  checkCudaErrors(cudaMemcpy(d_idata, h_idata, n * sizeof(int), cudaMemcpyHostToDevice));
  reduce<int>(n, threads, blocks, d_idata, d_odata);
  int *h_odata = (int *)malloc(blocks * sizeof(int));
  checkCudaErrors(cudaMemcpy(h_odata, d_odata, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  int gpu = 0, cpu = 0;
  for (int i = 0; i < blocks; i++) gpu += h_odata[i];
  for (int i = 0; i < n; i++) cpu += h_idata[i];
  printf("GPU result = %d, CPU result = %d: %s\n", gpu, cpu, gpu == cpu ? "PASSED" : "FAILED");
  cudaFree(d_idata);
  cudaFree(d_odata);
  return gpu == cpu ? EXIT_SUCCESS : EXIT_FAILURE;
}
