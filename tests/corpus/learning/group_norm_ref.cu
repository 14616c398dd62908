// One work-item a group, in double, with the mean of squares.
extern "C" __global__ void group_norm_ref(const float* x, const float* weight, const float* bias, double* y, double* mean_out, double* rstd_out,
                                          int channels, int groups, int pixels, double eps) {
  const int per_group = channels / groups;
  const float* from = x + ((long long)blockIdx.y * groups + blockIdx.x) * per_group * pixels;
  double* to = y + (from - x);
  double sum = 0, squares = 0;
  for (int i = 0; i < per_group * pixels; ++i) {
    sum += from[i];
    squares += (double)from[i] * from[i];
  }
  const double mean = sum / (per_group * pixels);
  const double rstd = 1 / sqrt(squares / (per_group * pixels) - mean * mean + eps);
  for (int c = 0; c < per_group; ++c) {
    const int channel = blockIdx.x * per_group + c;
    for (int p = 0; p < pixels; ++p) to[c * pixels + p] = (from[c * pixels + p] - mean) * rstd * weight[channel] + bias[channel];
  }
  mean_out[blockIdx.y * groups + blockIdx.x] = mean;
  rstd_out[blockIdx.y * groups + blockIdx.x] = rstd;
}
