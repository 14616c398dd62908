extern "C" __global__ void make_gaussian(float* g, int r) {
  double x = (int)threadIdx.x - r;
  g[threadIdx.x] = (float)exp(-x * x / 32.0);
}
extern "C" __global__ void bilateral_ref(float* out, const unsigned char* in, int w, int h, int r) {
  int x = threadIdx.x, y = blockIdx.x;
  double total[4] = {0, 0, 0, 0}, weights = 0;
  for (int yy = y - r; yy <= y + r; ++yy)
    for (int xx = x - r; xx <= x + r; ++xx) {
      int cx = xx < 0 ? 0 : xx >= w ? w - 1 : xx, cy = yy < 0 ? 0 : yy >= h ? h - 1 : yy;
      double distance = 0;
      for (int c = 0; c < 3; ++c) {
        double d = (in[4 * (cy * w + cx) + c] - in[4 * (y * w + x) + c]) / 255.0;
        distance += d * d;
      }
      double weight = exp(-((xx - x) * (xx - x) + (yy - y) * (yy - y)) / 32.0 - distance / 0.02);
      for (int c = 0; c < 4; ++c) total[c] += weight * in[4 * (cy * w + cx) + c];
      weights += weight;
    }
  for (int c = 0; c < 4; ++c) out[4 * (y * w + x) + c] = (float)(total[c] / weights);
}
