extern "C" __global__ void by_rows(const signed char* query, const signed char* sequences, int n, int m, int* best) {
  const signed char* s = sequences + blockIdx.x * m;
  int row[200], top = 0;
  for (int j = 0; j <= m; ++j) row[j] = 0;
  for (int i = 0; i < n; ++i) {
    int corner = 0;
    for (int j = 1; j <= m; ++j) {
      int options[4] = {0, corner + (query[i] == s[j - 1] ? 2 : -1), row[j] - 2, row[j - 1] - 2}, h = 0;
      for (int k = 0; k < 4; ++k) h = options[k] > h ? options[k] : h;
      corner = row[j];
      row[j] = h;
      top = h > top ? h : top;
    }
  }
  best[blockIdx.x] = top;
}
