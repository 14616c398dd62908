__device__ int mirrored(int i, int n) { return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i; }
extern "C" __global__ void nlm_ref(const float* img, double* out) {
  int nx = blockDim.x, ny = gridDim.x, x = threadIdx.x, y = blockIdx.x;
  const float* p = img + blockIdx.y * nx * ny;
  double top = 0, bottom = 0;
  for (int k = 0; k < 49; ++k) {
    int dx = k % 7 - 3, dy = k / 7 - 3;
    double d = 0;
    for (int q = 0; q < 9; ++q) {
      int px = q % 3 - 1, py = q / 3 - 1;
      double a = p[mirrored(y + py, ny) * nx + mirrored(x + px, nx)] - (double)p[mirrored(y + dy + py, ny) * nx + mirrored(x + dx + px, nx)];
      d += a * a;
    }
    bottom += exp(-4 * d);
    top += exp(-4 * d) * p[mirrored(y + dy, ny) * nx + mirrored(x + dx, nx)];
  }
  out[(blockIdx.y * ny + y) * nx + x] = top / bottom;
}
