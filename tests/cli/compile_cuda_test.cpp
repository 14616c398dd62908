// `kiln compile` for NVIDIA's GPUs with no GPU: the way of an air-gapped site.
#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class CompileForCuda : public CliTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CompileForCuda, CompilesAWorkloadForFourArchitectures) {
  const std::string job = write("job.yaml", "workload: " + std::string(GetParam()) + "\n");
  const CliResult result = kiln({"compile", job, "--arch", "sm_80,sm_90,sm_90a,sm_100"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  for (const char* arch : {"cuda:sm_80\n", "cuda:sm_90\n", "cuda:sm_90a\n", "cuda:sm_100\n"}) {
    EXPECT_THAT(result.out, HasSubstr(arch));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("1 failed")));

  const CliResult again = kiln({"compile", job, "--arch", "sm_80,sm_90,sm_90a,sm_100"});
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("0 compiled"));
}

/// CUDA's own headers of pipelines and barriers beside the integers that nvcc has.
TEST_F(CliTest, HeadersOfPipelinesCompileForCuda) {
  write("kernel.cu",
        "#include <cuda.h>\n#include <stdint.h>\n#include <cooperative_groups/memcpy_async.h>\n#include "
        "<cuda/pipeline>\n"
        "static_assert(sizeof(unsigned long) == 8 && sizeof(CUtensorMap) == 128, \"\");\n"
        "__device__ void take(unsigned long* x) { *x = 1; }\n"
        "__global__ void k(uint64_t* a) { take(a); }\n");
  const std::string job =
      write("job.yaml",
            "workload:\n  workload: pipes\n  buffers: {a: {type: ulong, shape: [1], init: 0}}\n"
            "  kernels: {k: {source: kernel.cu, grid: [1], block: [1], args: [a]}}\n"
            "  run: [k]\n");
  const CliResult result = kiln({"compile", job, "--arch", "sm_90"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
}

/// What only runs on sm_90 compiles, and for sm_80 it is refused with the reason.
class CompileForHopper : public CliTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(CompileForHopper, CompilesBoxesAndWarpgroups) {
  const std::string job = write("job.yaml", GetParam());
  const CliResult result = kiln({"compile", job, "--arch", "sm_90"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr(" 0 failed"));
  const CliResult other = kiln({"compile", job, "--arch", "sm_80"});
  EXPECT_EQ(other.code, kExitBadInput) << other.out << other.err;
  EXPECT_THAT(other.err, HasSubstr("sm == 90"));
}

INSTANTIATE_TEST_SUITE_P(
    Operations, CompileForHopper,
    ::testing::Values(
        "workload: gemm\nset: {operation: wgmma}\nsweep: {T: [half, bfloat16], trans_a: [false, "
        "true], trans_b: [false, true]}\n",
        "workload: gemm\nset: {operation: wgmma, T: fp8_e4m3, trans_b: true}\n",
        "workload: gemm\nset: {operation: wgmma, T: float}\nsweep: {trans_b: [false, true]}\n",
        "workload: gemm\nset: {operation: fma_boxes}\nsweep: {trans_a: [false, true], trans_b: "
        "[false, true]}\n",
        "workload: gemm\nset: {operation: wgmma_split}\nsweep: {trans_b: [false, true]}\n",
        "workload: gemm\nset: {operation: mma_boxes, T: double}\nsweep: {trans_b: [false, "
        "true]}\n",
        "workload: gemm_scaled\nset: {operation: wgmma}\n",
        "workload: conv2d\nset: {operation: wgmma}\nsweep: {T: [half, float], stride: [1, 2]}\n",
        "workload: conv2d\nset: {operation: fma_boxes}\n",
        "workload: conv2d\nset: {operation: wgmma_split}\nsweep: {splits: [1, 2]}\n",
        "workload: conv2d\nset: {c: 3, filter_h: 7, stride: 2, packed: true, operation: "
        "wgmma}\nsweep: {T: [half, float]}\n"));

using CompileOldTexts = CliTest;

TEST_F(CompileOldTexts, ShufflesVotesAndHeadersInsideOfExternC) {
  write("old/old.cu",
        "extern \"C\" {\n#include <type_traits>\n#include <stdint.h>\n}\n"
        "#ifdef __NVCC__\n__global__ void old(float* a, std::size_t n) {\n"
        "  float x = a[threadIdx.x];\n  for (int d = 16; d > 0; d /= 2) x += __shfl_down(x, d) + "
        "__shfl_xor(x, d);\n"
        "  if (__any(x > n) && __ballot(1)) a[0] = x;\n  int sign;\n  a[1] = lgammaf_r(x, &sign) * "
        "sign;\n}\n#endif\n");
  write("old/old.yaml",
        "workload: old\nbuffers: {a: {type: float, shape: 32}}\nrun: [old]\n"
        "kernels: {old: {source: old.cu, grid: 1, block: 32, args: [a, {value: 1, type: size_t}]}}\n");
  const CliResult result =
      kiln({"compile", write("job.yaml", "workload: old/old.yaml\n"), "--arch", "sm_90"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
}

TEST_F(CompileOldTexts, NamesOfTheHostsHeaders) {
  write(
      "host/host.cu",
      "#include <algorithm>\n#include <cmath>\n__host__ __device__ double norm(long double x, nullptr_t) {\n"
      "  return fabsl(x) + sqrtl(x) + std::max({1.0, 2.0, 3.0}) + std::min({4, 5});\n}\n"
      "__global__ void host(double* a) { a[0] = norm(a[0], nullptr); }\n");
  write("host/host.yaml",
        "workload: host\nbuffers: {a: {type: double, shape: 32}}\nrun: [host]\n"
        "kernels: {host: {source: host.cu, grid: 1, block: 32, args: [a]}}\n");
  const CliResult result =
      kiln({"compile", write("job.yaml", "workload: host/host.yaml\n"), "--arch", "sm_90,native"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
}

using CompileNote = CliTest;

TEST_F(CompileNote, SaysThatTheCodeIsPtxAndWhy) {
  write("axpy/axpy.cu", "extern \"C\" __global__ void axpy(float* a) { *a = 1; }\n");
  write("axpy/axpy.yaml",
        "workload: axpy\nbuffers: {a: {type: float, shape: 1}}\nrun: [axpy]\n"
        "kernels: {axpy: {source: axpy.cu, grid: 1, block: 1, args: [a]}}\n");
  const std::string job = write("job.yaml", "workload: axpy\n");
  for (int round = 0; round < 2; ++round) {  // the second from the cache
    const CliResult result = kiln({"compile", job, "--arch", "sm_999,sm_90"});
    if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
    EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
    EXPECT_THAT(result.out, ContainsRegex("^cuda:sm_999\nPTX for compute_[0-9]+: NVRTC [0-9.]+ does not know "
                                          "sm_999\n\n"));
    EXPECT_THAT(result.out, HasSubstr("\ncuda:sm_90\n\n"));
  }
}

TEST_F(CompileNote, NamesWhatADeviceMayHaveOtherwise) {
  write("axpy/axpy.cu", "extern \"C\" __global__ void axpy(float* a) { *a = 1; }\n");
  write("axpy/axpy.yaml",
        "workload: axpy\nparameters:\n  unroll: {type: int, default: \"compute_units > 100 ? 8 : 4\"}\n"
        "buffers: {a: {type: float, shape: 1}}\nrun: [axpy]\n"
        "kernels: {axpy: {source: axpy.cu, grid: 1, block: 1, args: [a]}}\n");
  const std::string job = write("job.yaml", "workload: axpy\n");
  const CliResult result = kiln({"compile", job, "--arch", "sm_90"});
  if (result.code == kExitEnvironment) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("cuda:sm_90\nchosen by the device, which is not known here: unroll ("));
  for (const char* given : {"--set", "--sweep"})
    EXPECT_THAT(kiln({"compile", job, "--arch", "sm_90", given, "unroll=8"}).out,
                Not(HasSubstr("chosen by the device")));
}

INSTANTIATE_TEST_SUITE_P(Workloads, CompileForCuda,
                         ::testing::Values("babelstream", "stencil7", "minibude", "hartree_fock", "su3",
                                           "cloverleaf", "transpose", "spmv", "batched_gemm", "gemm",
                                           "gemm_scaled", "conv2d", "mala", "layers"),
                         [](const auto& variant) { return std::string(variant.param); });

}  // namespace
}  // namespace kiln::test
