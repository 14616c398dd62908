// z = alpha x + y, UNROLL elements for each thread, one block apart.
template <typename T, int UNROLL>
__global__ void axpy(int n, T alpha, const T* x, const T* y, T* z) {
  int i = blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
  for (int u = 0; u < UNROLL; ++u) {
    if (i < n) z[i] = alpha * x[i] + y[i];
    i += blockDim.x;
  }
}
