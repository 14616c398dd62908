#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "compile/cpu/split/kernel_split.h"
#include "compile/outline.h"
#include "support/cpu_kernels.h"

namespace kiln::test {

/// Kernels here are `k(float* out, const float* in, int n)`, out and in of n floats. A kernel that knows its
/// result writes NaN if it is wrong.
struct SplitCase {
  const char* name;
  const char* text;
  Dim3 block;
  Dim3 grid{2, 1, 1};
  std::size_t shared = 0;
  const char* reason = "";  ///< part of why it runs as fibers; empty: it has to be split
  const char* entry = "k";
  /// How often something is written; negative: not looked at.
  int clamped_loops = -1;  ///< loops in two versions, of which one has no clamps
  int factor_loops = -1;   ///< loops in two versions, one for the factor 1 of subscripts
  int fetches = -1;        ///< arrays of which a block fetches what the next block writes
};

inline void PrintTo(const SplitCase& test, std::ostream* stream) {
  *stream << test.name;
}

/// Compares a kernel that is split at its barriers with the same kernel on fibers, where each work-item has a
/// stack of its own.
class SplitKernels : public ::testing::Test {
 protected:
  static constexpr std::size_t kCount = 8192;

  SplitKernels() : in_(kCount) {
    for (std::size_t i = 0; i < kCount; ++i) in_[i] = static_cast<float>((i * 7919) % 1013) * 0.25F - 100.0F;
  }

  std::vector<float> run(DeviceFunction& k, const SplitCase& test) {
    std::vector<float> out(kCount, -1.0F);
    kernels_.run(k, {test.grid, test.block, test.shared}, out.data(), in_.data(), static_cast<int>(kCount));
    return out;
  }

  /// How often the macro is used in the written text of the kernel.
  static int uses_of(std::string_view macro, const SplitCase& test) {
    const std::string text = test.text;
    const Outline outlined = outline(text);
    fission::KernelSplitter splitter(outlined, text);
    EXPECT_EQ(splitter.split("k", {test.block}).reason, "");
    int count = 0;
    for (const TextEdit& edit : splitter.edits()) {
      for (std::size_t at = edit.replacement.find(macro); at != std::string::npos;
           at = edit.replacement.find(macro, at + 1))
        ++count;
    }
    return count;
  }

  void compare(const SplitCase& test) {
    SCOPED_TRACE(test.name);
    const std::pair<std::string_view, int> written[] = {{"KILN_ROW_INSIDE\n", test.clamped_loops},
                                                        {"KILN_FACTOR(", test.factor_loops},
                                                        {"KILN_FETCH_NEXT(", test.fetches}};
    for (const auto& [macro, uses] : written) {
      if (uses >= 0) {
        EXPECT_EQ(uses_of(macro, test), uses) << macro;
      }
    }
    Specialization specialization = kernels_.specialize(test.text, test.entry);
    if (std::string_view(test.text).find("kiln::") != std::string_view::npos)
      specialization.source_text = "#include \"kiln/params.h\"\n" + specialization.source_text;
    specialization.options = {"-DKILN_FIBERS", "-O1"};
    DeviceFunction& fibers = kernels_.build(specialization);
    EXPECT_TRUE(fibers.attributes().fibers_because.has_value());
    const std::vector<float> expected = run(fibers, test);
    for (const bool fixed : {true, false}) {
      SCOPED_TRACE(fixed ? "block known" : "block not known");
      specialization.options = {"-ffp-contract=off"};
      specialization.entries[0].fixed_block = fixed ? std::optional<Dim3>(test.block) : std::nullopt;
      DeviceFunction& split = kernels_.build(specialization);
      if (*test.reason == '\0')
        EXPECT_EQ(split.attributes().fibers_because.value_or(""), "");
      else
        EXPECT_THAT(split.attributes().fibers_because.value_or(""), ::testing::HasSubstr(test.reason));
      const std::vector<float> out = run(split, test);
      std::size_t different = 0, first = 0;
      for (std::size_t i = 0; i < kCount; ++i) {
        if (std::memcmp(&out[i], &expected[i], sizeof(float)) != 0 && different++ == 0) first = i;
      }
      EXPECT_EQ(different, 0U) << "first: out[" << first << "] = " << out[first] << ", as fibers "
                               << expected[first];
    }
    EXPECT_NE(expected, std::vector<float>(kCount, -1.0F)) << "the kernel writes nothing";
    EXPECT_TRUE(std::none_of(expected.begin(), expected.end(), [](float x) { return std::isnan(x); }))
        << "the kernel says by NaN that its result is wrong";
  }

  CpuKernels kernels_;
  std::vector<float> in_;
};

/// Its test stands in split_kernels_test.cpp; files of cases instantiate it.
class SplitCases : public SplitKernels, public ::testing::WithParamInterface<SplitCase> {};

inline std::string split_case_name(const ::testing::TestParamInfo<SplitCase>& test) {
  return test.param.name;
}

}  // namespace kiln::test
