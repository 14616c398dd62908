#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

// GELU of half numbers, two at a time, and a fused bias; the tail one by one.
__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678118f)); }

__global__ void gelu_half2(const half* __restrict__ in, half* __restrict__ out, int n) {
  const half2* in2 = reinterpret_cast<const half2*>(in);
  half2* out2 = reinterpret_cast<half2*>(out);
  const int pairs = n / 2, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pairs) {
    const float2 x = __half22float2(in2[i]);
    out2[i] = __floats2half2_rn(gelu(x.x), gelu(x.y));
  } else if (i == pairs && n % 2) {
    out[n - 1] = __float2half(gelu(__half2float(in[n - 1])));
  }
}

__global__ void scale_add(const __half* a, const __half* b, __half* c, float alpha, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __hfma(__float2half_rn(alpha), a[i], b[i]);
}

int main() {
  const int n = 100001;
  std::vector<half> h(n);
  for (int i = 0; i < n; ++i) h[i] = __float2half(std::sin(float(i)));
  half *a, *b;
  cudaMalloc(&a, n * sizeof(half));
  cudaMalloc(&b, n * sizeof(half));
  cudaMemcpy(a, h.data(), n * sizeof(half), cudaMemcpyHostToDevice);
  gelu_half2<<<(n / 2 + 256) / 256, 256>>>(a, b, n);
  scale_add<<<(n + 255) / 256, 256>>>(a, b, b, 0.5f, n);
  cudaMemcpy(h.data(), b, n * sizeof(half), cudaMemcpyDeviceToHost);
  std::printf("%f\n", __half2float(h[1]));
}
