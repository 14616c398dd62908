// A complex matrix times a vector with cuComplex, and the same with an own class of complex numbers with operators.
#include <cuComplex.h>
#include <cuda_runtime.h>
#include <complex>
#include <cstdio>
#include <vector>

template <class Real>
class Complex {
 public:
  Real re, im;
  __host__ __device__ Complex(Real r = 0, Real i = 0) : re(r), im(i) {}
  __host__ __device__ friend Complex operator*(const Complex& a, const Complex& b) {
    return Complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  __host__ __device__ Complex& operator+=(const Complex& b) {
    re += b.re, im += b.im;
    return *this;
  }
  __host__ __device__ Complex conj() const { return {re, -im}; }
  __host__ friend std::complex<Real> to_std(const Complex& c) { return {c.re, c.im}; }
};

__global__ void gemv_cu(const cuDoubleComplex* a, const cuDoubleComplex* x, cuDoubleComplex* y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  cuDoubleComplex sum = make_cuDoubleComplex(0, 0);
  for (int k = 0; k < columns; k++) sum = cuCfma(a[i * columns + k], x[k], sum);
  y[i] = sum;
}

template <typename C>
__global__ void gemv_own(const C* a, const C* x, C* y, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  C sum;
  for (int k = 0; k < columns; k++) sum += a[i * columns + k] * x[k].conj();
  y[i] = sum;
}

int main() {
  std::vector<std::complex<double>> a(100 * 100, {1, 2}), x(100, {0, 1});
  cuDoubleComplex *d_a, *d_x, *d_y;
  cudaMalloc(&d_a, a.size() * sizeof *d_a);
  cudaMalloc(&d_x, x.size() * sizeof *d_x);
  cudaMalloc(&d_y, 100 * sizeof *d_y);
  cudaMemcpy(d_a, a.data(), a.size() * sizeof *d_a, cudaMemcpyHostToDevice);
  cudaMemcpy(d_x, x.data(), x.size() * sizeof *d_x, cudaMemcpyHostToDevice);
  gemv_cu<<<1, 128>>>(d_a, d_x, d_y, 100, 100);
  using Z = Complex<double>;
  gemv_own<Z><<<1, 128>>>((Z*)d_a, (Z*)d_x, (Z*)d_y, 100, 100);
  Z y;
  cudaMemcpy(&y, d_y, sizeof y, cudaMemcpyDeviceToHost);
  std::printf("%g\n", std::abs(to_std(y)));
}
