// The work of barrier_kernels.h as plain loops, a block's work at a time where the kernel works so.
#include "barrier_loops.h"

#include <algorithm>
#include <cmath>

namespace kiln::bench {

void jacobi_loop(float* out, const float* in, int n) {
#pragma omp parallel for
  for (int y = 1; y < n - 1; ++y) {
    for (int x = 1; x < n - 1; ++x) {
      out[y * n + x] =
          0.25F * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
    }
  }
}

void hotspot_loop(float* out, float* between, const float* in, const float* power, int n) {
  const auto step = [n, power](float* to, const float* from) {
#pragma omp parallel for
    for (int y = 0; y < n; ++y) {
      const float* row = from + static_cast<std::size_t>(y) * static_cast<std::size_t>(n);
      const float* above = y > 0 ? row - n : row;
      const float* below = y < n - 1 ? row + n : row;
      const float* source = power + (row - from);
      float* o = to + (row - from);
      const auto point = [&](int x, float left, float right) {
        const float c = row[x];
        o[x] = c + 0.1F * (source[x] + (left + right - 2.0F * c) + (above[x] + below[x] - 2.0F * c) +
                           0.05F * (80.0F - c));
      };
      point(0, row[0], row[1]);
      for (int x = 1; x < n - 1; ++x) point(x, row[x - 1], row[x + 1]);
      point(n - 1, row[n - 2], row[n - 1]);
    }
  };
  step(between, in);
  step(out, between);
}

void layernorm_loop(float* out, const float* in, int rows, int width) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    const float* x = in + static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
    float* o = out + (x - in);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < width; ++i) sum += x[i];
    const float mean = sum / static_cast<float>(width);
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = 1.0F / std::sqrt(squares / static_cast<float>(width) + 1e-5F);
    for (int i = 0; i < width; ++i) o[i] = (x[i] - mean) * scale;
  }
}

void gemm_loop(float* c, const float* a, const float* b, int n) {
  constexpr int kTile = 64;
#pragma omp parallel for
  for (int i0 = 0; i0 < n; i0 += kTile) {
    std::fill(c + i0 * n, c + (i0 + kTile) * n, 0.0F);
    for (int k0 = 0; k0 < n; k0 += kTile) {
      for (int i = i0; i < i0 + kTile; ++i) {
        for (int k = k0; k < k0 + kTile; ++k) {
          const float x = a[i * n + k];
          for (int j = 0; j < n; ++j) c[i * n + j] += x * b[k * n + j];
        }
      }
    }
  }
}

void scan_loop(float* out, const float* in, int segments) {
#pragma omp parallel for
  for (int s = 0; s < segments; ++s) {
    float sum = 0;
    for (int i = s * 512; i < (s + 1) * 512; ++i) {
      out[i] = sum;
      sum += in[i];
    }
  }
}

void reduce_loop(float* out, const float* in, int segments) {
#pragma omp parallel for
  for (int s = 0; s < segments; ++s) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = s * 512; i < (s + 1) * 512; ++i) sum += in[i];
    out[s] = sum;
  }
}

void bitonic_loop(float* data, int segments) {
#pragma omp parallel for
  for (int s = 0; s < segments; ++s) {
    float* d = data + static_cast<std::size_t>(s) * 1024;
    for (int size = 2; size <= 1024; size *= 2) {
      for (int stride = size / 2; stride > 0; stride /= 2) {
        for (int first = 0; first < 1024; first += 2 * stride) {
          const bool up = (first & size) == 0;
          for (int i = first; i < first + stride; ++i) {
            const float low = std::min(d[i], d[i + stride]), high = std::max(d[i], d[i + stride]);
            d[i] = up ? low : high;
            d[i + stride] = up ? high : low;
          }
        }
      }
    }
  }
}

void transpose_loop(float* out, const float* in, int n) {
  constexpr int kTile = 32;
#pragma omp parallel for
  for (int y0 = 0; y0 < n; y0 += kTile) {
    for (int x0 = 0; x0 < n; x0 += kTile) {
      for (int y = y0; y < y0 + kTile; ++y) {
        for (int x = x0; x < x0 + kTile; ++x) out[x * n + y] = in[y * n + x];
      }
    }
  }
}

}  // namespace kiln::bench
