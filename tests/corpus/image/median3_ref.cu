// The pixel of the window with at most four smaller and at most four larger ones.
template <class T>
__global__ void median_ref(const T* in, T* out, int width, int height) {
  int x = threadIdx.x, y = blockIdx.x;
  T p[9];
  for (int k = 0; k < 9; ++k) {
    int xx = x + k % 3 - 1, yy = y + k / 3 - 1;
    xx = xx < 0 ? 0 : xx >= width ? width - 1 : xx;
    yy = yy < 0 ? 0 : yy >= height ? height - 1 : yy;
    p[k] = in[yy * width + xx];
  }
  for (int k = 0; k < 9; ++k) {
    int smaller = 0, larger = 0;
    for (int j = 0; j < 9; ++j) {
      smaller += p[j] < p[k];
      larger += p[j] > p[k];
    }
    if (smaller <= 4 && larger <= 4) out[y * width + x] = p[k];
  }
}
