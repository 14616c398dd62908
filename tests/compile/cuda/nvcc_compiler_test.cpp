#include "compile/cuda/nvcc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "compile/machine_code.h"
#include "device/elf_file.h"
#include "kiln/error.h"
#include "service/kernel_service.h"
#include "support/compile_result.h"
#include "support/fake_clock.h"
#include "support/fake_process_runner.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTemplate = R"(#include "kiln/params.h"
template <class T, int N> __global__ void axpy(T* y, const T* x, T a, const Params p) {
  const long long i = kiln::global_index_x();
  if (i < p.n) for (int k = 0; k < N; ++k) y[i * N + k] += a * x[i * N + k];
})";

Specialization specialize(const std::string& text, const std::vector<std::string>& entries) {
  return test::specialization_of(text, entries, {"cuda", "sm_90", 32});
}

/// With the machine's own nvcc; no GPU is needed. Skipped where there is none.
class NvccCompilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      static_cast<void>(compiler_->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  CodeObject compile(const Specialization& specialization) {
    return test::code_of(compiler_->compile(specialization));
  }

  Diagnostic fail(const Specialization& specialization) {
    return test::diagnostic_of(compiler_->compile(specialization));
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::unique_ptr<ProcessRunner> processes_ = make_process_runner();
  RecordingLog log_;
  ProgramCompilerOptions options_{std::filesystem::temp_directory_path(), "", std::chrono::minutes(2)};
  std::unique_ptr<Compiler> compiler_ =
      make_nvcc_compiler("", cuda_places(""), options_, *processes_, *files_, log_);
};

TEST_F(NvccCompilerTest, MakesACubinWithEveryKernelUnderItsName) {
  const std::vector<std::string> entries = {"axpy<float, 4>", "axpy<double, 2>", "plain"};
  const CodeObject object = compile(specialize(
      std::string(kTemplate) + "\nextern \"C\" __global__ void plain(int* a) { *a = 1; }\n", entries));
  EXPECT_EQ(object.format, "cubin");
  EXPECT_GT(object.compile_seconds, 0);
  EXPECT_THAT(object.lowered_names.at("axpy<float, 4>"), StartsWith("_Z4axpyIfLi4E"));
  EXPECT_THAT(object.lowered_names.at("axpy<double, 2>"), StartsWith("_Z4axpyIdLi2E"));
  EXPECT_EQ(object.lowered_names.at("plain"), "plain");
  const ElfFile file(object.binary);
  for (const auto& [expression, symbol] : object.lowered_names) {
    const std::string wanted = ".text." + symbol;
    const bool there = std::any_of(file.sections().begin(), file.sections().end(),
                                   [&](const auto& section) { return section.name == wanted; });
    EXPECT_TRUE(there) << expression;
  }
}

TEST_F(NvccCompilerTest, IsAnotherCompilerToTheService) {
  FakeClock clock;
  KernelService service(nullptr, clock);
  const Specialization specialization = specialize(kTemplate, {"axpy<float, 4>"});
  const auto first = service.get(specialization, *compiler_, nullptr);
  ASSERT_TRUE(std::holds_alternative<ServiceResult>(first));
  EXPECT_EQ(std::get<ServiceResult>(first).origin, Origin::kCompiled);
  EXPECT_EQ(std::get<ServiceResult>(service.get(specialization, *compiler_, nullptr)).origin,
            Origin::kMemory);
  EXPECT_NE(std::get<ServiceResult>(first).key.digest,
            make_cache_key(specialization, CompilerIdentity{"NVRTC", "13.0", ""}, "").digest);
}

TEST_F(NvccCompilerTest, CountsInstructionsAsTheDisassemblerDoes) {
  const auto program = processes_->find_program("nvdisasm");
  if (!program) GTEST_SKIP() << "this machine has no nvdisasm";
  const Specialization specialization = specialize(kTemplate, {"axpy<float, 4>"});
  const CodeObject object = compile(specialization);
  const auto found = machine_code(object, specialization.target, {*processes_, *files_, options_.scratch});
  ASSERT_EQ(found.size(), 1U);
  const auto folder = files_->make_unique_directory(options_.scratch / "kiln_nvdisasm_");
  files_->write_file(folder / "binary", object.binary, false);
  Command command;
  command.program = *program;
  command.arguments = {"--print-code", (folder / "binary").string()};
  const ProcessResult listing = processes_->run(command);
  files_->remove_all(folder);
  ASSERT_TRUE(listing.ok()) << listing.error;
  std::uint64_t count = 0;
  std::uint64_t nops = 0;  // since the last other instruction
  for (const std::string& line : split(listing.output, '\n')) {
    if (!trim(line).starts_with("/*0") || !trim(line).ends_with(";")) continue;
    const bool nop = line.find("NOP") != std::string::npos;
    nops = nop ? nops + 1 : 0;
    ++count;
  }
  EXPECT_GT(nops, 0U);
  EXPECT_EQ(found[0].instructions, count - nops);
  EXPECT_EQ(found[0].bytes, 16 * (count - nops));
}

TEST_F(NvccCompilerTest, NamesTheLineOfTheUsersFile) {
  const Diagnostic diagnostic =
      fail(specialize("\n\nextern \"C\" __global__ void f(int* a) { *a = nothing; }", {"f"}));
  EXPECT_THAT(diagnostic.summary, StartsWith("kernel.cu(3): error"));
  EXPECT_THAT(diagnostic.command, HasSubstr("-arch=sm_90"));
  EXPECT_FALSE(diagnostic.environment);
}

TEST_F(NvccCompilerTest, AnArchitectureThatItDoesNotKnowIsAFailedCompile) {
  Specialization specialization = specialize("extern \"C\" __global__ void f(int* a) { *a = 1; }", {"f"});
  specialization.target.arch = "sm_999";
  EXPECT_THAT(fail(specialization).summary, HasSubstr("sm_999"));
}

TEST_F(NvccCompilerTest, ReadsHeadersOfTheUsersAndOfTheCompilers) {
  Specialization specialization = specialize(
      "#include \"sub/mine.h\"\n#include <cmath>\n"
      "extern \"C\" __global__ void f(float* a) { *a = std::sqrt(twice(*a)); }",
      {"f"});
  specialization.headers = {
      {"sub/mine.h", "/src/sub/mine.h", "#pragma once\n__device__ float twice(float x) { return x + x; }\n"}};
  EXPECT_EQ(compile(specialization).lowered_names.at("f"), "f");
}

TEST(NvccCompiler, IsLookedForInTheToolkitThatTheUserNamesThenInPath) {
  FakeClock clock;
  MemoryFileSystem files(clock);
  FakeProcessRunner processes([](const Command&) {
    return FakeProcessRunner::succeeded(
        "nvcc: NVIDIA (R)\nCuda compilation tools, release 12.4, V12.4.131\nBuild x");
  });
  RecordingLog log;
  CudaPlaces places;
  places.toolkits = {"/home/me/cuda"};
  processes.add_program("nvcc", "/usr/bin/nvcc");
  EXPECT_EQ(make_nvcc_compiler("", places, {}, processes, files, log)->identity().version, "12.4.131");
  EXPECT_EQ(processes.commands().back().program, "/usr/bin/nvcc");
  processes.add_program("/home/me/cuda/bin/nvcc", "/home/me/cuda/bin/nvcc");
  static_cast<void>(make_nvcc_compiler("", places, {}, processes, files, log)->identity());
  EXPECT_EQ(processes.commands().back().program, "/home/me/cuda/bin/nvcc");
}

TEST(NvccCompiler, SaysWhereItWasLookedFor) {
  FakeClock clock;
  MemoryFileSystem files(clock);
  FakeProcessRunner processes;
  RecordingLog log;
  try {
    static_cast<void>(make_nvcc_compiler("", {}, {}, processes, files, log)->identity());
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no nvcc was found: looked in CUDA_HOME"));
  }
}

}  // namespace
}  // namespace kiln::test
