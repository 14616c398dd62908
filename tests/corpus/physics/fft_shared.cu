#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <cufft.h>

#define PI 3.14159265358979323846
typedef float2 Complex;

// Radix-2 FFT of rows in shared memory, Stockham's order: no bit reversal, two halves of a buffer take turns.
static __device__ __host__ inline Complex ComplexAdd(Complex a, Complex b) { Complex c; c.x = a.x + b.x; c.y = a.y + b.y; return c; }
static __device__ __host__ inline Complex ComplexSub(Complex a, Complex b) { Complex c; c.x = a.x - b.x; c.y = a.y - b.y; return c; }
static __device__ __host__ inline Complex ComplexMul(Complex a, Complex b)
{
  Complex c;
  c.x = a.x * b.x - a.y * b.y;
  c.y = a.x * b.y + a.y * b.x;
  return c;
}

template <unsigned N>
__global__ void fft_rows(const Complex *in, Complex *out, float direction)
{
  extern __shared__ Complex buffer[];
  Complex *x = buffer, *y = buffer + N;
  const unsigned t = threadIdx.x;
  x[t] = in[blockIdx.x * N + t];
  x[t + N / 2] = in[blockIdx.x * N + t + N / 2];
  __syncthreads();
  for (unsigned half = N / 2, stride = 1; half >= 1; half >>= 1, stride <<= 1) {
    const unsigned p = t / stride, q = t % stride;
    float s, c;
    sincospif(direction * p / half, &s, &c);
    const Complex a = x[q + stride * p], b = x[q + stride * (p + half)];
    y[q + stride * 2 * p] = ComplexAdd(a, b);
    y[q + stride * (2 * p + 1)] = ComplexMul(ComplexSub(a, b), make_float2(c, s));
    __syncthreads();
    Complex *swap = x;
    x = y;
    y = swap;
  }
  out[blockIdx.x * N + t] = x[t];
  out[blockIdx.x * N + t + N / 2] = x[t + N / 2];
}

int main(void)
{
  cufftHandle plan;
  Complex *in, *out;
  cudaMalloc((void **)&in, 64 * 256 * sizeof(Complex));
  cudaMalloc((void **)&out, 64 * 256 * sizeof(Complex));
  fft_rows<256><<<64, 128, 2 * 256 * sizeof(Complex)>>>(in, out, -1.0f);
  cufftPlan1d(&plan, 256, CUFFT_C2C, 64);
  cufftExecC2C(plan, (cufftComplex *)in, (cufftComplex *)out, CUFFT_FORWARD);
  cufftDestroy(plan);
  return cudaDeviceSynchronize();
}
