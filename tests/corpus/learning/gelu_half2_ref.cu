// Multiples of 1/128 from -4 on, which half has exactly; in bits, so that no header of half is needed.
__device__ float number(int i) { return (i % 1024 - 512) / 128.f; }
extern "C" __global__ void make_in(unsigned short* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = number(i), size = x < 0 ? -x : x;
  int exponent = 15;
  if (size == 0) { in[i] = 0; return; }
  for (; size >= 2; size /= 2) ++exponent;
  for (; size < 1; size *= 2) --exponent;
  in[i] = (x < 0 ? 0x8000 : 0) | exponent << 10 | (int)((size - 1) * 1024);
}
extern "C" __global__ void gelu_ref(double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = number(i) * 0.5 * erfc(-number(i) / sqrt(2.0));
}
extern "C" __global__ void twice(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.5f * number(i);
}
