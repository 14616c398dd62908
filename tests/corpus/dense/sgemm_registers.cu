#include <assert.h>
#include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>

// C = alpha A B + beta C, row major. Each block has a 64 x 64 tile of C, each work-item 4 x 4 of it in registers.
#define BM 64
#define BN 64
#define BK 8
#define TM 4
#define TN 4
#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
#define FETCH_FLOAT4(pointer) (reinterpret_cast<float4*>(&(pointer))[0])
#define OFFSET(row, col, ld) ((row) * (ld) + (col))

__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm_blocktiling(int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  const uint cRow = blockIdx.y;
  const uint cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN);
  const int threadRow = threadIdx.x / (BN / TN);

  __shared__ __align__(16) float As[BK * BM];
  __shared__ __align__(16) float Bs[BK * BN];

  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;

  const uint innerRowA = threadIdx.x / (BK / 4);
  const uint innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4);
  const uint innerColB = threadIdx.x % (BN / 4);

  float threadResults[TM * TN] = {0.0};
  float regM[TM] = {0.0};
  float regN[TN] = {0.0};

  for (uint bkIdx = 0; bkIdx < K; bkIdx += BK) {
    if (innerRowA < BM) {
      float4 tmp = FETCH_FLOAT4(A[OFFSET(innerRowA, innerColA * 4, K)]);
      As[(innerColA * 4 + 0) * BM + innerRowA] = tmp.x;
      As[(innerColA * 4 + 1) * BM + innerRowA] = tmp.y;
      As[(innerColA * 4 + 2) * BM + innerRowA] = tmp.z;
      As[(innerColA * 4 + 3) * BM + innerRowA] = tmp.w;
    }
    if (innerRowB < BK) FETCH_FLOAT4(Bs[OFFSET(innerRowB, innerColB * 4, BN)]) = FETCH_FLOAT4(B[OFFSET(innerRowB, innerColB * 4, N)]);
    __syncthreads();
    A += BK;
    B += BK * N;
#pragma unroll
    for (uint dotIdx = 0; dotIdx < BK; ++dotIdx) {
      for (uint i = 0; i < TM; ++i) regM[i] = As[dotIdx * BM + threadRow * TM + i];
      for (uint i = 0; i < TN; ++i) regN[i] = Bs[dotIdx * BN + threadCol * TN + i];
      for (uint resIdxM = 0; resIdxM < TM; ++resIdxM)
        for (uint resIdxN = 0; resIdxN < TN; ++resIdxN) threadResults[resIdxM * TN + resIdxN] += regM[resIdxM] * regN[resIdxN];
    }
    __syncthreads();
  }
  for (uint resIdxM = 0; resIdxM < TM; resIdxM += 1) {
    float4 tmp = FETCH_FLOAT4(C[OFFSET(threadRow * TM + resIdxM, threadCol * TN, N)]);
    tmp.x = alpha * threadResults[resIdxM * TN + 0] + beta * tmp.x;
    tmp.y = alpha * threadResults[resIdxM * TN + 1] + beta * tmp.y;
    tmp.z = alpha * threadResults[resIdxM * TN + 2] + beta * tmp.z;
    tmp.w = alpha * threadResults[resIdxM * TN + 3] + beta * tmp.w;
    FETCH_FLOAT4(C[OFFSET(threadRow * TM + resIdxM, threadCol * TN, N)]) = tmp;
  }
}

void randomize_matrix(float* mat, int N) {
  for (int i = 0; i < N; i++) mat[i] = (float)(rand() % 5) + 0.01f * (rand() % 5);
}

void run_cublas(cublasHandle_t handle, int M, int N, int K, float alpha, float* A, float* B, float beta, float* C) {
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &alpha, B, N, A, K, &beta, C, N);
}

int main(int argc, char** argv) {
  const int m = argc > 1 ? atoi(argv[1]) : 512;
  assert(m % 64 == 0);
  float *A, *B, *C;
  cudaMalloc((void**)&A, sizeof(float) * m * m);
  cudaMalloc((void**)&B, sizeof(float) * m * m);
  cudaMalloc((void**)&C, sizeof(float) * m * m);
  cublasHandle_t handle;
  if (cublasCreate(&handle)) return printf("no cuBLAS\n"), EXIT_FAILURE;
  dim3 gridDim(CEIL_DIV(m, BN), CEIL_DIV(m, BM)), blockDim((BM * BN) / (TM * TN));
  sgemm_blocktiling<<<gridDim, blockDim>>>(m, m, m, 0.5f, A, B, 3.0f, C);
  run_cublas(handle, m, m, m, 0.5f, A, B, 3.0f, C);
  cublasDestroy(handle);
  return 0;
}
