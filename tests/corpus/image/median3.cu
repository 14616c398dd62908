#include <cstdio>
#include <cstdint>
#include <vector>
#include <random>

// Median of 3 x 3 by a network of exchanges (19 of them), one template for all pixel types.
namespace img {

template <typename T> __device__ inline void cas(T& a, T& b) {
  const T lo = a < b ? a : b;
  b = a < b ? b : a;
  a = lo;
}

template <typename T>
__device__ T median9(T p[9]) {
#define X(i, j) cas(p[i], p[j])
  X(1, 2); X(4, 5); X(7, 8); X(0, 1); X(3, 4); X(6, 7); X(1, 2); X(4, 5); X(7, 8);
  X(0, 3); X(5, 8); X(4, 7); X(3, 6); X(1, 4); X(2, 5); X(4, 7); X(4, 2); X(6, 4); X(4, 2);
#undef X
  return p[4];
}

struct Size {
  int width, height;
  __host__ __device__ int area() const { return width * height; }
};

template <typename T>
struct Image {
  T* data;
  Size size;
  __device__ const T& at(int x, int y) const {
    x = ::max(0, ::min(x, size.width - 1));
    y = ::max(0, ::min(y, size.height - 1));
    return data[y * size.width + x];
  }
};

template <typename T>
__global__ void median_kernel(T* __restrict__ in, T* __restrict__ out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const Image<T> image{in, {width, height}};
  if (x >= image.size.width || y >= image.size.height) return;
  T window[9];
  int k = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) window[k++] = image.at(x + dx, y + dy);
  out[y * width + x] = median9(window);
}

template <typename T>
void median(Image<T> in, Image<T> out) {
  dim3 block(32, 4), grid((in.size.width + block.x - 1) / block.x, (in.size.height + block.y - 1) / block.y);
  median_kernel<<<grid, block>>>(in.data, out.data, in.size.width, in.size.height);
}

template void median<uint8_t>(Image<uint8_t>, Image<uint8_t>);
template void median<uint16_t>(Image<uint16_t>, Image<uint16_t>);
template void median<float>(Image<float>, Image<float>);

}  // namespace img

int main() {
  std::mt19937 rng(1);
  std::vector<uint8_t> host(640 * 480);
  for (auto& p : host) p = rng() & 255;
  img::Image<uint8_t> in{nullptr, {640, 480}}, out = in;
  cudaMalloc(&in.data, in.size.area());
  cudaMalloc(&out.data, out.size.area());
  cudaMemcpy(in.data, host.data(), host.size(), cudaMemcpyHostToDevice);
  img::median(in, out);
  cudaMemcpy(host.data(), out.data, host.size(), cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[0]);
}
