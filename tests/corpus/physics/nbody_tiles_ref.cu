template <class T>
__global__ void newton(const T* p, double* out) {
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  double a[3] = {0, 0, 0};
  for (int j = n - 1; j >= 0; --j) {
    double d[3], square = sizeof(T) == 4 ? (double)0.01f : 0.01;
    for (int k = 0; k < 3; ++k) {
      d[k] = (double)p[4 * j + k] - (double)p[4 * i + k];
      square += d[k] * d[k];
    }
    for (int k = 0; k < 3; ++k) a[k] += p[4 * j + 3] * d[k] / (square * sqrt(square));
  }
  for (int k = 0; k < 3; ++k) out[4 * i + k] = a[k];
  out[4 * i + 3] = 0;
}
