extern "C" __global__ void make_aj(int* Aj, int n, int pitch) {
  int row = threadIdx.x, col = row + (int)blockIdx.x - 1;
  Aj[blockIdx.x * pitch + row] = row < n && col >= 0 && col < n ? col : -1;
}
extern "C" __global__ void make_ax(float* Ax, int pitch) { Ax[blockIdx.x * pitch + threadIdx.x] = blockIdx.x == 1 ? 2.f : -1.f; }
