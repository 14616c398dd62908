#include "compile/cuda/cubin_resources.h"

#include <gmock/gmock.h>

#include "compile/cuda/nvrtc_fixture.h"

namespace kiln {
namespace {

using testing::IsEmpty;

class CubinResources : public test::NvrtcTest {
 protected:
  ResourceUse use_of(const std::string& arch) {
    const CodeObject object = compile(specialize(R"(extern "C" __global__ void sums(double* y, int n) {
  __shared__ double parts[160];
  volatile double mine[64];
  for (int i = 0; i < n; ++i) mine[i & 63] = y[i];
  parts[threadIdx.x] = mine[n & 63];
  __syncthreads();
  y[threadIdx.x] = parts[159 - threadIdx.x];
})",
                                                 "sums", arch));
    return object.resources.at("sums");
  }
};

TEST_F(CubinResources, AreWhatTheCompilerWroteDown) {
  for (const char* arch : {"sm_75", "sm_80", "sm_90"}) {
    const ResourceUse use = use_of(arch);
    ASSERT_TRUE(use.registers) << arch;
    EXPECT_GE(*use.registers, 8) << arch;
    EXPECT_LE(*use.registers, 64) << arch;
    EXPECT_EQ(use.static_shared_bytes, 160 * sizeof(double)) << arch;
    EXPECT_EQ(use.local_bytes, 64 * sizeof(double)) << arch;
    EXPECT_GE(use.max_threads_per_block.value(), 1024) << arch;
  }
}

TEST_F(CubinResources, ManyRegistersLimitTheBlock) {
  const CodeObject object = compile(specialize(R"(extern "C" __global__ void many(float* y, int n) {
  float v[220];
#pragma unroll
  for (int i = 0; i < 220; ++i) v[i] = y[i];
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < 220; ++i) v[i] = v[i] * v[(i + 7) % 220] + 1.0f;
  }
#pragma unroll
  for (int i = 0; i < 220; ++i) y[i] = v[i];
})",
                                               "many"));
  const ResourceUse use = object.resources.at("many");
  EXPECT_GT(use.registers.value(), 168);
  EXPECT_EQ(use.max_threads_per_block, 256);
}

TEST(CubinResourcesOf, BytesThatAreNoneAreEmpty) {
  EXPECT_THAT(cubin_resources("", {{"a", "a"}}), IsEmpty());
  EXPECT_THAT(cubin_resources("\x7f"
                              "ELF",
                              {{"a", "a"}}),
              IsEmpty());
}

}  // namespace
}  // namespace kiln
