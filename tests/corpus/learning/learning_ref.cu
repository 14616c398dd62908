// Plain loops in double, a block of one work-item a row.
extern "C" __global__ void softmax_ref(double* out, const float* in, int n) {
  const float* row = in + blockIdx.x * n;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += exp((double)row[i]);
  for (int i = 0; i < n; ++i) out[blockIdx.x * n + i] = exp((double)row[i]) / sum;
}
extern "C" __global__ void layernorm_ref(double* out, const float* in, const float* weight, const float* bias, int n) {
  const float* row = in + blockIdx.x * n;
  double mean = 0, square = 0;
  for (int i = 0; i < n; ++i) mean += row[i];
  mean /= n;
  for (int i = 0; i < n; ++i) square += row[i] * (double)row[i];
  for (int i = 0; i < n; ++i) out[blockIdx.x * n + i] = (row[i] - mean) / sqrt(square / n - mean * mean + 1e-5) * weight[i] + bias[i];
}
extern "C" __global__ void gelu_ref(double* out, const float* in, int n) {
  for (int i = 0; i < n; ++i) out[i] = 0.5 * in[i] * (1 + erf(in[i] / sqrt(2.0)));
}
extern "C" __global__ void adam_ref(double* p, const float* p0, const float* g, int n, int steps) {
  for (int i = 0; i < n; ++i) {
    double m = 0, v = 0, x = p0[i];
    for (int t = 1; t <= steps; ++t) {
      m = 0.9 * m + 0.1 * g[i];
      v = 0.999 * v + 0.001 * g[i] * g[i];
      x -= 0.001 * (m / (1 - pow(0.9, t)) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8) + 0.01 * x);
    }
    p[i] = x;
  }
}
// One head, causal.
extern "C" __global__ void attention_ref(double* out, const float* q, const float* k, const float* v, int n, int d) {
  int row = blockIdx.x;
  double sum = 0, weight[128];
  for (int j = 0; j <= row; ++j) {
    double s = 0;
    for (int c = 0; c < d; ++c) s += (double)q[row * d + c] * k[j * d + c];
    weight[j] = exp(s / sqrt((double)d));
    sum += weight[j];
  }
  for (int c = 0; c < d; ++c) {
    double o = 0;
    for (int j = 0; j <= row; ++j) o += weight[j] * v[j * d + c];
    out[row * d + c] = o / sum;
  }
}
