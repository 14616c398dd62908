// A diagonally dominant matrix; b is such that each unknown is 1.
__device__ float entry(int i, int j, int n) { return i == j ? 2.f * n : 1.f / (1.f + (i > j ? i - j : j - i)); }
extern "C" __global__ void make_a(float* a, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) a[i * n + j] = entry(i, j, n);
}
extern "C" __global__ void make_b(float* b, int n) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += entry(i, j, n);
    b[i] = (float)sum;
  }
}
extern "C" __global__ void back_substitution(const float* a, const float* b, float* x, int n) {
  for (int i = n - 1; i >= 0; --i) {
    float sum = b[i];
    for (int j = i + 1; j < n; ++j) sum -= a[i * n + j] * x[j];
    x[i] = sum / a[i * n + i];
  }
}
