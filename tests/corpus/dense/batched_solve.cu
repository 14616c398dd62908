#include <cstdio>
#include <cstdlib>
#include <vector>

// Thomas' algorithm for many tridiagonal systems at once. As batched libraries do, the kernel takes arrays of
// pointers: one pointer for each system.
__global__ void solve_batched(const double* const* lower, const double* const* middle, const double* const* upper,
                              double** right, int n, int batch) {
  extern __shared__ double changed[];  // upper diagonals, one row for each thread
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= batch) return;
  double* c = changed + threadIdx.x * n;
  const double* a = lower[system];
  const double* b = middle[system];
  const double* e = upper[system];
  double* x = right[system];
  c[0] = e[0] / b[0];
  x[0] /= b[0];
  for (int i = 1; i < n; ++i) {
    const double pivot = 1.0 / (b[i] - a[i] * c[i - 1]);
    c[i] = e[i] * pivot;
    x[i] = (x[i] - a[i] * x[i - 1]) * pivot;
  }
  for (int i = n - 2; i >= 0; --i) x[i] -= c[i] * x[i + 1];
}

struct Batch {
  std::vector<double*> rows;
  double** device = nullptr;

  Batch(int n, int batch, double value) : rows(batch) {
    const std::vector<double> content(n, value);
    for (double*& row : rows) {
      cudaMalloc(&row, n * sizeof(double));
      cudaMemcpy(row, content.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    }
    cudaMalloc(&device, batch * sizeof(double*));
    cudaMemcpy(device, rows.data(), batch * sizeof(double*), cudaMemcpyHostToDevice);
  }
  ~Batch() {
    for (double* row : rows) cudaFree(row);
    cudaFree(device);
  }
};

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 64, batch = 1000;
  Batch lower(n, batch, -1.0), middle(n, batch, 4.0), upper(n, batch, -1.0), right(n, batch, 2.0);
  solve_batched<<<(batch + 31) / 32, 32, 32 * n * sizeof(double)>>>(lower.device, middle.device, upper.device,
                                                                    right.device, n, batch);
  double x = 0;
  cudaMemcpy(&x, right.rows[0] + n / 2, sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("middle of the first solution: %g\n", x);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
