// Texture fetches on the cpu, beside the formulas of the CUDA C++ Programming Guide ("Texture Fetching").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/small_float.h"
#include "device/cpu/kernel_fixture.h"
#include "device/texture.h"
#include "device/texture_samples.h"
#include "kiln/error.h"

namespace kiln::test {
namespace {

using Format = TextureLayout::Format;
using CpuTexture = CpuKernel;
INSTANTIATE_TEST_SUITE_P(Compilers, CpuTexture, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuTexture, SamplesTwoDimensionsAsTheGuideSays) {
  DeviceFunction& k = kernels_.build(kSampleText, "k");
  expect_samples([&](const TextureLayout& layout, const std::vector<float>& data, const std::vector<float>& x,
                     const std::vector<float>& y) {
    std::vector<float> out(x.size());
    const std::uint64_t texture = kernels_.device().texture(layout, data.data());
    EXPECT_EQ(texture, kernels_.device().texture(layout, data.data()));
    kernels_.run(k, {{7, 1, 1}, {64, 1, 1}, 0}, out.data(), texture, x.data(), y.data(),
                 static_cast<int>(x.size()));
    return out;
  });
}

/// Elements of each format and number of channels, read as they are and as numbers up to 1.
TEST_P(CpuTexture, ReadsEachFormat) {
  const auto read = [&]<class Element, class Out>(Format format, const char* type, unsigned channels,
                                                  bool normalized, const std::vector<Element>& in, Out) {
    SCOPED_TRACE(type);
    const std::string text = std::string("typedef ") + type + " Element;" + R"(
extern "C" __global__ void k(Element* out, cudaTextureObject_t line, cudaTextureObject_t plane, int n) {
  const int i = threadIdx.x;
  out[i] = tex1Dfetch<Element>(line, i);
  tex1Dfetch(&out[n + i], line, i);
  out[2 * n + i] = tex2D<Element>(plane, i % 4 + 0.5f, i / 4 + 0.5f);
})";
    DeviceFunction& k = kernels_.build(text, "k");
    const int count = static_cast<int>(in.size() / channels);
    TextureLayout line{format, channels, in.size() / channels};
    line.normalized_values = normalized;
    TextureLayout plane = line;
    plane.width = 4;
    plane.height = static_cast<std::uint64_t>(count / 4);
    plane.pitch = 4 * channels * sizeof(Element);
    std::vector<Out> out(3 * in.size());
    kernels_.run(k, {{1, 1, 1}, {static_cast<std::uint64_t>(count), 1, 1}, 0}, out.data(),
                 kernels_.device().texture(line, in.data()), kernels_.device().texture(plane, in.data()),
                 count);
    return out;
  };
  const auto same = [](const auto& in, const auto& out, const auto& convert) {
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], convert(in[i % in.size()])) << i;
  };
  const auto as_is = [](auto x) { return x; };
  const std::vector<unsigned char> bytes = {0, 1, 2, 127, 128, 254, 255, 9};
  const std::vector<signed char> signed_bytes = {0, 1, -2, 127, -127, -128, 99, 5};
  const std::vector<unsigned short> words = {0, 1, 32767, 32768, 65534, 65535, 7, 8};
  const std::vector<short> signed_words = {0, 1, -1, 32767, -32767, -32768, 7, 8};
  const std::vector<int> ints = {0, -1, 2147483647, -2147483647 - 1, 16777217, 5, 6, 7};
  const std::vector<unsigned> unsigneds = {0, 1, 4294967295U, 16777217, 2147483648U, 5, 6, 7};
  const std::vector<float> floats = {0, -1.5F, 3e38F, 1e-40F, 7, 8, 9, 10};
  same(bytes, read(Format::kU8, "uchar2", 2, false, bytes, bytes[0]), as_is);
  same(signed_bytes, read(Format::kI8, "signed char", 1, false, signed_bytes, signed_bytes[0]), as_is);
  same(words, read(Format::kU16, "unsigned short", 1, false, words, words[0]), as_is);
  same(signed_words, read(Format::kI16, "short1", 1, false, signed_words, signed_words[0]), as_is);
  same(ints, read(Format::kI32, "int", 1, false, ints, ints[0]), as_is);
  same(unsigneds, read(Format::kU32, "uint2", 2, false, unsigneds, unsigneds[0]), as_is);
  same(floats, read(Format::kF32, "float", 1, false, floats, floats[0]), as_is);
  std::vector<float> four(32);
  for (std::size_t i = 0; i < four.size(); ++i) four[i] = static_cast<float>(i) * 1.25F;
  same(four, read(Format::kF32, "float4", 4, false, four, four[0]), as_is);
  same(bytes, read(Format::kU8, "float", 1, true, bytes, 0.0F), [](unsigned char x) { return x / 255.0F; });
  same(words, read(Format::kU16, "float2", 2, true, words, 0.0F),
       [](unsigned short x) { return x / 65535.0F; });
  same(signed_bytes, read(Format::kI8, "float", 1, true, signed_bytes, 0.0F),
       [](signed char x) { return std::max(x / 127.0F, -1.0F); });
  same(signed_words, read(Format::kI16, "float", 1, true, signed_words, 0.0F),
       [](short x) { return std::max(x / 32767.0F, -1.0F); });
  const std::vector<std::uint16_t> halves = {0x0000, 0x3c00, 0xc500, 0x7bff, 0x0001, 0x3555, 0x4248, 0xbc00};
  same(halves, read(Format::kF16, "float", 1, false, halves, 0.0F),
       [](std::uint16_t bits) { return static_cast<float>(Half::of_bits(bits)); });
}

