// With the machine's own NVRTC; no GPU is needed. Skipped where there is none.
#include "compile/cuda/nvrtc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cuda/nvrtc_library.h"
#include "kiln/error.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class NvrtcCompilerTest : public ::testing::Test {
 protected:
  NvrtcCompilerTest() : files_(make_real_file_system()) {
    places_ = cuda_places("");
    compiler_ = make_nvrtc_compiler({places_, "", std::chrono::minutes(2)}, *files_, log_);
  }

  void SetUp() override {
    try {
      static_cast<void>(compiler_->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  static Specialization specialize(const std::string& text, const std::string& entry,
                                   const std::string& arch = "sm_90") {
    Specialization specialization;
    specialization.source_name = "kernel.cu";
    specialization.source_text = text;
    specialization.params_header = "#pragma once\n#include \"kiln/portable.h\"\nstruct Params {};\n";
    specialization.entries = {{entry, std::nullopt, ""}};
    specialization.target = {"cuda", arch, 32};
    return specialization;
  }

  CodeObject compile(const Specialization& specialization) {
    CompileResult result = compiler_->compile(specialization);
    if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) {
      ADD_FAILURE() << diagnostic->summary << "\n" << diagnostic->log;
      return {};
    }
    return std::get<CodeObject>(std::move(result));
  }

  Diagnostic fail(const Specialization& specialization) {
    CompileResult result = compiler_->compile(specialization);
    if (auto* diagnostic = std::get_if<Diagnostic>(&result)) return std::move(*diagnostic);
    ADD_FAILURE() << "it compiled";
    return {};
  }

  std::unique_ptr<FileSystem> files_;
  RecordingLog log_;
  CudaPlaces places_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(NvrtcCompilerTest, MakesACubinWithTheLoweredNameOfATemplate) {
  const std::string entry = "axpy<float, 4>";
  const CodeObject object = compile(specialize(R"(#include "kiln/params.h"
template <class T, int N> __global__ void axpy(T* y, const T* x, T a) {
  const long long i = kiln::global_index_x();
  for (int k = 0; k < N; ++k) y[i * N + k] += a * x[i * N + k];
})",
                                               entry));
  EXPECT_EQ(object.format, "cubin");
  EXPECT_THAT(object.binary, StartsWith("\x7f"
                                        "ELF"));
  ASSERT_TRUE(object.lowered_names.contains(entry));
  EXPECT_THAT(object.lowered_names.at(entry), StartsWith("_Z4axpyIfLi4E"));
  EXPECT_GT(object.compile_seconds, 0);
}

TEST_F(NvrtcCompilerTest, MakesPtxForADeviceThatItDoesNotKnowAndSaysSo) {
  const CodeObject object =
      compile(specialize("extern \"C\" __global__ void f(int* a) { *a = 1; }", "f", "sm_999"));
  EXPECT_EQ(object.format, "ptx");
  EXPECT_THAT(object.binary, HasSubstr(".visible .entry f"));
  EXPECT_THAT(object.log, StartsWith("PTX for compute_"));
}

TEST_F(NvrtcCompilerTest, NamesTheLineOfTheUsersFile) {
  Specialization specialization =
      specialize("\n\nextern \"C\" __global__ void f(int* a) { *a = nothing; }", "f");
  specialization.defines = {{"A", "1"}, {"B", "2"}};
  const Diagnostic diagnostic = fail(specialization);
  EXPECT_THAT(diagnostic.summary, StartsWith("kernel.cu(3): error:"));
  EXPECT_THAT(diagnostic.log, HasSubstr("nothing"));
  EXPECT_THAT(diagnostic.command, HasSubstr("-arch=sm_90"));
  EXPECT_FALSE(diagnostic.environment);
}

TEST_F(NvrtcCompilerTest, SaysWhichKernelsThereAre) {
  const Diagnostic diagnostic =
      fail(specialize("extern \"C\" __global__ void axpy(int* a) { *a = 1; }", "axpi"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("no kernel 'axpi' in this file"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("axpy"));
}

TEST_F(NvrtcCompilerTest, FindsTheToolkitsHeadersWhereThereAreSome) {
  const NvrtcLibrary nvrtc = open_nvrtc(places_, *files_);
  if (cuda_include_folders(places_, nvrtc.path, *files_).empty())
    GTEST_SKIP() << "CUDA's headers are not here";
  const CodeObject object = compile(specialize(R"(#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cuda/std/array>
extern "C" __global__ void f(__half* a) {
  cuda::std::array<int, 2> index{0, 1};
  cooperative_groups::this_thread_block().sync();
  a[index[0]] = __hadd(a[index[0]], a[index[1]]);
})",
                                               "f"));
  EXPECT_EQ(object.format, "cubin");
}

TEST_F(NvrtcCompilerTest, SaysWhereAnUnknownArchitectureStands) {
  EXPECT_EQ(compiler_->target_for("sm_90a").arch, "sm_90a");
  EXPECT_THROW(static_cast<void>(compiler_->target_for("native")), Error);
}

TEST_F(NvrtcCompilerTest, RemembersItsVersionSoThatAHitNeedNotOpenIt) {
  const std::filesystem::path folder =
      files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_nvrtc_");
  const auto make = [&] {
    return make_nvrtc_compiler({places_, folder / "nvrtc.txt", std::chrono::minutes(2)}, *files_, log_);
  };
  const CompilerIdentity asked = make()->identity();
  const auto memo = files_->read_file(folder / "nvrtc.txt");
  const CompilerIdentity remembered = make()->identity();
  files_->remove_all(folder);
  ASSERT_TRUE(memo.has_value());
  EXPECT_THAT(*memo, HasSubstr("\t" + asked.version + "\t"));
  EXPECT_EQ(remembered.version, asked.version);
  EXPECT_EQ(remembered.fingerprint, asked.fingerprint);
}

TEST(NvrtcSearch, SaysWhatIsMissingAndWhatToInstall) {
  const auto files = make_real_file_system();
  RecordingLog log;
  const auto compiler =
      make_nvrtc_compiler({cuda_places("/none/libnvrtc.so.13"), "", std::chrono::seconds(1)}, *files, log);
  try {
    static_cast<void>(compiler->identity());
    FAIL() << "an NVRTC that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("/none/libnvrtc.so.13"));
    EXPECT_THAT(error.what(), HasSubstr("KILN_NVRTC"));
  }
}

}  // namespace
}  // namespace kiln::test
