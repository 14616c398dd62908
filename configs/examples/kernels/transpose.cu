// out = in^T by tiles in shared memory. One column of padding keeps the transposed reads off a single bank.
#ifndef TILE
#define TILE 32
#endif

extern __shared__ float tile[];

extern "C" __global__ void transpose(float* out, const float* in, int rows, int columns) {
  int column = blockIdx.x * TILE + threadIdx.x;
  int row = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += blockDim.y) {
    if (row + k < rows && column < columns) {
      tile[(threadIdx.y + k) * (TILE + 1) + threadIdx.x] = in[(row + k) * columns + column];
    }
  }
  __syncthreads();

  column = blockIdx.y * TILE + threadIdx.x;  // of out
  row = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += blockDim.y) {
    if (row + k < columns && column < rows) {
      out[(row + k) * rows + column] = tile[threadIdx.x * (TILE + 1) + threadIdx.y + k];
    }
  }
}