TEST_P(CpuTexture, OutsideOfOneDimensionIsZeroAndNoCoordinateIsTooLarge) {
  DeviceFunction& k = kernels_.build(R"(
extern "C" __global__ void k(float* out, cudaTextureObject_t line, cudaTextureObject_t plane) {
  out[0] = tex1Dfetch<float>(line, -1);
  out[1] = tex1Dfetch<float>(line, 8);
  out[2] = tex1Dfetch<float>(line, 7);
  out[3] = tex2D<float>(plane, 1e30f, -1e30f);
  out[4] = tex2D<float>(plane, INFINITY, 0.0f);
})",
                                     "k");
  const std::vector<float> in = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> out(5, -1.0F);
  TextureLayout plane{Format::kF32, 1, 4, 2, 16};
  plane.linear = true;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, out.data(),
               kernels_.device().texture({Format::kF32, 1, 8}, in.data()),
               kernels_.device().texture(plane, in.data()));
  EXPECT_THAT(out, ::testing::ElementsAre(0, 0, 8, 4, 4));
}

TEST_P(CpuTexture, AnotherTypeOrDimensionIsAFault) {
  const std::vector<float> in(8);
  const auto fault = [&](const char* fetch, const TextureLayout& layout) -> std::string {
    DeviceFunction& k = kernels_.build(
        std::string("extern \"C\" __global__ void k(float* out, cudaTextureObject_t t) { *out = ") + fetch +
            "; }",
        "k");
    float out = 0;
    try {
      kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &out, kernels_.device().texture(layout, in.data()));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const TextureLayout line{Format::kF32, 1, 8}, plane{Format::kF32, 1, 4, 2, 16};
  EXPECT_EQ(fault("tex2D<float>(t, 1, 1)", plane), "");
  EXPECT_THAT(fault("tex2D<int>(t, 1, 1)", plane),
              ::testing::HasSubstr("the type of the texture's elements"));
  EXPECT_THAT(fault("tex2D<float2>(t, 1, 1).y", plane),
              ::testing::HasSubstr("the type of the texture's elements"));
  EXPECT_THAT(fault("tex1Dfetch<float>(t, 1)", plane), ::testing::HasSubstr("tex1Dfetch and tex1D one"));
  EXPECT_THAT(fault("tex2D<float>(t, 1, 1)", line), ::testing::HasSubstr("tex2D two"));
  EXPECT_THAT(fault("tex3D<float>(t, 1, 1, 1)", plane), ::testing::HasSubstr("tex3D three"));
  EXPECT_THAT(fault("tex1DLayered<float>(t, 1, 1)", plane), ::testing::HasSubstr("layers one more"));
  EXPECT_THAT(fault("surf2Dread<float>(t, 1, 1)", plane), ::testing::HasSubstr("has its dimensions"));
}

TEST(TextureLayouts, WhatNoTextureUnitTakesIsRefusedWithItsRule) {
  const auto problem = [](const std::function<void(TextureLayout&)>& change) {
    TextureLayout layout{Format::kF32, 1, 64, 8, 256};
    change(layout);
    return find_problem(layout).value_or("");
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(problem([](auto&) {}), "");
  EXPECT_THAT(problem([](auto& l) { l.channels = 3; }), HasSubstr("expected 1, 2 or 4"));
  EXPECT_THAT(problem([](auto& l) { l.normalized_values = true; }), HasSubstr("8 and 16 bits"));
  EXPECT_THAT(problem([](auto& l) { l.format = Format::kU8, l.linear = true; }), HasSubstr("floating point"));
  EXPECT_THAT(problem([](auto& l) { l.address[0] = TextureLayout::Address::kWrap; }),
              HasSubstr("need `normalized: true`"));
  EXPECT_THAT(problem([](auto& l) { l.height = 0, l.layers = true; }), HasSubstr("layers are the slowest"));
  EXPECT_THAT(problem([](auto& l) { l.surface = l.linear = true; }), HasSubstr("a surface is not sampled"));
  EXPECT_THAT(problem([](auto& l) { l.width = std::uint64_t{1} << 28; }),
              HasSubstr("an extent of more than"));
}

TEST(TextureLayouts, WhatNeedsAnArray) {
  const auto reason = [](const std::function<void(TextureLayout&)>& change) {
    TextureLayout layout{Format::kF32, 1, 64, 8, 256};
    change(layout);
    return needs_array(layout).value_or("");
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(reason([](auto&) {}), "");
  EXPECT_EQ(reason([](auto& l) { l.height = 0; }), "");
  EXPECT_THAT(reason([](auto& l) { l.height = 0, l.linear = true; }), HasSubstr("tex1Dfetch"));
  EXPECT_THAT(reason([](auto& l) { l.depth = 3; }), HasSubstr("three dimensions"));
  EXPECT_THAT(reason([](auto& l) { l.layers = true; }), HasSubstr("layers"));
  EXPECT_THAT(reason([](auto& l) { l.surface = true; }),
              HasSubstr("a surface, which a GPU reads from a CUDA array"));
}

using Address = TextureLayout::Address;

/// The guide's formula in double for one dimension or three: the sum over the corners around a point.
class Volume {
 public:
  static constexpr int kWidth = 9, kHeight = 6, kDepth = 5;
  Volume() : data(kWidth * kHeight * kDepth) {
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>((i * 7919) % 101) - 37.0F;
  }
  [[nodiscard]] double expected(const TextureLayout& layout, int dimensions, const double* x) const {
    const int extents[3] = {kWidth, kHeight, kDepth};
    int low[3] = {0, 0, 0};
    double part[3] = {0, 0, 0}, sum = 0;
    for (int axis = 0; axis < dimensions; ++axis) {
      const double scaled = layout.normalized_coordinates ? x[axis] * extents[axis] : x[axis];
      const double place = layout.linear ? scaled - 0.5 : scaled;
      low[axis] = static_cast<int>(std::floor(place));
      part[axis] = layout.linear ? std::round((place - low[axis]) * 256) / 256 : 0;
    }
    for (int corner = 0; corner < 1 << dimensions; ++corner) {
      double weight = 1;
      std::size_t index = 0;
      bool inside = true;
      for (int axis = 2; axis >= 0; --axis) {
        int i = 0;
        if (axis < dimensions) {
          const int upper = corner >> axis & 1;
          weight *= upper != 0 ? part[axis] : 1 - part[axis];
          i = low[axis] + upper;
          if (layout.address[static_cast<std::size_t>(axis)] == Address::kWrap)
            i = (i % extents[axis] + extents[axis]) % extents[axis];
          else if (layout.address[static_cast<std::size_t>(axis)] == Address::kBorder)
            inside = inside && i >= 0 && i < extents[axis];
          else
            i = std::clamp(i, 0, extents[axis] - 1);
        }
        index = index * static_cast<std::size_t>(extents[axis]) + static_cast<std::size_t>(inside ? i : 0);
      }
      if (inside) sum += weight * static_cast<double>(data[index]);
    }
    return sum;
  }
  std::vector<float> data;
};

TEST_P(CpuTexture, SamplesOneAndThreeDimensions) {
  DeviceFunction& k = kernels_.build(R"(
extern "C" __global__ void k(float* out, cudaTextureObject_t line, cudaTextureObject_t volume, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = tex3D<float>(volume, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  tex1D(&out[n + i], line, x[3 * i]);
  if (tex3DLod<float>(volume, x[3 * i], x[3 * i + 1], x[3 * i + 2], 1) != out[i]) out[i] = 1e9f;
})",
                                     "k");
  const Volume volume;
  constexpr int kCount = 500;
  for (const bool linear : {false, true}) {
    for (const bool normalized : {false, true}) {
      TextureLayout layout{Format::kF32, 1, Volume::kWidth, Volume::kHeight, Volume::kWidth * sizeof(float)};
      layout.depth = Volume::kDepth;
      layout.linear = linear;
      layout.normalized_coordinates = normalized;
      layout.address = {Address::kClamp, Address::kBorder, normalized ? Address::kWrap : Address::kBorder};
      TextureLayout line = layout;
      line.height = line.depth = 0;
      std::vector<float> x(3 * kCount), out(2 * kCount);
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = (static_cast<float>((i * 37) % 97) - 30.0F) / (normalized ? 16.0F : 4.0F) + 1.0F / 64;
      kernels_.run(k, {{8, 1, 1}, {64, 1, 1}, 0}, out.data(),
                   kernels_.device().texture(line, volume.data.data()),
                   kernels_.device().texture(layout, volume.data.data()), x.data(), kCount);
      for (std::size_t i = 0; i < kCount; ++i) {
        const double point[3] = {static_cast<double>(x[3 * i]), static_cast<double>(x[3 * i + 1]),
                                 static_cast<double>(x[3 * i + 2])};
        ASSERT_NEAR(out[i], volume.expected(layout, 3, point), 1e-4) << i << ", linear " << linear;
        ASSERT_NEAR(out[kCount + i], volume.expected(line, 1, point), 1e-4) << i << ", linear " << linear;
      }
    }
  }
}

TEST_P(CpuTexture, LayersAreNotWeighed) {
  DeviceFunction& k = kernels_.build(R"(
extern "C" __global__ void k(float* out, cudaTextureObject_t planes, cudaTextureObject_t lines) {
  const int layer = threadIdx.x;
  out[layer] = tex2DLayered<float>(planes, 2.0f, 1.0f, layer - 1);
  out[4 + layer] = tex1DLayered<float>(lines, 2.0f, layer - 1);
  const float2 step = make_float2(1, 1);  // a texture has one level
  if (tex2DLayeredLod<float>(planes, 2.0f, 1.0f, layer - 1, 0.0f) != out[layer]) out[layer] = -1;
  if (tex2DLayeredGrad<float>(planes, 2.0f, 1.0f, layer - 1, step, step) != out[layer]) out[layer] = -2;
  if (tex1DLayeredLod<float>(lines, 2.0f, layer - 1, 0.0f) != out[4 + layer]) out[4 + layer] = -1;
  if (tex1DLayeredGrad<float>(lines, 2.0f, layer - 1, 1.0f, 1.0f) != out[4 + layer]) out[4 + layer] = -2;
})",
                                     "k");
  std::vector<float> in(24);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * i);
  TextureLayout planes{Format::kF32, 1, 4, 3, 16};
  planes.depth = 2;
  planes.layers = planes.linear = true;
  TextureLayout lines = planes;
  lines.depth = 0;
  std::vector<float> out(8);
  kernels_.run(k, {{1, 1, 1}, {4, 1, 1}, 0}, out.data(), kernels_.device().texture(planes, in.data()),
               kernels_.device().texture(lines, in.data()));
  const auto mean = [&](std::size_t first) {
    return (in[first + 1] + in[first + 2] + in[first + 5] + in[first + 6]) / 4;
  };
  const auto pair = [&](std::size_t row) { return (in[4 * row + 1] + in[4 * row + 2]) / 2; };
  EXPECT_THAT(
      out, ::testing::ElementsAre(mean(0), mean(0), mean(12), mean(12), pair(0), pair(0), pair(1), pair(2)));
}

TEST_P(CpuTexture, GathersFourNeighbours) {
  DeviceFunction& k = kernels_.build(R"(
extern "C" __global__ void k(float4* out, cudaTextureObject_t t) { *out = tex2Dgather<float4>(t, 2.0f, 1.0f, 1); })",
                                     "k");
  std::vector<float> in(24), out(4);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const TextureLayout plane{Format::kF32, 2, 4, 3, 32};
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, out.data(), kernels_.device().texture(plane, in.data()));
  EXPECT_THAT(out, ::testing::ElementsAre(11, 13, 5, 3));
}

