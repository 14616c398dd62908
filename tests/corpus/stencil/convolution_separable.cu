// Separable convolution, rows then columns, dynamic shared memory and a table of weights as a template variable's size.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>

#define KERNEL_RADIUS 3
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
__constant__ double c_Kernel[KERNEL_LENGTH];

enum Axis { kRows, kColumns };

template <Axis axis>
__global__ void convolve(double *__restrict__ dst, const double *__restrict__ src, int width, int height) {
  extern __shared__ double line[];  // a line of the image and its halo
  const int length = axis == kRows ? width : height;
  const int stride = axis == kRows ? 1 : width;
  const double *from = src + (axis == kRows ? blockIdx.x * width : blockIdx.x);
  double *to = dst + (axis == kRows ? blockIdx.x * width : blockIdx.x);
  for (int i = threadIdx.x; i < length + 2 * KERNEL_RADIUS; i += blockDim.x) {
    const int at = i - KERNEL_RADIUS;
    line[i] = (at >= 0 && at < length) ? from[at * stride] : 0.0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < length; i += blockDim.x) {
    double sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; ++j) sum += c_Kernel[KERNEL_RADIUS - j] * line[KERNEL_RADIUS + i + j];
    to[i * stride] = sum;
  }
}

extern "C" void setConvolutionKernel(double *h_Kernel) { cudaMemcpyToSymbol(c_Kernel, h_Kernel, KERNEL_LENGTH * sizeof(double)); }

int main(int argc, char **argv) {
  const int width = 1024, height = 768;
  auto h_kernel = std::make_unique<double[]>(KERNEL_LENGTH);
  for (int i = 0; i < KERNEL_LENGTH; ++i) h_kernel[i] = rand() % 16;
  setConvolutionKernel(h_kernel.get());
  double *src, *mid, *dst;
  cudaMalloc(&src, width * height * sizeof(double));
  cudaMalloc(&mid, width * height * sizeof(double));
  cudaMalloc(&dst, width * height * sizeof(double));
  const size_t bytes = (width + 2 * KERNEL_RADIUS) * sizeof(double);
  convolve<kRows><<<height, 256, bytes>>>(mid, src, width, height);
  convolve<kColumns><<<width, 256, bytes>>>(dst, mid, width, height);
  const cudaError_t result = cudaDeviceSynchronize();
  std::clog << cudaGetErrorString(result) << '\n';
  return result;
}
