// One step of heat conduction on a rank's rows of a grid, whose first and last column are fixed: v = u + r (the sum
// of the four neighbours - 4 u). `below` and `above` are the neighbours' rows. edges takes a copy of the first and
// of the last row of v, for the neighbours.
__global__ void step(const int nx, const int rows, double r, const double* __restrict__ u,
                     const double* __restrict__ below, const double* __restrict__ above, double* __restrict__ v,
                     double* __restrict__ edges) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx) return;
  const int j = blockIdx.y;
  const int at = j * nx + i;
  const double south = j > 0 ? u[at - nx] : below[i];
  const double north = j < rows - 1 ? u[at + nx] : above[i];
  const double value = i > 0 && i < nx - 1 ? u[at] + r * (u[at - 1] + u[at + 1] + south + north - 4 * u[at]) : u[at];
  v[at] = value;
  if (j == 0) edges[i] = value;
  if (j == rows - 1) edges[nx + i] = value;
}
