#include "compile/hip/hipcc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/machine_code.h"
#include "device/hip/code_object.h"
#include "hip_shim/code_object_writer.h"
#include "kiln/error.h"
#include "support/compile_result.h"
#include "support/fake_clock.h"
#include "support/fake_process_runner.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTemplate = R"(#include "kiln/params.h"
template <class T, int N> __global__ void axpy(T* y, const T* x, T a, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) for (int k = 0; k < N; ++k) y[i * N + k] += a * x[i * N + k];
}
extern "C" __global__ void plain(int* a) { *a = kiln::warp_size; }
)";

Specialization specialize(const std::string& text, const std::vector<std::string>& entries) {
  return test::specialization_of(text, entries, {"hip", "gfx90a", 64});
}

/// With the machine's own hipcc; no GPU is needed. Skipped where there is none.
class HipccCompilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      static_cast<void>(compiler_->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::unique_ptr<ProcessRunner> processes_ = make_process_runner();
  RecordingLog log_;
  ProgramCompilerOptions options_{std::filesystem::temp_directory_path(), "", std::chrono::minutes(2)};
  std::unique_ptr<Compiler> compiler_ =
      make_hipcc_compiler("", hip_places("", ""), options_, *processes_, *files_, log_);
};

TEST_F(HipccCompilerTest, MakesACodeObjectWithEveryKernelUnderItsName) {
  const Specialization specialization = specialize(kTemplate, {"axpy<float, 4>", "axpy<double, 2>", "plain"});
  CompileResult result = compiler_->compile(specialization);
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << std::get<Diagnostic>(result).log;
  const auto& object = std::get<CodeObject>(result);
  EXPECT_EQ(object.format, "code_object");
  EXPECT_THAT(object.lowered_names.at("axpy<float, 4>"), StartsWith("_Z4axpyIfLi4E"));
  EXPECT_THAT(object.lowered_names.at("axpy<double, 2>"), StartsWith("_Z4axpyIdLi2E"));
  EXPECT_EQ(object.lowered_names.at("plain"), "plain");
  EXPECT_EQ(object.resources.size(), 3U);
  const auto code = machine_code(object, specialization.target, {*processes_, *files_, options_.scratch});
  ASSERT_EQ(code.size(), 3U);
  for (const MachineCode& kernel : code) EXPECT_GT(kernel.bytes, 0U) << kernel.kernel;
}

TEST_F(HipccCompilerTest, NamesTheLineOfTheUsersFile) {
  const auto result =
      compiler_->compile(specialize("\n\nextern \"C\" __global__ void f(int* a) { *a = nothing; }", {"f"}));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_THAT(std::get<Diagnostic>(result).summary, StartsWith("kernel.cu:3:"));
}

/// A hipcc that writes this code object.
class FakeHipcc : public ::testing::Test {
 protected:
  CompileResult compile(const std::string& binary, const Specialization& specialization) {
    files_.make_directories("/scratch", true);
    processes_.add_program("hipcc", "/opt/rocm/bin/hipcc");
    processes_.set_answer([this, binary](const Command& command) {
      if (command.arguments.front() == "--version")
        return FakeProcessRunner::succeeded("HIP version: 6.2.4\nclang version 18\n");
      for (std::size_t i = 0; i + 1 < command.arguments.size(); ++i) {
        if (command.arguments[i] == "-o") files_.write_file(command.arguments[i + 1], binary, false);
      }
      return FakeProcessRunner::succeeded();
    });
    return compiler_->compile(specialization);
  }

  FakeClock clock_;
  MemoryFileSystem files_{clock_};
  FakeProcessRunner processes_;
  RecordingLog log_;
  std::unique_ptr<Compiler> compiler_ =
      make_hipcc_compiler("", {}, {"/scratch", "", std::chrono::minutes(2)}, processes_, files_, log_);
};

TEST_F(FakeHipcc, GetsTheUnitOfHiprtcAndHipsHeader) {
  Specialization specialization = specialize("extern \"C\" __global__ void f() {}", {"f"});
  specialization.fast_math = true;
  static_cast<void>(compile("no ELF", specialization));
  EXPECT_EQ(compiler_->identity().version, "HIP version: 6.2.4");
  const auto arguments = processes_.commands().back().arguments;
  for (const char* option : {"--offload-arch=gfx90a", "--offload-device-only", "-ffast-math", "-std=c++17"})
    EXPECT_THAT(arguments, Contains(option));
  EXPECT_THAT(arguments.back(), HasSubstr("unit.hip"));
}

TEST_F(FakeHipcc, WhatIsNoCodeObjectIsRefused) {
  const auto result = compile("no ELF", specialize("extern \"C\" __global__ void f() {}", {"f"}));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_THAT(std::get<Diagnostic>(result).summary,
              HasSubstr("hipcc's product cannot be used: not an AMD code object"));
}

TEST_F(FakeHipcc, CodeForAnotherIsaIsRefused) {
  const std::string binary =
      hip_shim::write_code_object("gfx906", 64, {{"f", 12, 0, 0, 512, {}}}, "no machine code");
  const auto result = compile(binary, specialize("extern \"C\" __global__ void f() {}", {"f"}));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_THAT(std::get<Diagnostic>(result).summary, HasSubstr("its code is for gfx906, not for gfx90a"));
}

TEST_F(FakeHipcc, AKernelThatIsNotThereIsNamed) {
  const std::string binary =
      hip_shim::write_code_object("gfx90a", 64, {{"f", 12, 0, 0, 512, {}}}, "no machine code");
  EXPECT_TRUE(std::holds_alternative<CodeObject>(
      compile(binary, specialize("extern \"C\" __global__ void f() {}", {"f"}))));
  const auto result = compile(binary, specialize("extern \"C\" __global__ void g() {}", {"g"}));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_THAT(std::get<Diagnostic>(result).summary, HasSubstr("0 kernels that may be 'g'"));
}

}  // namespace
}  // namespace kiln::test
