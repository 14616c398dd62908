// The plainest form of each example, to check it against. Nothing is shared with the kernels under test.

template <typename T>
__global__ void scaled_sum(T* z, const T* x, const T* y, T alpha, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = y[i] + x[i] * alpha;
}

extern "C" __global__ void element_transpose(float* out, const float* in, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  if (column < columns) out[column * rows + row] = in[row * columns + column];
}

extern "C" __global__ void count_between(unsigned int* counts, const float* values, const float* edges,
                                         int n) {
  unsigned int count = 0;
  for (int i = 0; i < n; ++i) {
    if (values[i] >= edges[blockIdx.x] && values[i] < edges[blockIdx.x + 1]) ++count;
  }
  counts[blockIdx.x] = count;
}

extern "C" __global__ void weighted_neighbours(double* out, const float* signal, const float* weights, int n,
                                               int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int offset = -radius; offset <= radius; ++offset) {
    int from = i + offset;
    if (from < 0) from = -1 - from;
    if (from >= n) from = 2 * n - from - 1;
    sum += double(weights[offset + radius]) * double(signal[from]);
  }
  out[i] = sum;
}

extern "C" __global__ void row_softmax(double* out, const float* in, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* values = in + (long long)row * columns;
  double largest = values[0];
  for (int c = 1; c < columns; ++c) largest = values[c] > largest ? values[c] : largest;
  double sum = 0;
  for (int c = 0; c < columns; ++c) sum += exp(values[c] - largest);
  for (int c = 0; c < columns; ++c) out[(long long)row * columns + c] = exp(values[c] - largest) / sum;
}

// Sums of 1, 2, ..., modulo the range of T.
template <typename T>
__global__ void triangular_numbers(T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (T)((unsigned long long)(i + 1) * (unsigned long long)(i + 2) / 2);
}
