#include "specialize/wavefronts.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

std::string found(const std::string& text, const std::string& include = "#include <hip/hip_runtime.h>\n") {
  return wavefronts_of_64(include + text, "k.hip");
}

TEST(Wavefronts, AWidthByItsName) {
  EXPECT_EQ(found("#define WARP_SIZE 64\n"), "'WARP_SIZE' is 64 (k.hip:2)");
  EXPECT_EQ(found("\nconstexpr int kWaveSize = 64;\n"), "'kWaveSize' is 64 (k.hip:3)");
  EXPECT_EQ(found("static const int WAVEFRONT_SIZE{64};"), "'WAVEFRONT_SIZE' is 64 (k.hip:2)");
  for (const char* other : {"#define WARP_SIZE 32\n", "#define BLOCK_SIZE 64\n", "#define WARP_SIZE 64 / 2\n",
                            "int warps = 64;", "// WARP_SIZE = 64\n", "#define WARP_SIZE warpSize\n"})
    EXPECT_EQ(found(other), "") << other;
}

TEST(Wavefronts, Shuffles) {
  EXPECT_EQ(found("v += __shfl_xor(v, 32);"), "a shuffle across 32 lanes (k.hip:2)");
  EXPECT_EQ(found("v += __shfl_down(f(v, 1), d, 64);"), "a shuffle across 32 lanes (k.hip:2)");
  EXPECT_EQ(found("v += __shfl_down_sync(m, v, 32);"), "a shuffle across 32 lanes (k.hip:2)");
  const std::string reduction = "a reduction by shuffles that begins with 32 (k.hip:2)";
  EXPECT_EQ(found("for (int d = 32; d > 0; d /= 2) v += __shfl_down(v, d);"), reduction);
  EXPECT_EQ(found("for (unsigned d = 32; d; d >>= 1) { w = v; v += __shfl_xor(w, d); }"), reduction);
  for (const char* other : {"v += __shfl_down(v, 16);", "v += __shfl_xor(v, 16, 32);", "v = __shfl(v, 32);",
                            "for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d);",
                            "for (int d = 32; d > 0; d /= 2) { s[t] += s[t + d]; } v += __shfl_down(v, d);",
                            "for (int d = 32; d > 0; d /= 2) v += __shfl_down(v, e);"})
    EXPECT_EQ(found(other), "") << other;
}

TEST(Wavefronts, OnlyOfTextsForHip) {
  EXPECT_EQ(found("#define WARP_SIZE 64\n", "#include <cuda_runtime.h>  // not hip/hip_runtime.h\n"), "");
  Specialization specialization;
  specialization.source_name = "k.cu";
  specialization.source_text = "#include \"k.h\"\n";
  specialization.headers = {{"k.h", "", "#include \"hip/hip_runtime.h\"\n#define WARPSIZE 64\n"}};
  EXPECT_EQ(wavefronts_of_64(specialization), "'WARPSIZE' is 64 (k.h:2)");
  specialization.headers[0].text = "#define WARPSIZE 64\n";
  EXPECT_EQ(wavefronts_of_64(specialization), "");
}

}  // namespace
}  // namespace kiln
