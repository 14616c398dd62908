// Mean and variance of columns of samples in one pass (Welford, merged by Chan's formula), in the style of a statistics library.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace stats {

template <typename Real>
struct Moments {
  Real mean;
  Real m2;
  int32_t count;

  __host__ __device__ Moments() : mean(0), m2(0), count(0) {}
  __host__ __device__ void add(Real x) {
    ++count;
    Real delta = x - mean;
    mean += delta / count;
    m2 += delta * (x - mean);
  }
  __host__ __device__ Moments& operator+=(const Moments& o) {
    if (o.count == 0) return *this;
    const int32_t total = count + o.count;
    const Real delta = o.mean - mean;
    mean += delta * o.count / total;
    m2 += o.m2 + delta * delta * count * o.count / total;
    count = total;
    return *this;
  }
  __host__ __device__ Real variance() const { return count > 1 ? m2 / (count - 1) : Real(0); }
};

constexpr int kBlock = 64;

template <typename Real>
__global__ void __launch_bounds__(kBlock) column_moments(const Real* samples, int rows, int columns, Real* mean, Real* variance) {
  __shared__ Real s_mean[kBlock];
  __shared__ Real s_m2[kBlock];
  __shared__ int32_t s_count[kBlock];
  const int column = blockIdx.x;
  Moments<Real> mine;
  for (int r = threadIdx.x; r < rows; r += kBlock) mine.add(samples[static_cast<size_t>(r) * columns + column]);
  for (int half = kBlock / 2; half >= 1; half /= 2) {
    s_mean[threadIdx.x] = mine.mean;
    s_m2[threadIdx.x] = mine.m2;
    s_count[threadIdx.x] = mine.count;
    __syncthreads();
    if (threadIdx.x < half) {
      Moments<Real> other;
      other.mean = s_mean[threadIdx.x + half];
      other.m2 = s_m2[threadIdx.x + half];
      other.count = s_count[threadIdx.x + half];
      mine += other;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    mean[column] = mine.mean;
    variance[column] = mine.variance();
  }
}

class DeviceArray {
 public:
  explicit DeviceArray(size_t n) { cudaMalloc(&data_, n * sizeof(double)); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  double* get() const { return data_; }

 private:
  double* data_ = nullptr;
};

}  // namespace stats

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::stoi(argv[1]) : 4096, columns = argc > 2 ? std::stoi(argv[2]) : 16;
  std::unique_ptr<double[]> host(new double[rows * columns]);
  for (int i = 0; i < rows * columns; ++i) host[i] = std::rand() / (double)RAND_MAX;
  stats::DeviceArray samples(rows * columns), mean(columns), variance(columns);
  cudaMemcpy(samples.get(), host.get(), rows * columns * sizeof(double), cudaMemcpyHostToDevice);
  stats::column_moments<double><<<columns, stats::kBlock>>>(samples.get(), rows, columns, mean.get(), variance.get());
  if (cudaGetLastError() != cudaSuccess) return EXIT_FAILURE;
  double m;
  cudaMemcpy(&m, mean.get(), sizeof m, cudaMemcpyDeviceToHost);
  std::printf("%f\n", m);
}
