// Trilinear samples by hand. CUDA rounds the weights to 8 bits, which moves a sample by less than 3 / 512.
__device__ double at(const unsigned char* v, int nx, int ny, int nz, int x, int y, int z) {
  x = x < 0 ? 0 : x >= nx ? nx - 1 : x;
  y = y < 0 ? 0 : y >= ny ? ny - 1 : y;
  z = z < 0 ? 0 : z >= nz ? nz - 1 : z;
  return v[(z * ny + y) * nx + x] / 255.0;
}
extern "C" __global__ void rays_ref(const unsigned char* v, float* out, int w, int h, int steps, float density, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  double sum = 0, through = 1;
  for (int s = 0; s < steps && through >= 0.01; ++s) {
    const double t = (s + 0.5) / steps;
    const double p[3] = {((i % w + 0.5) / w + 0.125 * t) * nx - 0.5, ((i / w + 0.5) / h - 0.0625 * t) * ny - 0.5, t * nz - 0.5};
    int n[3];
    double f[3], sample = 0;
    for (int k = 0; k < 3; ++k) {
      n[k] = int(floor(p[k]));
      f[k] = p[k] - n[k];
    }
    for (int c = 0; c < 8; ++c) {
      const int dx = c & 1, dy = c >> 1 & 1, dz = c >> 2;
      sample += (dx ? f[0] : 1 - f[0]) * (dy ? f[1] : 1 - f[1]) * (dz ? f[2] : 1 - f[2]) * at(v, nx, ny, nz, n[0] + dx, n[1] + dy, n[2] + dz);
    }
    sum += through * sample * density;
    through *= 1 - sample * density;
  }
  out[i] = float(sum);
}
