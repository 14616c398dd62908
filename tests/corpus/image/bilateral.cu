#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector_types.h>
#include <vector_functions.h>

// Bilateral filter of RGBA pixels packed into 32 bits; the table of spatial weights is in constant memory.
__constant__ float cGaussian[64];
typedef unsigned int uint;

__device__ float euclideanLen(float4 a, float4 b, float d) {
  float mod = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
  return __expf(-mod / (2.f * d * d));
}

__device__ uint rgbaFloatToInt(float4 rgba) {
  rgba.x = __saturatef(fabsf(rgba.x));
  rgba.y = __saturatef(fabsf(rgba.y));
  rgba.z = __saturatef(fabsf(rgba.z));
  rgba.w = __saturatef(fabsf(rgba.w));
  return (uint(rgba.w * 255.0f) << 24) | (uint(rgba.z * 255.0f) << 16) | (uint(rgba.y * 255.0f) << 8) | uint(rgba.x * 255.0f);
}

__device__ float4 rgbaIntToFloat(uint c) {
  float4 rgba;
  rgba.x = (c & 0xff) * 0.003921568627f;
  rgba.y = ((c >> 8) & 0xff) * 0.003921568627f;
  rgba.z = ((c >> 16) & 0xff) * 0.003921568627f;
  rgba.w = ((c >> 24) & 0xff) * 0.003921568627f;
  return rgba;
}

inline __device__ float4 operator+(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __device__ float4 operator*(float s, float4 a) { return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }
inline __device__ void operator+=(float4 &a, float4 b) { a = a + b; }

__global__ void d_bilateral_filter(uint *od, const uint *in, int w, int h, float e_d, int r) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0.0f;
  float4 t = {0.f, 0.f, 0.f, 0.f};
  float4 center = rgbaIntToFloat(in[y * w + x]);
  for (int i = -r; i <= r; i++) {
    for (int j = -r; j <= r; j++) {
      const int xx = min(max(x + j, 0), w - 1), yy = min(max(y + i, 0), h - 1);
      float4 curPix = rgbaIntToFloat(in[yy * w + xx]);
      float factor = cGaussian[i + r] * cGaussian[j + r] * euclideanLen(curPix, center, e_d);
      t += factor * curPix;
      sum += factor;
    }
  }
  od[y * w + x] = rgbaFloatToInt((1.0f / sum) * t);
}

extern "C" void updateGaussian(float delta, int radius) {
  float fGaussian[64];
  for (int i = 0; i < 2 * radius + 1; ++i) {
    float x = (float)(i - radius);
    fGaussian[i] = expf(-(x * x) / (2.0f * delta * delta));
  }
  cudaMemcpyToSymbol(cGaussian, fGaussian, sizeof(float) * (2 * radius + 1));
}

extern "C" double bilateralFilterRGBA(uint *d_dest, const uint *d_src, int width, int height, float e_d, int radius) {
  dim3 gridSize((width + 16 - 1) / 16, (height + 16 - 1) / 16);
  dim3 blockSize(16, 16);
  d_bilateral_filter<<<gridSize, blockSize>>>(d_dest, d_src, width, height, e_d, radius);
  return 0;
}

int main() {
  uint *src, *dst;
  cudaMalloc((void **)&src, 512 * 512 * 4);
  cudaMalloc((void **)&dst, 512 * 512 * 4);
  updateGaussian(4.f, 5);
  bilateralFilterRGBA(dst, src, 512, 512, 0.1f, 5);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
