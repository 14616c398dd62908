#include <cstdio>
#include <cmath>
#include <memory>
#include <functional>
#include <string>
#include <thrust/transform.h>
#include <thrust/device_ptr.h>

// Colour conversion by pixel functors and a table of function pointers in device memory.
struct RGB { unsigned char r, g, b; };
struct HSV { float h, s, v; };

struct ToHsv {
  __device__ HSV operator()(const RGB& p) const {
    const float r = p.r / 255.f, g = p.g / 255.f, b = p.b / 255.f;
    const float hi = fmaxf(r, fmaxf(g, b)), lo = fminf(r, fminf(g, b)), d = hi - lo;
    HSV out;
    out.v = hi;
    out.s = hi > 0 ? d / hi : 0.f;
    if (d == 0) out.h = 0.f;
    else if (hi == r) out.h = fmodf((g - b) / d + 6.f, 6.f);
    else if (hi == g) out.h = (b - r) / d + 2.f;
    else out.h = (r - g) / d + 4.f;
    out.h *= 60.f;
    return out;
  }
};

typedef float (*channel_function)(const HSV&);
__device__ float hue(const HSV& p) { return p.h; }
__device__ float saturation(const HSV& p) { return p.s; }
__device__ float value(const HSV& p) { return p.v; }
__device__ channel_function channels[3] = {hue, saturation, value};

template <class F>
__global__ void map_pixels(const RGB* in, HSV* out, int n) {
  F f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = f(in[i]);
}

__global__ void extract(const HSV* in, float* out, int which, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = channels[which](in[i]);
}

int main() {
  RGB* rgb;
  HSV* hsv;
  float* plane;
  const int n = 640 * 480;
  cudaMalloc(&rgb, n * sizeof(RGB));
  cudaMalloc(&hsv, n * sizeof(HSV));
  cudaMalloc(&plane, n * sizeof(float));
  map_pixels<ToHsv><<<32, 128>>>(rgb, hsv, n);
  std::function<void(int)> plane_of = [=](int c) { extract<<<(n + 127) / 128, 128>>>(hsv, plane, c, n); };
  for (int c = 0; c < 3; ++c) plane_of(c);
  cudaDeviceSynchronize();
}
