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
  EXPECT_THAT(fault("tex1Dfetch<float>(t, 1)", plane), ::testing::HasSubstr("tex1Dfetch one of one"));
  EXPECT_THAT(fault("tex2D<float>(t, 1, 1)", line), ::testing::HasSubstr("tex2D reads a texture of two"));
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
  EXPECT_THAT(problem([](auto& l) { l.height = 0, l.linear = true; }), HasSubstr("tex1Dfetch"));
  EXPECT_THAT(problem([](auto& l) { l.width = std::uint64_t{1} << 28; }),
              HasSubstr("an extent of more than"));
}

}  // namespace
}  // namespace kiln::test
