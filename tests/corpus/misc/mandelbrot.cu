#include <cstdint>
#include <complex>
#include <iostream>
#include <fstream>
#include <vector>
#include <array>
#include <string>

// Mandelbrot set: each row of a block votes to stop early; iteration counts go to bytes by a palette in constant memory.
namespace config {
constexpr int kMaxIterations = 200;
enum class Colour : uint8_t { kInside = 0, kEdge = 1, kOutside = 2 };
}  // namespace config

__constant__ uint8_t palette[config::kMaxIterations + 1];

__device__ bool escaped(double re, double im) { return re * re + im * im > 4.0; }

__global__ void mandelbrot(uint8_t* pixels, int width, int height, double x0, double y0, double step) {
  using config::kMaxIterations;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const double cr = x0 + step * x, ci = y0 + step * y;
  double re = 0, im = 0;
  int count = 0;
  for (int i = 0; i < kMaxIterations; ++i) {
    const bool out = escaped(re, im);
    if (__all_sync(0xffffffff, out)) break;
    if (!out) {
      const double t = re * re - im * im + cr;
      im = 2 * re * im + ci;
      re = t;
      ++count;
    }
  }
  if (x < width && y < height) pixels[y * width + x] = palette[count];
}

class Image {
 public:
  Image(int w, int h) : w_(w), h_(h), bytes_(static_cast<size_t>(w) * h) {}
  void save(const std::string& path) const {
    std::ofstream f(path, std::ios::binary);
    f << "P5\n" << w_ << ' ' << h_ << "\n255\n";
    f.write(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  }
  uint8_t* data() { return bytes_.data(); }

 private:
  int w_, h_;
  std::vector<uint8_t> bytes_;
};

int main() {
  std::array<uint8_t, config::kMaxIterations + 1> table;
  for (size_t i = 0; i < table.size(); ++i) table[i] = 255 - i;
  cudaMemcpyToSymbol(palette, table.data(), table.size());
  const std::complex<double> corner(-2, -1.25);
  Image image(800, 600);
  uint8_t* pixels;
  cudaMalloc(&pixels, 800 * 600);
  mandelbrot<<<dim3(25, 75), dim3(32, 8)>>>(pixels, 800, 600, corner.real(), corner.imag(), 0.005);
  cudaMemcpy(image.data(), pixels, 800 * 600, cudaMemcpyDeviceToHost);
  image.save("mandelbrot.pgm");
}
