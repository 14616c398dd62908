// Row blockIdx.x, column threadIdx.x.
extern "C" __global__ void plain_product(double* C, const float* A, const float* B, int wA, int wB) {
  double sum = 0;
  for (int k = 0; k < wA; ++k) sum += (double)A[blockIdx.x * wA + k] * B[k * wB + threadIdx.x];
  C[blockIdx.x * wB + threadIdx.x] = sum;
}
