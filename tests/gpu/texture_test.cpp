// Texture fetches on an NVIDIA GPU, beside the same formulas as the cpu back end's.
#include <gmock/gmock.h>

#include <array>

#include "device/texture_samples.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

using GpuTexture = GpuTest;

/// An H200 rounds products of fractions to 8 bits at some coordinates.
constexpr double kWeightError = 1.0 / 512;

TEST_F(GpuTexture, SamplesTwoDimensionsAsTheGuideSays) {
  DeviceFunction& k = build(kSampleText, "k");
  expect_samples(
      [&](const TextureLayout& layout, const std::vector<float>& data, const std::vector<float>& x,
          const std::vector<float>& y) {
        // A pitch that the hardware takes: rows of the texture lie a pitch of 512 bytes apart.
        constexpr std::size_t pitch = 512 / sizeof(float);
        std::vector<float> rows(pitch * kTextureHeight, -1e30F);
        for (int j = 0; j < kTextureHeight; ++j)
          std::copy_n(data.begin() + j * kTexturePitch, kTexturePitch,
                      rows.begin() + j * static_cast<long>(pitch));
        TextureLayout placed = layout;
        placed.pitch = 512;
        const auto texels = upload(rows), xs = upload(x), ys = upload(y);
        const auto out = upload(std::vector<float>(x.size(), -1));
        launch(*stream_, k, {{7, 1, 1}, {64, 1, 1}, 0}, out->data(), device_->texture(placed, texels->data()),
               xs->data(), ys->data(), static_cast<int>(x.size()));
        return download<float>(*out);
      },
      kWeightError);
}

TEST_F(GpuTexture, ALineIsReadAsItIsAndIsZeroOutside) {
  DeviceFunction& k = build(R"(
extern "C" __global__ void k(float* out, cudaTextureObject_t bytes, cudaTextureObject_t numbers) {
  const int i = static_cast<int>(threadIdx.x) - 1;
  const uchar2 two = tex1Dfetch<uchar2>(bytes, i);
  out[threadIdx.x] = two.x + 1000.0f * two.y;
  out[8 + threadIdx.x] = tex1Dfetch<float>(numbers, i);
})",
                            "k");
  const auto bytes = upload(std::vector<unsigned char>{0, 1, 2, 127, 128, 254, 255, 9, 3, 4, 5, 6});
  const auto numbers = upload(std::vector<signed char>{0, 127, -127, -128, 64, 1});
  const auto out = upload(std::vector<float>(16, -1));
  TextureLayout of_numbers{TextureLayout::Format::kI8, 1, 6};
  of_numbers.normalized_values = true;
  launch(*stream_, k, {{1, 1, 1}, {8, 1, 1}, 0}, out->data(),
         device_->texture({TextureLayout::Format::kU8, 2, 6}, bytes->data()),
         device_->texture(of_numbers, numbers->data()));
  const std::vector<float> got = download<float>(*out);
  const std::array<float, 16> expected = {0, 1000, 127002, 254128, 9255, 4003,        6005,       0,
                                          0, 0,    1,      -1,     -1,   64.0F / 127, 1.0F / 127, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_FLOAT_EQ(got[i], expected[i]) << i;
}

}  // namespace
}  // namespace kiln::test
