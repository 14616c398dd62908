// Entry (i, j) is there where i * j % 7 < 2 + i % 3.
__device__ bool is_there(int i, int j) { return i * j % 7 < 2 + i % 3; }
extern "C" __global__ void make_offsets(int* offsets, int rows) {
  offsets[0] = 0;
  for (int i = 0; i < rows; ++i) {
    int n = 0;
    for (int j = 0; j < rows; ++j) n += is_there(i, j);
    offsets[i + 1] = offsets[i] + n;
  }
}
extern "C" __global__ void make_columns(int* columns, int rows) {
  int n = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j)
      if (is_there(i, j)) columns[n++] = j;
  for (; n < rows * rows; ++n) columns[n] = 0;
}
extern "C" __global__ void by_dense_rows(int rows, const double* values, const double* x, double* y) {
  int n = 0;
  for (int i = 0; i < rows; ++i) {
    y[i] = 0;
    for (int j = 0; j < rows; ++j) y[i] += is_there(i, j) ? values[n++] * x[j] : 0.0;
  }
}
