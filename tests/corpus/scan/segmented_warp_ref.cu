__device__ float number(int i) { return i * 5 % 13; }
__device__ bool is_head(int i) { return i % 17 == 3 || i % 101 == 0; }
extern "C" __global__ void make_in(float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) in[i] = number(i);
}
extern "C" __global__ void make_heads(unsigned char* heads, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) heads[i] = is_head(i);
}
extern "C" __global__ void walk(float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) out[i] = sum = is_head(i) ? number(i) : sum + number(i);
}
