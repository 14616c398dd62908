struct Market { double v[5]; };
extern "C" __global__ void make_market(Market* m) { *m = Market{{100, 105, 0.03, 0.25, 1}}; }
// The sum of the exponents, the generator in two halves of 24 bits.
__device__ double draw(unsigned& high, unsigned& low) {
  const unsigned long long a_high = 0x5DE, a_low = 0xECE66D;
  unsigned long long l = (unsigned long long)low * a_low + 0xB;
  unsigned long long h = (unsigned long long)low * a_high + (unsigned long long)high * a_low + (l >> 24);
  low = (unsigned)(l & 0xffffff);
  high = (unsigned)(h & 0xffffff);
  return (high * 16777216.0 + low + 0.5) / 281474976710656.0;
}
extern "C" __global__ void by_logarithms(double* out, int steps, int paths) {
  unsigned p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= (unsigned)paths) return;
  unsigned high = p >> 8, low = (p & 0xff) << 16 | 0x330E;
  double x = 0, mean = 0, dt = 1.0 / steps;
  for (int k = 0; k < steps; ++k) {
    double u = draw(high, low), v = draw(high, low);
    x += (0.03 - 0.03125) * dt + 0.25 * sqrt(dt) * sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
    mean += 100 * exp(x) / steps;
  }
  out[p] = fmax(mean - 105, 0.0) * exp(-0.03);
}
