extern "C" __global__ void jacobi_serial(double* exact, double* other, const float* start, int nx, int ny, int sweeps) {
  for (int i = 0; i < nx * ny; ++i) exact[i] = start[i];
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        const int i = y * nx + x;
        const bool edge = x == 0 || y == 0 || x == nx - 1 || y == ny - 1;
        other[i] = edge ? exact[i] : 0.25 * (exact[i - 1] + exact[i + 1] + exact[i - nx] + exact[i + nx]);
      }
    }
    for (int i = 0; i < nx * ny; ++i) exact[i] = other[i];
  }
}
