// The values i * 7919 modulo n, for n without a common divisor, in a mixed and in ascending order.
__global__ void mixed(int *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = (int)((long long)i * 7919 % n);
}

__global__ void ascending(int *values, long long *sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = i;
  if (i == 0) {
    long long all = 0;
    for (int k = 0; k < n; ++k) all += (long long)k * (k % 8);
    *sum = all;
  }
}
