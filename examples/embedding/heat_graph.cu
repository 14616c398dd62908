// One explicit step of heat conduction on nx * ny points with spacing h: v = u + r (the sum of the four
// neighbours - 4 u) with r = dt / h^2. The boundary keeps its values.
__global__ void step(int nx, int ny, double r, const double* __restrict__ u, double* __restrict__ v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx) return;
  const int j = blockIdx.y;
  const int at = j * nx + i;
  const bool inside = i > 0 && i < nx - 1 && j > 0 && j < ny - 1;
  v[at] = inside ? u[at] + r * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] - 4 * u[at]) : u[at];
}
