// The test shim's compiler, hipRTC over NVRTC, through the HIP back end's own; no GPU is needed. What runs on
// a GPU with it is in tests/gpu/hip_shim_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cuda/nvrtc_compiler.h"
#include "compile/hip/hiprtc_compiler.h"
#include "device/hip/code_object.h"
#include "kiln/error.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HipShimCompiler : public ::testing::Test {
 protected:
  HipShimCompiler() : files_(make_real_file_system()) {
    compiler_ = make_hiprtc_compiler({hip_places("", KILN_HIP_SHIM), "", ""}, *files_, log_);
  }

  void SetUp() override {
    const auto nvrtc = make_nvrtc_compiler({cuda_places(""), "", "", std::chrono::minutes(2)}, *files_, log_);
    try {
      static_cast<void>(nvrtc->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static Specialization specialize(const std::string& text, const std::string& entry) {
    Specialization specialization;
    specialization.source_name = "kernel.cu";
    specialization.source_text = text;
    specialization.unseen_headers = {"hip/hip_runtime.h"};
    specialization.params_header =
        "#pragma once\n#include \"kiln/portable.h\"\nstruct Params { int n; double x; };\n";
    specialization.entries = {{entry, std::nullopt, "128"}};
    specialization.target = {"hip", "gfx1030", 32};
    return specialization;
  }

  std::unique_ptr<FileSystem> files_;
  RecordingLog log_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(HipShimCompiler, MakesACodeObjectThatPassesTheBackEndsChecks) {
  Specialization specialization = specialize(R"(#include <hip/hip_runtime.h>
#include "kiln/params.h"
template <class T> __global__ KILN_LAUNCH_BOUNDS_sum void sum(T* y, const Params p, float scale) {
  __shared__ T shared[128];
  shared[threadIdx.x] = y[threadIdx.x];
  __syncthreads();
  const T total = kiln::warp_reduce_sum(shared[threadIdx.x ^ 1]);
  if (threadIdx.x % kiln::warp_size == 0) y[threadIdx.x / kiln::warp_size] = total * p.n * scale;
})",
                                             "sum<double>");
  specialization.fast_math = true;
  specialization.options = {"-munsafe-fp-atomics"};
  const CompileResult result = compiler_->compile(specialization);
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << std::get<Diagnostic>(result).log;
  const auto& object = std::get<CodeObject>(result);
  EXPECT_EQ(object.log, "");
  const auto contents = std::get<HipCodeObject>(read_code_object(object.binary));
  const FunctionAttributes& use = contents.kernels.at(object.lowered_names.at("sum<double>")).attributes;
  EXPECT_GT(use.registers.value_or(0), 4);
  EXPECT_EQ(use.static_shared_bytes, 1024u);
  EXPECT_EQ(use.max_threads_per_block, 128u);
  EXPECT_EQ(use.parameter_bytes, (std::vector<std::size_t>{8, 16, 4}));
}

TEST_F(HipShimCompiler, NamesTheLineOfTheUsersFile) {
  const CompileResult result =
      compiler_->compile(specialize("\n\nextern \"C\" __global__ void f(int* a) { *a = nothing; }", "f"));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_THAT(std::get<Diagnostic>(result).summary, StartsWith("kernel.cu(3): error:"));
}

TEST_F(HipShimCompiler, KnowsOneIsaAndClaimsNoRelease) {
  EXPECT_EQ(compiler_->identity().version, "0.0");
  EXPECT_EQ(compiler_->abilities(), "gfx1030");
  EXPECT_THROW(static_cast<void>(compiler_->target_for("gfx90a")), Error);
}

}  // namespace
}  // namespace kiln::test
