#define INDEX int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return
extern "C" __global__ void crc_bits(const unsigned char* data, unsigned* crc, int block_bytes, int n) {
  INDEX;
  unsigned c = 0xffffffffu;
  for (int k = 0; k < block_bytes * 8; ++k) {
    unsigned bit = data[i * block_bytes + k / 8] >> (k % 8) & 1u;
    unsigned feedback = (c & 1u) ^ bit;
    c >>= 1;
    if (feedback) c ^= 0xEDB88320u;
  }
  crc[i] = c ^ 0xffffffffu;
}
__device__ int cell(float f) {
  int v = (int)(f * 1024.0f);
  return f < 0 ? 0 : v > 1023 ? 1023 : v;
}
extern "C" __global__ void morton_bits(const float* x, const float* y, const float* z, unsigned* code, int n) {
  INDEX;
  unsigned m = 0;
  for (int b = 9; b >= 0; --b) m = m * 8 + (cell(x[i]) >> b & 1) * 4 + (cell(y[i]) >> b & 1) * 2 + (cell(z[i]) >> b & 1);
  code[i] = m;
}
extern "C" __global__ void gray_bits(const unsigned long long* in, unsigned long long* encoded, int n) {
  INDEX;
  unsigned long long g = 0;
  for (int b = 0; b < 64; ++b) {
    int bit = in[i] >> b & 1, above = b < 63 ? in[i] >> (b + 1) & 1 : 0;
    if (bit != above) g |= 1ull << b;
  }
  encoded[i] = g;
}
extern "C" __global__ void weight_bits(const unsigned long long* in, int* weight, int n) {
  INDEX;
  int count = 0, highest = -1, lowest = -1;
  for (int b = 0; b < 64; ++b) {
    if ((in[i] >> b & 1) == 0) continue;
    ++count;
    highest = b;
    if (lowest < 0) lowest = b;
  }
  weight[i] = count + 100 * (63 - highest) + 10000 * (lowest + 1);
}
extern "C" __global__ void copy_in(const unsigned long long* in, unsigned long long* out, int n) {
  INDEX;
  out[i] = in[i];
}
