// y = A x for a matrix in compressed rows: one row for each work-item, and one row for each warp.
#include <cuda_runtime.h>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

template <typename IndexType, typename ValueType>
struct csr_view {
  IndexType rows;
  const IndexType* offsets;
  const IndexType* columns;
  const ValueType* values;
};

template <typename I, typename V>
__global__ void spmv_scalar(I rows, const I* __restrict__ offsets, const I* __restrict__ columns, const V* __restrict__ values,
                            const V* __restrict__ x, V* __restrict__ y) {
  for (I row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += blockDim.x * gridDim.x) {
    V sum = V{0};
    for (I k = offsets[row]; k < offsets[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

template <typename I, typename V>
__global__ void spmv_vector(I rows, const I* __restrict__ offsets, const I* __restrict__ columns, const V* __restrict__ values,
                            const V* __restrict__ x, V* __restrict__ y) {
  constexpr int warp_width = 32;
  const int lane = threadIdx.x % warp_width;
  const I row = (blockIdx.x * blockDim.x + threadIdx.x) / warp_width;
  if (row >= rows) return;
  V sum = 0;
  for (I k = offsets[row] + lane; k < offsets[row + 1]; k += warp_width) sum += values[k] * x[columns[k]];
  for (int delta = warp_width / 2; delta > 0; delta >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, delta);
  if (lane == 0) y[row] = sum;
}

struct Triplets {
  std::map<std::pair<int, int>, double> entries;
  int rows = 0, cols = 0;
  bool load(const std::string& path) {
    std::ifstream f(path);
    std::string line;
    while (std::getline(f, line))
      if (line.empty() || line[0] != '%') break;
    long nnz;
    if (std::sscanf(line.c_str(), "%d %d %ld", &rows, &cols, &nnz) != 3) return false;
    for (long k = 0; k < nnz; ++k) {
      int i, j;
      double v;
      f >> i >> j >> v;
      entries[{i - 1, j - 1}] = v;
    }
    return bool(f);
  }
};

int main(int argc, char** argv) {
  Triplets t;
  if (argc < 2 || !t.load(argv[1])) {
    std::cerr << "usage: " << argv[0] << " matrix.mtx\n";
    return 2;
  }
  std::vector<int> offsets(t.rows + 1), columns;
  std::vector<double> values;
  for (const auto& [ij, v] : t.entries) {
    ++offsets[ij.first + 1];
    columns.push_back(ij.second);
    values.push_back(v);
  }
  for (int i = 0; i < t.rows; ++i) offsets[i + 1] += offsets[i];
  csr_view<int, double> a{t.rows, offsets.data(), columns.data(), values.data()};
  double *x, *y;
  cudaMalloc(&x, t.cols * sizeof(double));
  cudaMalloc(&y, t.rows * sizeof(double));
  const auto start = std::chrono::high_resolution_clock::now();
  spmv_scalar<int, double><<<(t.rows + 127) / 128, 128>>>(a.rows, a.offsets, a.columns, a.values, x, y);
  spmv_vector<int, double><<<(t.rows + 3) / 4, 128>>>(a.rows, a.offsets, a.columns, a.values, x, y);
  cudaDeviceSynchronize();
  std::cout << std::chrono::duration<double>(std::chrono::high_resolution_clock::now() - start).count() << " s\n";
}
