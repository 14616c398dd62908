extern "C" __global__ void sums_of_iota(int* exact, int* exact_after, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  exact[i] = i * (i + 1) / 2;
  exact_after[i] = n * (n - 1) / 2 - exact[i];
}
