// The state as an array, the LCG step by step.
extern "C" __global__ void xorshift_ref(unsigned* out, int per_thread) {
  unsigned s[64] = {123456789u ^ threadIdx.x, 362436069u, 521288629u, 88675123u};
  for (int k = 0; k < per_thread; ++k) {
    unsigned t = s[k] ^ s[k] << 11;
    s[k + 4] = s[k + 3] ^ s[k + 3] >> 19 ^ t ^ t >> 8;
    out[threadIdx.x * per_thread + k] = s[k + 4];
  }
}
extern "C" __global__ void lcg_ref(unsigned* out, int n) {
  unsigned long long state = 42;
  for (int i = 0; i < n; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    out[i] = (unsigned)(state >> 32);
  }
}
