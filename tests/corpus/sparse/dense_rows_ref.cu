// One work-item a row. All elements that no entry takes stay as they were.
extern "C" __global__ void rows_in_order(const float* dense, int columns, int capacity, unsigned short* column_of, float* value_of, int* counts, float* positive,
                                         float* negative, float threshold) {
  const int row = blockIdx.x;
  int n = 0;
  float most = 0, least = 0;
  for (int c = 0; c < columns; ++c) {
    const float v = dense[row * columns + c];
    if (-threshold <= v && v <= threshold) continue;
    if (n < capacity) {
      column_of[row * capacity + n] = c;
      value_of[row * capacity + n] = v;
      most = v > most ? v : most;
      least = v < least ? v : least;
    }
    ++n;
  }
  counts[row] = n;
  positive[row] = most;
  negative[row] = least;
}
