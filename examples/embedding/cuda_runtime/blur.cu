// out = a row-wise Gaussian filter of in, with 2 radius + 1 weights. Points beyond the ends count as the end.
__global__ void blur(int nx, int ny, const int radius, const float* __restrict__ weights,
                     const float* __restrict__ in, float* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nx) return;
  const float* __restrict__ row = in + blockIdx.y * nx;
  float sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const int at = i + k < 0 ? 0 : (i + k >= nx ? nx - 1 : i + k);
    sum += weights[k + radius] * row[at];
  }
  out[blockIdx.y * nx + i] = sum;
}
