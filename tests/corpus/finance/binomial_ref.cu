struct Option { double s, x, v, up, down; };
extern "C" __global__ void make_options(Option* options) {
  int i = threadIdx.x;
  double dt = 1.0 / 128, v = 0.2 * sqrt(dt), growth = exp(0.05 * dt), p = (growth - exp(-v)) / (exp(v) - exp(-v));
  options[i] = Option{100.0 + 3 * i, 100.0, v, p / growth, (1 - p) / growth};
}
// Backwards over the whole triangle, in an order of its own: each diagonal from its end.
extern "C" __global__ void by_paths(const Option* options, double* out) {
  Option o = options[blockIdx.x];
  double value[129];
  for (int i = 0; i <= 128; ++i) {
    double left = i == 128 ? 0 : value[i];
    (void)left;
    value[i] = fmax(o.x - o.s * exp(o.v * (2.0 * i - 128)), 0.0);
    for (int k = i - 1; k >= 0; --k) {  // node (i - 1 - ..., k): levels grow shorter towards the root
      double keep = o.up * value[k + 1] + o.down * value[k];
      double now = o.x - o.s * exp(o.v * (2.0 * k - (128 - (i - k))));
      value[k] = keep > now ? keep : now;
    }
  }
  out[blockIdx.x] = value[0];
}
