extern "C" __global__ void gemm_ref(double* out, const float* A, const float* B, const float* C, int K) {
  int row = blockIdx.x, N = blockDim.x, column = threadIdx.x;
  double sum = 3.0 * C[row * N + column];
  for (int k = K - 1; k >= 0; --k) sum += 0.5 * A[row * K + k] * B[k * N + column];
  out[row * N + column] = sum;
}
