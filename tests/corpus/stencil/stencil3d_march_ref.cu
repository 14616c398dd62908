extern "C" __global__ void star(double* out, const float* u) {
  int nx = blockDim.x, ny = gridDim.x, nz = gridDim.y, x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  int at = (z * ny + y) * nx + x;
  out[at] = 0;
  if (x < 4 || y < 4 || z < 4 || x >= nx - 4 || y >= ny - 4 || z >= nz - 4) return;
  double sum = u[at];
  for (int axis = 0; axis < 3; ++axis) {
    int stride = axis == 0 ? 1 : axis == 1 ? nx : nx * ny;
    for (int d = 1; d <= 4; ++d) sum += (1 - 0.125 * d) * ((double)u[at + d * stride] + u[at - d * stride]);
  }
  out[at] = sum;
}
