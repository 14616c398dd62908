// The energies before and after a flip, by bonds; sites in the order of the rows.
__device__ int bonds(const signed char* s, int nx, int ny, int i, int j, int spin) {
  int sum = 0;
  for (int di = -1; di <= 1; ++di)
    for (int dj = -1; dj <= 1; ++dj)
      if ((di == 0) != (dj == 0)) sum -= spin * s[(i + di + nx) % nx * ny + (j + dj + ny) % ny];
  return sum;
}
extern "C" __global__ void serial(signed char* s, double inv_temp, int nx, int ny, int sweeps) {
  for (int i = 0; i < nx * ny; ++i) s[i] = 1;
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (int white = 0; white < 2; ++white)
      for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j) {
          if ((i + j) % 2 != white) continue;
          unsigned long long z = 1234 + ((sweep * 2 + 1 - white) * (nx * (ny / 2)) + i * (ny / 2) + j / 2) * 0x9E3779B97F4A7C15ULL;
          z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
          z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
          z ^= z >> 31;
          int mine = s[i * ny + j], change = bonds(s, nx, ny, i, j, -mine) - bonds(s, nx, ny, i, j, mine);
          if ((double)(z >> 11) / 9007199254740992.0 < exp(-inv_temp * change)) s[i * ny + j] = -mine;
        }
}
