extern "C" __global__ void dft(const float* in, double* out) {
  double re = 0, im = 0;
  for (int j = 0; j < 64; ++j) {
    double angle = -2 * 3.14159265358979323846 * (j * threadIdx.x % 64) / 64, c = cos(angle), s = sin(angle);
    double x = in[2 * (blockIdx.x * 64 + j)], y = in[2 * (blockIdx.x * 64 + j) + 1];
    re += x * c - y * s;
    im += x * s + y * c;
  }
  out[2 * (blockIdx.x * 64 + threadIdx.x)] = re;
  out[2 * (blockIdx.x * 64 + threadIdx.x) + 1] = im;
}
