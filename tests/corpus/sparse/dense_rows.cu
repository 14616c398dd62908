#include <cooperative_groups.h>
#include <cstdio>
#include <memory>
#include <random>

namespace cg = cooperative_groups;

/// The nonzeros of a dense matrix's rows, with their columns, in order: a warp takes a row, and the work-items that have
/// found one share out the places among themselves.
template <typename Index, typename Value>
__global__ void rows_of_dense(const Value* __restrict__ dense, int rows, int columns, int capacity, Index* __restrict__ column_of,
                              Value* __restrict__ value_of, int* __restrict__ counts, Value threshold) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x & 31;
  if (warp >= rows) return;
  const Value* row = dense + (size_t)warp * columns;
  int* count = counts + warp;

  for (int first_column = 0; first_column < columns; first_column += 32) {
    const int c = first_column + lane;
    const Value value = c < columns ? row[c] : Value(0);
    if (value > threshold || value < -threshold) {
      const cg::coalesced_group found = cg::coalesced_threads();
      int first = 0;
      if (found.thread_rank() == 0) first = atomicAdd(count, (int)found.size());
      first = found.shfl(first, 0);
      const int place = first + (int)found.thread_rank();
      if (place < capacity) {
        column_of[(size_t)warp * capacity + place] = (Index)c;
        value_of[(size_t)warp * capacity + place] = value;
      }
    }
    __syncwarp();
  }
}

/// The largest magnitude of a row among the entries of one sign; the others of the warp take no part.
__global__ void largest_by_sign(const float* __restrict__ values, const int* __restrict__ counts, int rows, int capacity,
                                float* __restrict__ positive, float* __restrict__ negative) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  float most = 0.f, least = 0.f;
  for (int i = threadIdx.x % 32; i < min(counts[row], capacity); i += 32) {
    const float v = values[(size_t)row * capacity + i];
    most = fmaxf(most, v);
    least = fminf(least, v);
  }
  if (most > 0.f) {
    auto active = cg::coalesced_threads();
    for (unsigned distance = 1; distance < active.size(); distance *= 2) {
      const float other = active.shfl_down(most, distance);
      if (active.thread_rank() + distance < active.size()) most = fmaxf(most, other);
    }
    if (active.thread_rank() == 0) positive[row] = most;
  }
  __syncwarp();
  if (least < 0.f) {
    auto active = cg::coalesced_threads();
    for (unsigned distance = 1; distance < active.size(); distance *= 2) {
      const float other = active.shfl_down(least, distance);
      if (active.thread_rank() + distance < active.size()) least = fminf(least, other);
    }
    if (active.thread_rank() == 0) negative[row] = least;
  }
}

namespace {

struct DeviceFree {
  void operator()(void* p) const { cudaFree(p); }
};

template <class T>
std::unique_ptr<T[], DeviceFree> device_array(std::size_t n) {
  void* p = nullptr;
  if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
  cudaMemset(p, 0, n * sizeof(T));
  return std::unique_ptr<T[], DeviceFree>(static_cast<T*>(p));
}

}  // namespace

int main() {
  const int rows = 512, columns = 1000, capacity = 128;
  std::mt19937 engine(7);
  std::uniform_real_distribution<float> numbers(-1.f, 1.f);
  std::unique_ptr<float[]> host(new float[rows * columns]);
  for (int i = 0; i < rows * columns; ++i) host[i] = numbers(engine);
  auto dense = device_array<float>(rows * columns), values = device_array<float>(rows * capacity);
  auto positive = device_array<float>(rows), negative = device_array<float>(rows);
  auto columns_found = device_array<unsigned short>(rows * capacity);
  auto counts = device_array<int>(rows);
  cudaMemcpy(dense.get(), host.get(), rows * columns * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 block(128), grid((rows * 32 + block.x - 1) / block.x);
  rows_of_dense<unsigned short, float><<<grid, block>>>(dense.get(), rows, columns, capacity, columns_found.get(), values.get(),
                                                        counts.get(), 0.9f);
  largest_by_sign<<<grid, block>>>(values.get(), counts.get(), rows, capacity, positive.get(), negative.get());
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
