struct Body { float x[3], mass, v[3], density; };
extern "C" __global__ void make_particles(Body* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) {
    p[i].x[k] = (i * (37 + 12 * k) % 101) / 101.f + 0.001f;
    p[i].v[k] = 0;
  }
  p[i].mass = 1 + i % 3;
  p[i].density = 0;
}
extern "C" __global__ void all_pairs(const Body* p, Body* out, int n, float h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int j = 0; j < n; ++j) {
    double r2 = 0;
    for (int k = 0; k < 3; ++k) r2 += ((double)p[j].x[k] - p[i].x[k]) * ((double)p[j].x[k] - p[i].x[k]);
    if (r2 < (double)h * h) sum += p[j].mass * pow(h * h - r2, 3.0);
  }
  out[i] = p[i];
  out[i].density = (float)(sum * 315 / (64 * 3.14159265358979 * pow((double)h, 9.0)));
}
