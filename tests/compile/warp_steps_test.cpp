// Lanes in step in branches whose limits the unit's entries and macros give.
#include "compile/cpu/warp_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cpu/one_warp_code.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

constexpr const char* kLayer =
    "template <class T, int C, int K = 4>\n"
    "__global__ void k(T* out, const T* in) {\n"
    "  __shared__ T s[C];\n"
    "  const int c = threadIdx.x;\n"
    "  s[c] = in[blockIdx.x * C + c];\n"
    "  __syncthreads();\n"
    "  if (c < K) {\n"
    "    T sum = 0;\n"
    "    for (int i = 0; i < C; ++i) sum += s[(i + int(in[0])) % C] * (i % (c + 2));\n"
    "    s[c] = sum;\n"
    "  }\n"
    "  __syncthreads();\n"
    "  out[blockIdx.x * C + c] = s[c];\n"
    "}\n";

std::size_t steps(const std::string& text, const std::vector<std::string>& entries,
                  const std::vector<std::pair<std::string, std::string>>& defines = {}) {
  Specialization unit;
  for (const std::string& entry : entries) unit.entries.push_back({entry, {}, ""});
  unit.defines = defines;
  const Outline parsed = outline(text);
  return mark_warp_steps(parsed, unit_lanes(unit, {&parsed})).size();
}

TEST(WarpSteps, LimitsOfBranchesAreThoseOfAllEntries) {
  const struct {
    std::vector<std::string> entries;
    bool has_steps;
  } cases[] = {
      {{"k<float, 64, 16>"}, true},
      {{"ns::k<float, 64, 32>", "ns::k<float, 128, 8>"}, true},
      {{"k<float, 64, 16>", "k<float, 64, 64>"}, false},
      {{"k<float, 64, SIZE>"}, false},
      {{"k<float, 64>"}, false},
      {{"other<float, 64, 16>"}, false},
      {{"k<float, 64, 33>"}, false},
  };
  for (const auto& [entries, has_steps] : cases) {
    EXPECT_EQ(steps(kLayer, entries) > 0, has_steps) << entries.front();
    // A macro is no parameter of the template that is called like it.
    EXPECT_EQ(steps(kLayer, entries, {{"K", "16"}}) > 0, has_steps) << entries.front();
  }
}

TEST(WarpSteps, LimitsAreMacrosOfTheWorkload) {
  std::string text = kLayer;
  text.replace(0, text.find('\n') + 1, "template <class T, int C>\n");
  EXPECT_GT(steps(text, {"k<float, 64>"}, {{"K", "16"}}), 0U);
  EXPECT_EQ(steps(text, {"k<float, 64>"}, {{"K", "64"}}), 0U);
  EXPECT_EQ(steps("#ifndef K\n#define K 64\n#endif\n" + text, {"k<float, 64>"}, {{"K", "16"}}), 0U);
  EXPECT_EQ(steps(text, {"k<float, 64>"}), 0U);
}

/// `asm`, a switch and a range-based for keep nothing from being seen.
TEST(WarpSteps, StandInAnyStatement) {
  const std::string step = "s[t] += s[(t + 16) % 32]; s[t] += s[(t + 8) % 32];";
  const auto kernel = [](const std::string& body) {
    return "__global__ void k(float* out, int mode) {\n  __shared__ float s[32];\n"
           "  const int t = threadIdx.x;\n  s[t] = t;\n  if (t < 32) {\n" +
           body + "\n  }\n  out[t] = s[t];\n}\n";
  };
  for (const std::string& body :
       {step, "asm volatile(\"\" ::: \"memory\"); " + step,
        "switch (mode) { case 0: " + step + " break; default: s[t] = 0; }",
        "switch (mode) { case 0: if (t) break; s[t] = 1; case 1: { " + step + " } }",
        "for (int d : {1, 2}) { " + step + " }", "union { int i; float f; }; " + step})
    EXPECT_GT(steps(kernel(body), {"k"}), 1U) << body;
  EXPECT_EQ(steps(kernel("switch (mode) { case 0: s[t] += 1; break; default: s[t] = 0; }"), {"k"}), 0U);
}

TEST(WarpSteps, InASwitchGiveWhatAGpuGives) {
  CpuKernels kernels;
  const std::string text =
      "__global__ void k(float* out, const float* in, int mode) {\n  __shared__ float s[32];\n"
      "  const int t = threadIdx.x;\n  s[t] = in[t];\n"
      "  switch (mode) {\n    case 3:\n      s[t] += s[(t + 16) % 32];\n      s[t] += s[(t + 8) % 32];\n"
      "      break;\n    case 4:\n      s[t] = 0;\n  }\n  out[t] = s[t];\n}\n";
  std::vector<float> in(32), half(32), expected(32);
  for (int i = 0; i < 32; ++i) in[i] = static_cast<float>(i * i);
  for (int i = 0; i < 32; ++i) half[i] = in[i] + in[(i + 16) % 32];
  for (int i = 0; i < 32; ++i) expected[i] = half[i] + half[(i + 8) % 32];
  for (const char* option : {"-DPLAIN", "-DKILN_FIBERS"}) {
    Specialization unit = kernels.specialize(text, "k");
    unit.options = {option};
    std::vector<float> out(32);
    kernels.run(kernels.build(unit), {{1, 1, 1}, {32, 1, 1}, 0}, out.data(), in.data(), 3);
    EXPECT_EQ(out, expected) << option;
  }
}

