extern "C" __global__ void velocity(const double* f, double* ux) {
  int cells = gridDim.x * blockDim.x, at = blockIdx.x * blockDim.x + threadIdx.x;
  double rho = 0;
  for (int q = 0; q < 9; ++q) rho += f[q * cells + at];
  ux[at] = (f[cells + at] + f[5 * cells + at] + f[8 * cells + at] - f[3 * cells + at] - f[6 * cells + at] - f[7 * cells + at]) / rho;
}
extern "C" __global__ void decay(double* exact, double u0, double tau, int steps) {
  double k = 2 * 3.14159265358979323846 / gridDim.x;
  exact[blockIdx.x * blockDim.x + threadIdx.x] = u0 * sin(k * blockIdx.x) * exp(-(tau - 0.5) / 3 * k * k * steps);
}
