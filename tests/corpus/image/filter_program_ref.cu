// One work-item a line, two copies of it in memory; sorted by counting.
extern "C" __global__ void line_by_line(const unsigned char* src, unsigned char* dst, int* work, const int* program, int pitch) {
  int* now = work + blockIdx.x * 2 * pitch;
  int* next = now + pitch;
  for (int x = 0; x < pitch; ++x) now[x] = src[blockIdx.x * pitch + x];
  for (const int* op = program; op[0] != 7; op += 2) {
    const int argument = op[1];
    for (int x = 0; x < pitch; ++x) {
      int value = now[x];
      if (op[0] == 0) value = 255 - value;
      if (op[0] == 1) value = value * argument / 16 > 255 ? 255 : value * argument / 16;
      if (op[0] == 2) {
        value = 0;
        for (int i = x - argument; i <= x + argument; ++i) value += now[i < 0 ? 0 : i >= pitch ? pitch - 1 : i];
        value /= 2 * argument + 1;
      }
      if (op[0] == 3) {
        value = x == 0 || x == pitch - 1 ? 0 : now[x + 1] - now[x - 1];
        if (value < 0) value = -value;
      }
      if (op[0] == 4) value = now[(x + argument) % pitch];
      if (op[0] == 5) value = now[pitch - 1 - x];
      if (op[0] == 6) {
        for (value = 0;; ++value) {  // the least value of which x + 1 elements are not larger
          int count = 0;
          for (int i = 0; i < pitch; ++i) count += now[i] <= value;
          if (count > x) break;
        }
      }
      next[x] = value;
    }
    int* swapped = now;
    now = next;
    next = swapped;
  }
  for (int x = 0; x < pitch; ++x) dst[blockIdx.x * pitch + x] = (unsigned char)now[x];
}
