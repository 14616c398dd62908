// After s sweeps an element is the sum of its neighbours with the binomial numbers of 2 s.
extern "C" __global__ void binomial_ref(const unsigned* in, unsigned* out, unsigned* own, int sweeps, int threads) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, first = i / threads * threads;
  unsigned long long binomial = 1;
  unsigned sum = 0;
  for (int k = 0; k <= 2 * sweeps; ++k) {
    sum += (unsigned)binomial * in[first + (i - first + k - sweeps + 8 * threads) % threads];
    binomial = binomial * (2 * sweeps - k) / (k + 1);
  }
  out[i] = sum;
  unsigned v = in[i];
  for (int s = 0; s < sweeps; ++s) {
    v = v + s;
    v = v ^ (v * 128u);
    v = v ^ (v / 512u);
  }
  own[i] = v;
}
