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
