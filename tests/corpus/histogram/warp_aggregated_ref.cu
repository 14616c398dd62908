extern "C" __global__ void one_bin_each(const int* values, unsigned* counts, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i] % (int)blockDim.x == (int)threadIdx.x;
  counts[threadIdx.x] = sum;
}
