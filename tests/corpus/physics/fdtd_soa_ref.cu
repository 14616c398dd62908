// The discrete wave equation of E alone, which follows from the two updates: second difference in time is a quarter of the
// five-point Laplacian, and the source's increments add up in the first difference.
extern "C" __global__ void wave_equation(double* e, double* work, int nx, int ny, int steps) {
  int n = nx * ny, s = 11 * nx + 20;
  double *old = work, *now = work + n, *next = work + 2 * n;
  for (int i = 0; i < 3 * n; ++i) work[i] = 0;
  for (int t = 0; t < steps; ++t) {
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        int i = y * nx + x;
        bool inside = x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
        next[i] = inside ? 2 * now[i] - old[i] + 0.25 * (now[i - 1] + now[i + 1] + now[i - nx] + now[i + nx] - 4 * now[i]) : 0;
      }
    next[s] += sin(0.2 * t) - (t > 0 ? sin(0.2 * (t - 1)) : 0);
    double* rotate = old;
    old = now;
    now = next;
    next = rotate;
  }
  for (int i = 0; i < n; ++i) e[i] = now[i];
}
