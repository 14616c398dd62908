// C = alpha * A * B + beta * C on tensor cores: half in, float sums. A warp has a tile of 16 x 16.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

#define cudaErrCheck(stat) { cudaErrCheck_((stat), __FILE__, __LINE__); }
void cudaErrCheck_(cudaError_t stat, const char *file, int line) {
    if (stat != cudaSuccess) fprintf(stderr, "CUDA Error: %s %s %d\n", cudaGetErrorString(stat), file, line);
}

const int WMMA_M = 16;
const int WMMA_N = 16;
const int WMMA_K = 16;

__global__ void wmma_gemm(half *a, half *b, float *c, int M, int N, int K, float alpha, float beta) {
    // A and B are stored by columns, as BLAS has them.
    int lda = M;
    int ldb = K;
    int ldc = M;

    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = (blockIdx.y * blockDim.y + threadIdx.y);

    wmma::fragment<wmma::matrix_a, WMMA_M, WMMA_N, WMMA_K, half, wmma::col_major> a_frag;
    wmma::fragment<wmma::matrix_b, WMMA_M, WMMA_N, WMMA_K, half, wmma::col_major> b_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> acc_frag;
    wmma::fragment<wmma::accumulator, WMMA_M, WMMA_N, WMMA_K, float> c_frag;
    wmma::fill_fragment(acc_frag, 0.0f);

    for (int k = 0; k < K; k += WMMA_K) {
        int aRow = warpM * WMMA_M;
        int bCol = warpN * WMMA_N;
        if (aRow < M && bCol < N) {
            wmma::load_matrix_sync(a_frag, a + aRow + k * lda, lda);
            wmma::load_matrix_sync(b_frag, b + k + bCol * ldb, ldb);
            wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
        }
    }

    int cRow = warpM * WMMA_M;
    int cCol = warpN * WMMA_N;
    if (cRow < M && cCol < N) {
        wmma::load_matrix_sync(c_frag, c + cRow + cCol * ldc, ldc, wmma::mem_col_major);
#pragma unroll
        for (int i = 0; i < c_frag.num_elements; i++) c_frag.x[i] = alpha * acc_frag.x[i] + beta * c_frag.x[i];
        wmma::store_matrix_sync(c + cRow + cCol * ldc, c_frag, ldc, wmma::mem_col_major);
    }
}

int main(int argc, char **argv) {
    const int M = argc > 1 ? atoi(argv[1]) : 64, N = 64, K = 64;
    std::vector<half> host(M * K);
    half *a, *b;
    float *c;
    cudaErrCheck(cudaMalloc((void **)&a, M * K * sizeof(half)));
    cudaErrCheck(cudaMalloc((void **)&b, K * N * sizeof(half)));
    cudaErrCheck(cudaMalloc((void **)&c, M * N * sizeof(float)));
    for (size_t i = 0; i < host.size(); ++i) host[i] = __float2half(rand() % 8 - 4.0f);
    cudaErrCheck(cudaMemcpy(a, host.data(), host.size() * sizeof(half), cudaMemcpyHostToDevice));
    dim3 gridDim, blockDim;
    blockDim.x = 128;
    blockDim.y = 4;
    gridDim.x = (M + (WMMA_M * blockDim.x / 32 - 1)) / (WMMA_M * blockDim.x / 32);
    gridDim.y = (N + WMMA_N * blockDim.y - 1) / (WMMA_N * blockDim.y);
    wmma_gemm<<<gridDim, blockDim>>>(a, b, c, M, N, K, 2.0f, 0.5f);
    cudaErrCheck(cudaDeviceSynchronize());
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
