extern "C" __global__ void one_by_one(const unsigned* start, unsigned char* cells, unsigned* out, int words, int rows, int steps) {
  int n = 32 * words;
  unsigned char *now = cells, *next = cells + rows * n;
  for (int i = 0; i < rows * n; ++i) now[i] = start[i / 32] >> (i % 32) & 1;
  for (int t = 0; t < steps; ++t) {
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < n; ++x) {
        int sum = 0;
        for (int k = 0; k < 9; ++k) sum += k == 4 ? 0 : now[(y + k / 3 - 1 + rows) % rows * n + (x + k % 3 - 1 + n) % n];
        next[y * n + x] = sum == 3 || (sum == 2 && now[y * n + x]);
      }
    unsigned char* swap = now;
    now = next;
    next = swap;
  }
  for (int i = 0; i < rows * words; ++i) {
    out[i] = 0;
    for (int b = 0; b < 32; ++b) out[i] |= (unsigned)now[32 * i + b] << b;
  }
}