/// The sum of an element and the next one, by a variable between the read and the store.
TEST(WarpSteps, ByAVariableCountOnVolatileArraysToo) {
  CpuKernels kernels;
  const std::string text =
      "__global__ void k(float* out, const float* in) {\n  __shared__ volatile float s[33];\n"
      "  const int t = threadIdx.x;\n  float sum = in[t];\n  if (t == 0) s[32] = 0;\n  s[t] = sum;\n"
      "  sum += s[t + 1];\n  s[t] = sum;\n  sum += s[t + 1];\n  out[t] = sum;\n}\n";
  std::vector<float> in(32), expected(33);
  for (int i = 0; i < 32; ++i) in[i] = expected[i] = static_cast<float>(i * i);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 32; ++i) expected[i] += expected[i + 1];
  }
  expected.resize(32);
  for (const char* option : {"-DPLAIN", "-DKILN_FIBERS"}) {
    Specialization unit = kernels.specialize(text, "k");
    unit.options = {option};
    std::vector<float> out(32);
    kernels.run(kernels.build(unit), {{1, 1, 1}, {32, 1, 1}, 0}, out.data(),
                static_cast<const float*>(in.data()));
    EXPECT_EQ(out, expected) << option;
  }
}

/// The elements of a local array are another index in each lane.
TEST(WarpSteps, IndicesInArraysOfALane) {
  CpuKernels kernels;
  const std::string text =
      "struct Both {\n  int own, other[2];\n};\n"
      "__device__ int swapped(const Both* c, int* s) {\n  s[c->other[0]] = c->other[0] * 3;\n  return "
      "s[c->other[1]];\n}\n"
      "__global__ void k(int* out) {\n  __shared__ int s[32];\n  const int t = threadIdx.x;\n  s[t] = 55;\n"
      "  __syncthreads();\n  int id[2] = {t, t ^ 1};\n  s[id[0]] = id[0] * 3;\n  int sum = s[id[1]];\n"
      "  __syncthreads();\n  s[t] = 55;\n  __syncthreads();\n  Both both = {t, {t, t ^ 1}};\n"
      "  out[t] = sum + 100 * swapped(&both, s);\n}\n";
  std::vector<int> expected(32);
  for (int i = 0; i < 32; ++i) expected[i] = 303 * (i ^ 1);
  for (const char* option : {"-DPLAIN", "-DKILN_FIBERS"}) {
    Specialization unit = kernels.specialize(text, "k");
    unit.entries[0].fixed_block = Dim3{32, 1, 1};
    unit.options = {option};
    std::vector<int> out(32);
    kernels.run(kernels.build(unit), {{1, 1, 1}, {32, 1, 1}, 0}, out.data());
    EXPECT_EQ(out, expected) << option;
  }
}

/// All lanes of a warp read its flag in global memory, and each clears it at the end. Rows of a work-item's
/// own need no step.
TEST(WarpSteps, OnRowsOfWarpsInGlobalMemory) {
  CpuKernels kernels;
  const std::string text =
      "#define WARP_SHIFT 5\n"
      "__global__ void k(int* out, bool* active, const long* begin, long n) {\n"
      "  const long t = blockDim.x * 64 * blockIdx.y + blockDim.x * blockIdx.x + threadIdx.x;\n"
      "  const long warp = t >> WARP_SHIFT, lane = t & ((1 << WARP_SHIFT) - 1);\n"
      "  if (warp < n) {\n    if (active[warp]) {\n      const long end = begin[warp + 1];\n"
      "      for (long i = begin[warp] + lane; i < end; i += 32) atomicAdd(out + i % 7, 1);\n"
      "      active[warp] = false;\n    }\n  }\n}\n";
  const std::vector<long> begin = {0, 70, 70, 171, 200};
  for (const char* option : {"-DPLAIN", "-DKILN_FIBERS"}) {
    Specialization unit = kernels.specialize(text, "k");
    unit.entries[0].fixed_block = Dim3{64, 1, 1};
    unit.options = {option};
    std::vector<int> out(7), expected(7);
    bool active[4] = {true, true, false, true};
    for (int i = 0; i < 200; ++i) expected[i % 7] += i < 70 || i >= 171 ? 1 : 0;
    kernels.run(kernels.build(unit), {{2, 1, 1}, {64, 1, 1}, 0}, out.data(), active, begin.data(), 4L);
    EXPECT_EQ(out, expected) << option;
    EXPECT_THAT(active, testing::Each(false)) << option;
  }
  EXPECT_EQ(steps("__global__ void k(float* out, const float* in, int n) {\n"
                  "  const int t = threadIdx.x, warp = t / 32;\n"
                  "  if (in[warp] > 0) out[t] += in[t];\n  out[t] *= 2;\n}\n",
                  {"k"}),
            0U);
}

/// With a step all lanes read before one writes, as on a GPU.
TEST(WarpSteps, OfATemplateGiveWhatAGpuGives) {
  CpuKernels kernels;
  std::vector<float> in(64), expected(64);
  for (int i = 0; i < 64; ++i) in[i] = expected[i] = static_cast<float>(i % 7);
  for (int c = 0; c < 16; ++c) {
    expected[c] = 0;
    for (int i = 0; i < 64; ++i) expected[c] += in[i] * static_cast<float>(i % (c + 2));
  }
  for (const char* option : {"-DPLAIN", "-DKILN_FIBERS"}) {
    Specialization unit = kernels.specialize(kLayer, "k<float, 64, 16>");
    unit.options = {option};
    std::vector<float> out(64);
    kernels.run(kernels.build(unit), {{1, 1, 1}, {64, 1, 1}, 0}, out.data(),
                static_cast<const float*>(in.data()));
    EXPECT_EQ(out, expected) << option;
  }
}

}  // namespace
}  // namespace kiln::test
