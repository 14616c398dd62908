#include <cmath>
#include <iostream>
#include <cuda.h>
#include <cuda_runtime.h>

/// Causal attention of one head by tiles with running maximum and sum. Br rows of Q a block, a work-item a row.
template <int D, int BR, int BC>
__global__ void flash_attention(const float *__restrict__ Q, const float *__restrict__ K, const float *__restrict__ V, float *__restrict__ O,
                                const int N, const float scale)
{
    extern __shared__ float sram[];
    float *Kj = sram, *Vj = sram + BC * D;
    const int tx = threadIdx.x, row = blockIdx.x * BR + tx;
    float q[D], o[D];
    float m = -INFINITY, l = 0.f;
    for (int c = 0; c < D; ++c) {
        q[c] = row < N ? Q[row * D + c] : 0.f;
        o[c] = 0.f;
    }
    for (int start = 0; start < N; start += BC) {
        if (start > blockIdx.x * BR + BR - 1) break;   // the same for the block
        for (int i = tx; i < BC * D; i += BR) {
            const bool there = start * D + i < N * D;
            Kj[i] = there ? K[start * D + i] : 0.f;
            Vj[i] = there ? V[start * D + i] : 0.f;
        }
        __syncthreads();
        for (int j = 0; j < BC && start + j < N; ++j) {
            if (start + j > row) continue;
            float s = 0.f;
#pragma unroll
            for (int c = 0; c < D; ++c) s += q[c] * Kj[j * D + c];
            s *= scale;
            const float m_new = fmaxf(m, s);
            const float keep = __expf(m - m_new), p = __expf(s - m_new);
            l = l * keep + p;
#pragma unroll
            for (int c = 0; c < D; ++c) o[c] = o[c] * keep + p * Vj[j * D + c];
            m = m_new;
        }
        __syncthreads();
    }
    if (row < N)
        for (int c = 0; c < D; ++c) O[row * D + c] = o[c] / l;
}

int main()
{
    constexpr int d = 16, br = 32, bc = 16, n = 1024;
    int max_sram_size;
    cudaDeviceGetAttribute(&max_sram_size, cudaDevAttrMaxSharedMemoryPerBlock, 0);
    const int sram_size = 2 * bc * d * sizeof(float);
    std::printf("Max shared memory: %d, requested shared memory: %d \n", max_sram_size, sram_size);
    float *q, *k, *v, *o;
    for (auto p : {&q, &k, &v, &o}) cudaMalloc(p, n * d * sizeof(float));
    auto kernel = flash_attention<d, br, bc>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sram_size);
    kernel<<<(n + br - 1) / br, br, sram_size>>>(q, k, v, o, n, 1.f / std::sqrt((float)d));
    cudaDeviceSynchronize();
}
