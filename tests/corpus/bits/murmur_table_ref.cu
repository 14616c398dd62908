// Keys 7 i modulo 1501; queries also for keys that are not there. A key's value is the sum of what was inserted with it.
struct Pair { unsigned key, value; };
extern "C" __global__ void make_pairs(Pair* pairs, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pairs[i] = Pair{i * 7 % 1501, i};
}
extern "C" __global__ void make_queries(Pair* queries, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) queries[i] = Pair{i, 0};
}
extern "C" __global__ void sums_of_keys(Pair* expected, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned sum = 0, found = 0;
  for (unsigned k = 0; k < n; ++k) {
    if (k * 7 % 1501 != i) continue;
    sum += k;
    found = 1;
  }
  expected[i] = Pair{i, found ? sum : 0xffffffffu};
}
