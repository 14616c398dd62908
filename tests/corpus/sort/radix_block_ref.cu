extern "C" __global__ void insertion_sort(unsigned* out, const unsigned* in, int n) {
  int first = blockIdx.x * 128, end = first + 128 < n ? first + 128 : n;
  for (int i = first; i < end; ++i) {
    int k = i;
    for (; k > first && out[k - 1] > in[i]; --k) out[k] = out[k - 1];
    out[k] = in[i];
  }
}
