struct Colour { unsigned char c[3]; };
struct Cone { float h, s, v; };
extern "C" __global__ void make_colours(Colour* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) p[i].c[k] = (i * (89 + 34 * k) + i / 7) & 255;
  if (i % 16 == 0) p[i].c[1] = p[i].c[2] = p[i].c[0];
}
extern "C" __global__ void first_members(const Cone* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i].h;
}
extern "C" __global__ void to_rgb(const Cone* in, Colour* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 3; ++k) {
    double x = fmod(5 - 2 * k + in[i].h / 60.0, 6.0), down = x < 4 - x ? x : 4 - x;
    down = down < 0 ? 0 : down > 1 ? 1 : down;
    out[i].c[k] = (unsigned char)(255 * (in[i].v - in[i].v * in[i].s * down) + 0.5);
  }
}
