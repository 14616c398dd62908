extern "C" __global__ void box_ref(const float* image, float* out, int rows, int stride, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, first = x / width * width;
  if (x >= stride) return;
  double sum = 0;
  for (int r = y - 1; r <= y + 1; ++r)
    for (int c = x - 1; c <= x + 1; ++c)
      if (r >= 0 && r < rows && c >= first && c < first + width) sum += image[r * stride + c];
  out[y * stride + x] = float(sum);
}
