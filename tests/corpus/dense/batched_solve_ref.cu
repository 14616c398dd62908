// Elimination from the last row to the first, which is the other way round.
extern "C" __global__ void solve_upwards(double* x, double* pivots, const double* lower, const double* middle,
                                         const double* upper, const double* right, int n) {
  const int first = blockIdx.x * n;
  pivots += first, lower += first, middle += first, upper += first, right += first, x += first;
  pivots[n - 1] = middle[n - 1];
  x[n - 1] = right[n - 1];
  for (int i = n - 2; i >= 0; --i) {
    const double factor = upper[i] / pivots[i + 1];
    pivots[i] = middle[i] - factor * lower[i + 1];
    x[i] = right[i] - factor * x[i + 1];
  }
  x[0] /= pivots[0];
  for (int i = 1; i < n; ++i) x[i] = (x[i] - lower[i] * x[i - 1]) / pivots[i];
}
