#include <cuda_runtime.h>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <float.h>
#include "common.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

// Online softmax of rows: a warp a row, a pair (maximum, sum) that warps merge; in the style of llm.c.
struct __align__(8) SumMax {
  float maxval;
  float sum;
};

__device__ __forceinline__ SumMax reduce_sum_max_op(SumMax a, SumMax b) {
  bool a_bigger = (a.maxval > b.maxval);
  SumMax bigger_m = a_bigger ? a : b;
  SumMax smaller_m = a_bigger ? b : a;
  SumMax res;
  res.maxval = bigger_m.maxval;
  res.sum = bigger_m.sum + smaller_m.sum * expf(smaller_m.maxval - bigger_m.maxval);
  return res;
}

__global__ void softmax_forward_online_kernel(float* out, const float* inp, int N, int C) {
  namespace cg = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (idx >= N) {
    return;
  }
  const float* x = inp + idx * C;
  SumMax sm_partial;
  sm_partial.maxval = -INFINITY;
  sm_partial.sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    sm_partial = reduce_sum_max_op(sm_partial, {x[i], 1.0f});
  }
  SumMax sm_total = cg::reduce(warp, sm_partial, reduce_sum_max_op);
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    __stcs(out + idx * C + i, expf(x[i] - sm_total.maxval) / sm_total.sum);
  }
}

void softmax_forward_online(float* out, float* inp, int N, int C, int block_size) {
  const int grid_size = ceil_div(N * 32, block_size);
  softmax_forward_online_kernel<<<grid_size, block_size>>>(out, inp, N, C);
  cudaCheck(cudaGetLastError());
}

int main(int argc, char** argv) {
  srand(0);
  int B = 8, T = 1024, V = 50257;
  cudaCheck(cudaSetDevice(0));
  float* d_out;
  float* d_inp;
  cudaCheck(cudaMalloc(&d_out, B * T * V * sizeof(float)));
  cudaCheck(cudaMalloc(&d_inp, B * T * V * sizeof(float)));
  int block_sizes[] = {32, 64, 128, 256, 512, 1024};
  for (int j = 0; j < sizeof(block_sizes) / sizeof(int); j++) softmax_forward_online(d_out, d_inp, B * T, V, block_sizes[j]);
  cudaCheck(cudaFree(d_out));
  return 0;
}
