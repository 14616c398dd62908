#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "device/texture.h"

// Texture fetches beside the formulas of the CUDA C++ Programming Guide ("Texture Fetching"), for every
// device.

namespace kiln::test {

inline constexpr const char* kSampleText = R"(
extern "C" __global__ void k(float* out, cudaTextureObject_t texture, const float* x, const float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(texture, x[i], y[i]);
})";

inline constexpr int kTextureWidth = 13, kTextureHeight = 7, kTexturePitch = 16;  // in elements

struct ExpectedSample {
  double value;
  double filtered = 0;  ///< sum of the sizes of the elements that a linear filter weighs
};

/// The guide's formulas in double precision: `at(i, j)` is an element inside of the texture.
inline ExpectedSample expected_sample(const TextureLayout& layout, const std::function<double(int, int)>& at,
                                      double x, double y) {
  if (layout.normalized_coordinates) {
    x *= kTextureWidth;
    y *= kTextureHeight;
  }
  const auto place = [](int i, int n, TextureLayout::Address mode) {
    switch (mode) {
      case TextureLayout::Address::kClamp:
        return std::clamp(i, 0, n - 1);
      case TextureLayout::Address::kBorder:
        return i < 0 || i >= n ? -1 : i;
      case TextureLayout::Address::kWrap:
        while (i < 0) i += n;
        return i % n;
      case TextureLayout::Address::kMirror:
        while (i < 0) i += 2 * n;
        return i % (2 * n) < n ? i % (2 * n) : 2 * n - 1 - i % (2 * n);
    }
    return 0;
  };
  const auto element = [&](int i, int j) {
    i = place(i, kTextureWidth, layout.address[0]);
    j = place(j, kTextureHeight, layout.address[1]);
    return i < 0 || j < 0 ? 0.0 : at(i, j);
  };
  if (!layout.linear) return {element(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)))};
  const int i = static_cast<int>(std::floor(x - 0.5)), j = static_cast<int>(std::floor(y - 0.5));
  const double a = std::round((x - 0.5 - i) * 256) / 256, b = std::round((y - 0.5 - j) * 256) / 256;
  const double low = element(i, j), right = element(i + 1, j), up = element(i, j + 1),
               far = element(i + 1, j + 1);
  return {(1 - a) * (1 - b) * low + a * (1 - b) * right + (1 - a) * b * up + a * b * far,
          std::abs(low) + std::abs(right) + std::abs(up) + std::abs(far)};
}

/// Fetches at points in and around a texture of floats, with each filter and address mode. `sample` gets the
/// layout, the texture's elements and the points' coordinates, and returns what kSampleText's kernel stores
/// for them. `weight_error`: of each of a linear filter's four weights. The guide gives the fractions 8 bits
/// and says nothing of their products.
inline void expect_samples(
    const std::function<std::vector<float>(const TextureLayout&, const std::vector<float>& data,
                                           const std::vector<float>& x, const std::vector<float>& y)>& sample,
    double weight_error = 0) {
  using Address = TextureLayout::Address;
  std::vector<float> data(kTexturePitch * kTextureHeight);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>((i * 7919) % 101) - 37.0F;
  const auto at = [&](int i, int j) {
    return static_cast<double>(data[static_cast<std::size_t>(j * kTexturePitch + i)]);
  };
  TextureLayout layout{TextureLayout::Format::kF32, 1, kTextureWidth, kTextureHeight,
                       kTexturePitch * sizeof(float)};
  for (const bool linear : {false, true}) {
    for (const bool normalized : {false, true}) {
      for (const Address mode : {Address::kClamp, Address::kBorder, Address::kWrap, Address::kMirror}) {
        if (!normalized && (mode == Address::kWrap || mode == Address::kMirror)) continue;
        SCOPED_TRACE(::testing::Message() << "linear " << linear << ", normalized " << normalized << ", mode "
                                          << static_cast<unsigned>(mode));
        layout.linear = linear;
        layout.normalized_coordinates = normalized;
        layout.address = {mode, mode == Address::kWrap ? Address::kMirror : mode};
        // Multiples of 1/64, and of 1/16 of the extent: no rounding decides between two elements.
        std::vector<float> x, y;
        for (int i = 0; i < 400; ++i) {
          x.push_back(normalized ? static_cast<float>((i * 37) % 97 - 40) / 16.0F + 1.0F / 64
                                 : static_cast<float>((i * 37) % 1300 - 200) / 64.0F);
          y.push_back(normalized ? static_cast<float>((i * 11) % 89 - 30) / 16.0F + 1.0F / 64
                                 : static_cast<float>((i * 53) % 900 - 200) / 64.0F);
        }
        const std::vector<float> out = sample(layout, data, x, y);
        ASSERT_EQ(out.size(), x.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
          const ExpectedSample expected = expected_sample(layout, at, x[i], y[i]);
          EXPECT_NEAR(out[i], expected.value, 2e-5 + weight_error * expected.filtered)
              << x[i] << ", " << y[i];
        }
      }
    }
  }
}

}  // namespace kiln::test
