// Four real products; `sign` of the imaginary part of x.
extern "C" __global__ void real_parts(const double* a, const double* x, double* y, int columns, double sign) {
  double rr = 0, ii = 0, ri = 0, ir = 0;
  const double* row = a + 2 * columns * blockIdx.x;
  for (int k = 0; k < columns; ++k) {
    rr += row[2 * k] * x[2 * k];
    ii += row[2 * k + 1] * x[2 * k + 1];
    ri += row[2 * k] * x[2 * k + 1];
    ir += row[2 * k + 1] * x[2 * k];
  }
  y[2 * blockIdx.x] = rr - sign * ii;
  y[2 * blockIdx.x + 1] = sign * ri + ir;
}
