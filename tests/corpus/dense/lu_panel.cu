/* Gaussian elimination as in Rodinia: the host walks over the columns, Fan1 makes the multipliers, Fan2 updates. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include "cuda.h"
#include <string.h>
#include <math.h>

#ifdef RD_WG_SIZE_0_0
#define MAXBLOCKSIZE RD_WG_SIZE_0_0
#else
#define MAXBLOCKSIZE 512
#endif
#define BLOCK_SIZE_XY 4

int Size;
float *a, *b, *finalVec;
float *m;
FILE *fp;

void InitProblemOnce(char *filename);
void InitPerRun();
void ForwardSub();
void BackSub();
__global__ void Fan1(float *m, float *a, int Size, int t);
__global__ void Fan2(float *m, float *a, float *b, int Size, int j1, int t);
void PrintDeviceProperties();
void checkCUDAError(const char *msg);

unsigned int totalKernelTime = 0;

int main(int argc, char *argv[]) {
  if (argc < 2) {
    printf("Usage: gaussian -f filename / -s size\n");
    exit(0);
  }
  PrintDeviceProperties();
  InitProblemOnce(argv[1]);
  InitPerRun();
  struct timeval time_start;
  gettimeofday(&time_start, NULL);
  ForwardSub();
  struct timeval time_end;
  gettimeofday(&time_end, NULL);
  unsigned int time_total = (time_end.tv_sec * 1000000 + time_end.tv_usec) - (time_start.tv_sec * 1000000 + time_start.tv_usec);
  BackSub();
  printf("\nTime total (including memory transfers)\t%f sec\n", time_total * 1e-6);
  free(m);
  free(a);
  free(b);
}

void PrintDeviceProperties() {
  cudaDeviceProp deviceProp;
  int nDevCount = 0;
  cudaGetDeviceCount(&nDevCount);
  for (int nDeviceIdx = 0; nDeviceIdx < nDevCount; nDeviceIdx++) {
    memset(&deviceProp, 0, sizeof(deviceProp));
    if (cudaSuccess == cudaGetDeviceProperties(&deviceProp, nDeviceIdx)) printf("\nDevice Name \t\t - %s ", deviceProp.name);
  }
}

void InitProblemOnce(char *filename) {
  fp = fopen(filename, "r");
  fscanf(fp, "%d", &Size);
  a = (float *)malloc(Size * Size * sizeof(float));
  for (int i = 0; i < Size * Size; i++) fscanf(fp, "%f", a + i);
  b = (float *)malloc(Size * sizeof(float));
  for (int i = 0; i < Size; i++) fscanf(fp, "%f", b + i);
  m = (float *)malloc(Size * Size * sizeof(float));
}

void InitPerRun() {
  for (int i = 0; i < Size * Size; i++) *(m + i) = 0.0;
}

__global__ void Fan1(float *m_cuda, float *a_cuda, int Size, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= Size - 1 - t) return;
  *(m_cuda + Size * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) =
      *(a_cuda + Size * (blockDim.x * blockIdx.x + threadIdx.x + t + 1) + t) / *(a_cuda + Size * t + t);
}

__global__ void Fan2(float *m_cuda, float *a_cuda, float *b_cuda, int Size, int j1, int t) {
  if (threadIdx.x + blockIdx.x * blockDim.x >= Size - 1 - t) return;
  if (threadIdx.y + blockIdx.y * blockDim.y >= Size - t) return;
  int xidx = blockIdx.x * blockDim.x + threadIdx.x;
  int yidx = blockIdx.y * blockDim.y + threadIdx.y;
  a_cuda[Size * (xidx + 1 + t) + (yidx + t)] -= m_cuda[Size * (xidx + 1 + t) + t] * a_cuda[Size * t + (yidx + t)];
  if (yidx == 0) {
    b_cuda[xidx + 1 + t] -= m_cuda[Size * (xidx + 1 + t) + (yidx + t)] * b_cuda[t];
  }
}

void ForwardSub() {
  float *m_cuda, *a_cuda, *b_cuda;
  cudaMalloc((void **)&m_cuda, Size * Size * sizeof(float));
  cudaMalloc((void **)&a_cuda, Size * Size * sizeof(float));
  cudaMalloc((void **)&b_cuda, Size * sizeof(float));
  cudaMemcpy(m_cuda, m, Size * Size * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(a_cuda, a, Size * Size * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b_cuda, b, Size * sizeof(float), cudaMemcpyHostToDevice);
  int block_size, grid_size;
  block_size = MAXBLOCKSIZE;
  grid_size = (Size / block_size) + (!(Size % block_size) ? 0 : 1);
  dim3 dimBlock(block_size);
  dim3 dimGrid(grid_size);
  int blockSize2d = BLOCK_SIZE_XY;
  int gridSize2d = (Size / blockSize2d) + (!(Size % blockSize2d ? 0 : 1));
  dim3 dimBlockXY(blockSize2d, blockSize2d);
  dim3 dimGridXY(gridSize2d, gridSize2d);
  for (int t = 0; t < (Size - 1); t++) {
    Fan1<<<dimGrid, dimBlock>>>(m_cuda, a_cuda, Size, t);
    cudaThreadSynchronize();
    Fan2<<<dimGridXY, dimBlockXY>>>(m_cuda, a_cuda, b_cuda, Size, Size - t, t);
    cudaThreadSynchronize();
    checkCUDAError("Fan2");
  }
  cudaMemcpy(a, a_cuda, Size * Size * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(b, b_cuda, Size * sizeof(float), cudaMemcpyDeviceToHost);
}

void BackSub() {
  finalVec = (float *)malloc(Size * sizeof(float));
  for (int i = 0; i < Size; i++) {
    finalVec[Size - i - 1] = b[Size - i - 1];
    for (int j = 0; j < i; j++)
      finalVec[Size - i - 1] -= *(a + Size * (Size - i - 1) + (Size - j - 1)) * finalVec[Size - j - 1];
    finalVec[Size - i - 1] = finalVec[Size - i - 1] / *(a + Size * (Size - i - 1) + (Size - i - 1));
  }
}

void checkCUDAError(const char *msg) {
  cudaError_t err = cudaGetLastError();
  if (cudaSuccess != err) {
    fprintf(stderr, "Cuda error: %s: %s.\n", msg, cudaGetErrorString(err));
    exit(EXIT_FAILURE);
  }
}
