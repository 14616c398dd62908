// The largest whole number whose square is not above gx^2 + gy^2.
extern "C" __global__ void sobel_ref(const unsigned char* src, unsigned char* out, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x, p[3][3];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      int xx = x + i - 1, yy = y + j - 1;
      xx = xx < 0 ? 0 : xx >= w ? w - 1 : xx;
      yy = yy < 0 ? 0 : yy >= h ? h - 1 : yy;
      p[j][i] = src[yy * w + xx];
    }
  int gx = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
  int gy = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
  int r = 0;
  while (r < 255 && (r + 1) * (r + 1) <= gx * gx + gy * gy) ++r;
  out[y * w + x] = r;
}
