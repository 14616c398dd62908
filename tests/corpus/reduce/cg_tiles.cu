#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <numeric>
#include <vector>

namespace cg = cooperative_groups;

// Each row of a matrix is summed by a tile of 16 work-items; the block then adds its rows' sums.
template <int TileSize>
__global__ void row_sums(const float* __restrict__ m, float* __restrict__ rows, float* __restrict__ blocks, int n_rows,
                         int n_cols) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<TileSize> tile = cg::tiled_partition<TileSize>(block);
  __shared__ float sums[1024 / TileSize];

  const int tiles_per_block = block.size() / TileSize;
  const int row = block.group_index().x * tiles_per_block + tile.meta_group_rank();
  float sum = 0.f;
  if (row < n_rows)
    for (int c = tile.thread_rank(); c < n_cols; c += tile.size()) sum += m[row * n_cols + c];
  sum = cg::reduce(tile, sum, cg::plus<float>());
  if (tile.thread_rank() == 0) {
    sums[tile.meta_group_rank()] = sum;
    if (row < n_rows) rows[row] = sum;
  }
  block.sync();
  if (block.thread_rank() == 0) {
    float total = 0.f;
    for (int t = 0; t < tiles_per_block; ++t) total += sums[t];
    blocks[block.group_index().x] = total;
  }
}

int main() {
  constexpr int n_rows = 1000, n_cols = 333;
  std::vector<float> m(n_rows * n_cols);
  std::iota(m.begin(), m.end(), 0.f);
  float *d_m, *d_rows, *d_blocks;
  cudaMalloc(&d_m, m.size() * sizeof(float));
  cudaMalloc(&d_rows, n_rows * sizeof(float));
  const int blocks = (n_rows + 7) / 8;
  cudaMalloc(&d_blocks, blocks * sizeof(float));
  cudaMemcpy(d_m, m.data(), m.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_sums<16><<<blocks, 128>>>(d_m, d_rows, d_blocks, n_rows, n_cols);
  std::vector<float> rows(n_rows);
  cudaMemcpy(rows.data(), d_rows, n_rows * sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("row 0: %g\n", rows[0]);
  cudaFree(d_m), cudaFree(d_rows), cudaFree(d_blocks);
}
