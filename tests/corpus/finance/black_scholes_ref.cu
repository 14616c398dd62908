#define RATE 0.02
__device__ double call_value(double s, double x, double t) {
  double v = 0.3 * sqrt(t), d1 = (log(s / x) + RATE * t) / v + v / 2, d2 = d1 - v;
  return s * 0.5 * erfc(-d1 / sqrt(2.0)) - x * exp(-RATE * t) * 0.5 * erfc(-d2 / sqrt(2.0));
}
extern "C" __global__ void exact_call(double* out, const float* s, const float* x, const float* t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = call_value(s[i], x[i], t[i]);
}
extern "C" __global__ void parity(double* out, const double*, const float* s, const float* x, const float* t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = call_value(s[i], x[i], t[i]) - s[i] + x[i] * exp(-RATE * t[i]);
}
