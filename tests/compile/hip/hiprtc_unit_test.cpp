#include "compile/hip/hiprtc_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Specialization small() {
  Specialization specialization;
  specialization.source_name = "axpy.cu";
  specialization.source_text = "#include <hip/hip_runtime.h>\n#include <cmath>\n#include \"kiln/params.h\"\n";
  specialization.unseen_headers = {"cmath", "hip/hip_runtime.h"};
  specialization.params_header = "#pragma once\n#include \"kiln/portable.h\"\n";
  specialization.defines = {{"N", "3"}};
  specialization.entries = {{"axpy", std::nullopt, "256, 2"}, {"plain", std::nullopt, "128"}};
  specialization.target = {"hip", "gfx90a:xnack-", 64};
  return specialization;
}

TEST(HiprtcUnit, DefinesTheWarpSizeAndKeepsTheLinesOfTheUsersFile) {
  const RtcUnit unit = make_hiprtc_unit(small(), "");
  EXPECT_THAT(unit.text, StartsWith("#define KILN_BACKEND_HIP 1\n#define KILN_WARP_SIZE 64\n#define N 3\n"));
  EXPECT_THAT(unit.text, HasSubstr("#define KILN_LAUNCH_BOUNDS_axpy __launch_bounds__(256, 2)\n"));
  EXPECT_THAT(unit.text, HasSubstr("#define KILN_LAUNCH_BOUNDS_plain __launch_bounds__(128)\n"));
  EXPECT_THAT(unit.text, HasSubstr("\n#line 1 \"axpy.cu\"\n#include <hip/hip_runtime.h>\n"));
}

TEST(HiprtcUnit, HasAnEmptyHeaderForWhatHipRtcContains) {
  const RtcUnit unit = make_hiprtc_unit(small(), "");
  std::vector<std::string> names;
  for (const auto& [name, text] : unit.headers) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("kiln/portable.h", "kiln/params.h", "hip/hip_runtime.h"));
}

TEST(HipLaunchBounds, CountWavefrontsOnASimdUnit) {
  EXPECT_EQ(hip_launch_bounds("256", 64), "__launch_bounds__(256)");
  EXPECT_EQ(hip_launch_bounds("256, 2", 64), "__launch_bounds__(256, 2)");    // 8 wavefronts on 4 units
  EXPECT_EQ(hip_launch_bounds("1024, 2", 64), "__launch_bounds__(1024, 8)");  // 32 on 4
  EXPECT_EQ(hip_launch_bounds("32, 1", 64), "__launch_bounds__(32, 1)");      // 1 on 4, rounded up
  EXPECT_EQ(hip_launch_bounds("256, 2", 32), "__launch_bounds__(256, 8)");    // 16 on 2
}

TEST(HiprtcOptions, AreKilnsThenTheUsers) {
  Specialization specialization = small();
  specialization.fast_math = true;
  specialization.include_directories = {"/x"};
  specialization.options = {"-munsafe-fp-atomics"};
  EXPECT_THAT(hiprtc_options(specialization),
              ElementsAre("-std=c++17", "--offload-arch=gfx90a:xnack-", "-fgpu-defer-diag", "-Wno-register",
                          "-ffast-math", "-I/x", "-munsafe-fp-atomics"));
  specialization.options = {"-std=c++20"};
  specialization.lineinfo = true;
  EXPECT_THAT(hiprtc_options(specialization),
              ElementsAre("--offload-arch=gfx90a:xnack-", "-fgpu-defer-diag", "-Wno-register", "-ffast-math",
                          "-gline-tables-only", "-I/x", "-std=c++20"));
}

TEST(HiprtcOptions, DecideTheWavefront) {
  Specialization specialization = small();
  EXPECT_EQ(compiled_wavefront_size(specialization), 64);
  specialization.options = {"-mno-wavefrontsize64"};
  EXPECT_EQ(compiled_wavefront_size(specialization), 32);
  specialization.options.emplace_back("-mwavefrontsize64");
  EXPECT_EQ(compiled_wavefront_size(specialization), 64);
}

}  // namespace
}  // namespace kiln::test
