// Bitonic sort: after the launches of one `size`, runs of that length are sorted, up and down in turn.
extern "C" __global__ void exchange(unsigned* keys, int stride, int size, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int other = i ^ stride;
  if (i >= n || other < i) return;
  const unsigned a = keys[i];
  const unsigned b = keys[other];
  if ((a > b) == ((i & size) == 0)) {
    keys[i] = b;
    keys[other] = a;
  }
}

/// Another algorithm: the place of a key is the number of smaller keys, and of equal keys before it.
extern "C" __global__ void sort_by_rank(unsigned* sorted, const unsigned* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += keys[j] < keys[i] || (keys[j] == keys[i] && j < i) ? 1 : 0;
  sorted[rank] = keys[i];
}
