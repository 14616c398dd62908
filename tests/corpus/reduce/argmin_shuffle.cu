// Smallest element and its index: every warp by shuffles, then the warps of a block, then the blocks by the host.
#include <cuda_runtime.h>
#include <cfloat>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <random>
#include <vector>

#define CUDA_TRY(call)                                                                     \
  {                                                                                        \
    const cudaError_t error = call;                                                        \
    if (error != cudaSuccess) {                                                            \
      std::cerr << __FILE__ << ":" << __LINE__ << " " << cudaGetErrorString(error) << "\n"; \
      std::exit(1);                                                                        \
    }                                                                                      \
  }

struct KeyValue {
  float value;
  int index;
};

__device__ __forceinline__ KeyValue smaller(KeyValue a, KeyValue b) {
  if (b.value < a.value || (b.value == a.value && b.index < a.index)) return b;
  return a;
}

__inline__ __device__ KeyValue warpArgmin(KeyValue v) {
  for (int offset = 16; offset > 0; offset /= 2) {
    KeyValue other;
    other.value = __shfl_down_sync(0xffffffff, v.value, offset);
    other.index = __shfl_down_sync(0xffffffff, v.index, offset);
    v = smaller(v, other);
  }
  return v;
}

__inline__ __device__ KeyValue blockArgmin(KeyValue v) {
  static __shared__ KeyValue shared[32];
  int lane = threadIdx.x % 32;
  int wid = threadIdx.x / 32;
  v = warpArgmin(v);
  if (lane == 0) shared[wid] = v;
  __syncthreads();
  const KeyValue none = {FLT_MAX, 0x7fffffff};
  v = (threadIdx.x < blockDim.x / 32) ? shared[lane] : none;
  if (wid == 0) v = warpArgmin(v);
  return v;
}

__global__ void argmin(const float* __restrict__ in, KeyValue* __restrict__ out, int n) {
  KeyValue best = {FLT_MAX, 0x7fffffff};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    KeyValue mine = {in[i], i};
    best = smaller(best, mine);
  }
  best = blockArgmin(best);
  if (threadIdx.x == 0) out[blockIdx.x] = best;
}

int main(int argc, char* argv[]) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  std::vector<float> host(n);
  std::mt19937 gen(7);
  std::uniform_real_distribution<float> dist(0.f, 1.f);
  for (auto& x : host) x = dist(gen);
  float* in;
  KeyValue* out;
  CUDA_TRY(cudaMalloc(&in, n * sizeof(float)));
  CUDA_TRY(cudaMalloc(&out, 32 * sizeof(KeyValue)));
  CUDA_TRY(cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  argmin<<<32, 256>>>(in, out, n);
  argmin<<<1, 1024>>>(in, out, 32);
  CUDA_TRY(cudaDeviceSynchronize());
  std::vector<KeyValue> partial(32);
  CUDA_TRY(cudaMemcpy(partial.data(), out, 32 * sizeof(KeyValue), cudaMemcpyDeviceToHost));
  KeyValue best = partial[0];
  for (const auto& p : partial)
    if (p.value < best.value) best = p;
  std::cout << std::setprecision(8) << best.value << " at " << best.index << std::endl;
  cudaFree(in);
  cudaFree(out);
}