TEST_P(CpuTexture, SurfacesOfEachDimension) {
  DeviceFunction& k = kernels_.build(R"(
extern "C" __global__ void k(float* out, cudaSurfaceObject_t line, cudaSurfaceObject_t plane, cudaSurfaceObject_t volume,
                             cudaSurfaceObject_t layers) {
  const int i = threadIdx.x, x = i % 4, y = i / 4 % 3, z = i / 12;
  surf1Dwrite(float(i), line, i * 4);
  if (i < 12) surf2Dwrite(make_float2(i, -i), plane, x * 8, y, cudaBoundaryModeTrap);
  surf3Dwrite(float(100 + i), volume, x * sizeof(float), y, z);
  surf2DLayeredwrite(short(i), layers, x * 2, y, z);
  if (i != 23) return;  // the last one sees all of it
  out[0] = surf1Dread<float>(line, 5 * 4);
  float2 pair;
  surf2Dread(&pair, plane, 3 * 8, 2);
  out[1] = pair.x * 100 + pair.y;
  out[2] = surf3Dread<float>(volume, 2 * 4, 1, 1);
  out[3] = surf2DLayeredread<short>(layers, 2 * 2, 1, 1);
  out[4] = surf1Dread<float>(line, 99 * 4, cudaBoundaryModeZero);
  out[5] = surf1Dread<float>(line, 99 * 4, cudaBoundaryModeClamp);
  out[6] = surf2Dread<float2>(plane, -8, 7, cudaBoundaryModeClamp).x;
  surf1Dwrite(7.0f, line, -4, cudaBoundaryModeZero);
})",
                                     "k");
  std::vector<float> line(24), plane(24), volume(24), out(7);
  std::vector<short> layered(24);
  TextureLayout one{Format::kF32, 1, 24}, two{Format::kF32, 2, 4, 3, 32}, three{Format::kF32, 1, 4, 3, 16};
  three.depth = 2;
  TextureLayout layers{Format::kI16, 1, 4, 3, 8};
  layers.depth = 2;
  layers.layers = true;
  one.surface = two.surface = three.surface = layers.surface = true;
  kernels_.run(k, {{1, 1, 1}, {24, 1, 1}, 0}, out.data(), kernels_.device().texture(one, line.data()),
               kernels_.device().texture(two, plane.data()), kernels_.device().texture(three, volume.data()),
               kernels_.device().texture(layers, layered.data()));
  EXPECT_THAT(out, ::testing::ElementsAre(5, 1089, 118, 18, 0, 23, 8));
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(line[i], static_cast<float>(i));
    EXPECT_EQ(volume[i], static_cast<float>(100 + i));
    EXPECT_EQ(layered[i], static_cast<short>(i));
  }
  DeviceFunction& outside = kernels_.build(
      "extern \"C\" __global__ void k(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 24 * 4); }", "k");
  try {
    kernels_.run(outside, {{1, 1, 1}, {1, 1, 1}, 0}, kernels_.device().texture(one, line.data()));
    FAIL() << "no fault";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("an access to a surface is inside of it"));
  }
}

}  // namespace
}  // namespace kiln::test
