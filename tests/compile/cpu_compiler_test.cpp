#include "compile/cpu/cpu_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cpu/arch_options.h"
#include "kiln/error.h"
#include "support/compile_result.h"
#include "support/cpu_kernels.h"
#include "support/fake_clock.h"
#include "support/fake_process_runner.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using test::diagnostic_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAdd = "extern \"C\" __global__ void add(int* a, int n) {\n  a[threadIdx.x] += n;\n}\n";

class CpuDiagnostic : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!make_process_runner()->find_program(GetParam()))
      GTEST_SKIP() << "this machine has no " << GetParam();
  }
  Diagnostic compile(const std::string& text, const std::string& entry) {
    return diagnostic_of(kernels_.compiler().compile(kernels_.specialize(text, entry)));
  }

  CpuKernels kernels_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Compilers, CpuDiagnostic, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuDiagnostic, GivesTheUsersFileAndLine) {
  const Diagnostic diagnostic = compile(
      "#include \"kiln/params.h\"\nextern \"C\" __global__ void k(int* a) {\n  extern __shared__ int s[];\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= 5) return;\n  a[i] = s[0] + "
      "missing;\n}\n",
      "k");
  EXPECT_THAT(diagnostic.summary, HasSubstr("kernel.cu:6:"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("missing"));
  EXPECT_THAT(diagnostic.log, HasSubstr("error:"));
  EXPECT_THAT(diagnostic.command, HasSubstr("-O3"));
  EXPECT_FALSE(diagnostic.environment);
}

TEST_P(CpuDiagnostic, GivesTheHeadersFileAndLine) {
  Specialization specialization = kernels_.specialize("#include \"own.h\"\n__global__ void k() {}\n", "k");
  specialization.headers = {{"own.h", "/home/user/own.h", "#pragma once\n\nint x = wrong;\n"}};
  EXPECT_THAT(diagnostic_of(kernels_.compiler().compile(specialization)).summary,
              HasSubstr("/home/user/own.h:3:"));
}

TEST_P(CpuDiagnostic, ListsTheKernelsWhereTheNameIsWrong) {
  const Diagnostic diagnostic = compile(std::string(kAdd) + "__global__ void mul() {}\n", "ad");
  EXPECT_THAT(diagnostic.summary, HasSubstr("no kernel 'ad'"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("add, mul"));
}

TEST_P(CpuDiagnostic, PassesDefinesOptionsAndLaunchBounds) {
  Specialization specialization = kernels_.specialize(
      "__global__ void KILN_LAUNCH_BOUNDS_k k(int* a) {\n#ifdef FLAG\n  a[0] = VALUE + EXTRA;\n#endif\n}\n",
      "k");
  specialization.defines = {{"FLAG", ""}, {"VALUE", "40"}};
  specialization.options = {"-DEXTRA=2"};
  specialization.entries[0].launch_bounds = "256, 2";
  Function& k = kernels_.build(specialization);
  int a = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 42);
}

TEST_P(CpuDiagnostic, ReadsHeadersFromTheSpecializationOnly) {
  Specialization specialization = kernels_.specialize(
      "#include \"sub/own.h\"\n#include \"sub/../sub/own.h\"\n__global__ void k(int* a) { a[0] = own(); }\n",
      "k");
  specialization.headers = {{"sub/own.h", "/x/sub/own.h",
                             "#pragma once\n#include \"deep.h\"\n__device__ int own() { return deep; }\n"},
                            {"deep.h", "/x/sub/deep.h", "#pragma once\nconstexpr int deep = 9;\n"},
                            {"sub/../sub/own.h", "/x/sub/own.h", "not even C++"}};
  Function& k = kernels_.build(specialization);
  int a = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 9);
}

/// A compiler in a world that the test makes up.
class FakeCpuCompiler : public ::testing::Test {
 protected:
  FakeCpuCompiler() { files_.make_directories("/tools", false); }

  void install(const std::string& name, const std::string& content) {
    files_.write_file("/tools/" + name, content, false);
    processes_.add_program(name, "/tools/" + name);
  }
  std::unique_ptr<Compiler> make(const std::string& program = "") {
    return make_cpu_compiler({program, "/scratch", "/state/compiler", std::chrono::seconds(7)}, processes_,
                             files_, log_);
  }
  static Specialization add() {
    Specialization specialization;
    specialization.source_name = "add.cu";
    specialization.source_text = kAdd;
    specialization.entries = {{"add", std::nullopt, ""}};
    specialization.target = {"cpu", "x86-64-v3", 32};
    return specialization;
  }
  Diagnostic compile_with(const ProcessResult& result) {
    install("g++", "x");
    answer_ = [result](const Command& command) {
      return command.arguments.front() == "--version" ? FakeProcessRunner::succeeded("g++ (X) 12.2.0\n")
                                                      : result;
    };
    return diagnostic_of(make()->compile(add()));
  }

  FakeClock clock_;
  MemoryFileSystem files_{clock_};
  RecordingLog log_;
  FakeProcessRunner::Answer answer_ = [](const Command&) {
    return FakeProcessRunner::succeeded("g++ (X) 12.2.0\n");
  };
  FakeProcessRunner processes_{[this](const Command& command) { return answer_(command); }};
};

TEST_F(FakeCpuCompiler, SaysWhatItLookedForAndWhatToInstall) {
  try {
    static_cast<void>(make()->identity());
    FAIL() << "found a compiler";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("g++, clang++ and c++ in PATH"));
    EXPECT_THAT(error.what(), HasSubstr("apt-get install g++"));
  }
  install("g++", "x");
  try {
    static_cast<void>(make("icpc")->identity());
    FAIL() << "found a compiler";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'icpc'"));
  }
}

TEST_F(FakeCpuCompiler, TakesTheFirstThatIsThere) {
  install("c++", "x");
  install("clang++", "x");
  answer_ = [](const Command& command) {
    EXPECT_EQ(command.program, "/tools/clang++");
    return FakeProcessRunner::succeeded("Debian clang version 14.0.6\nTarget: x\n");
  };
  const auto compiler = make();
  EXPECT_EQ(compiler->identity().name, "clang++");
  EXPECT_EQ(compiler->identity().version, "Debian clang version 14.0.6");
  EXPECT_EQ(compiler->identity().fingerprint.size(), 64U);
}

TEST_F(FakeCpuCompiler, ForAnyMachineAsksForWhatAllOfThemHave) {
  install("g++", "x");
  const auto compiler = make_cpu_compiler({"", "/scratch", "/state/compiler", std::chrono::seconds(7), true},
                                          processes_, files_, log_);
  static_cast<void>(compiler->compile(add()));
  EXPECT_THAT(processes_.commands().back().arguments,
              AllOf(Contains("-march=x86-64"), Not(Contains("-march=x86-64-v3"))));
  EXPECT_EQ(compiler->identity().name, "g++, baseline");
  EXPECT_NE(compiler->identity().fingerprint, make()->identity().fingerprint);
  EXPECT_TRUE(arch_options(baseline_arch("aarch64 sve")).empty());
}

TEST_F(FakeCpuCompiler, AsksForTheVersionOnceUntilTheProgramChanges) {
  install("g++", "first");
  static_cast<void>(make()->identity());
  const auto second = make();
  EXPECT_EQ(second->identity().version, "g++ (X) 12.2.0");
  EXPECT_EQ(processes_.commands().size(), 1U);
  install("g++", "second, longer");
  static_cast<void>(make()->identity());
  EXPECT_EQ(processes_.commands().size(), 2U);
  files_.write_file("/state/compiler", "damaged", false);
  EXPECT_EQ(make()->identity().name, "g++");
  EXPECT_EQ(processes_.commands().size(), 3U);
}

TEST_F(FakeCpuCompiler, WorksWithoutAPlaceToRememberIn) {
  install("g++", "x");
  files_.set_read_only(true);
  EXPECT_EQ(make()->identity().version, "g++ (X) 12.2.0");
  EXPECT_TRUE(log_.warnings().empty());
}

TEST_F(FakeCpuCompiler, TurnsACrashATimeoutAndAFullDiskIntoDiagnostics) {
  const Diagnostic crash = compile_with(FakeProcessRunner::killed(11));
  EXPECT_THAT(crash.summary, HasSubstr("add.cu: error: the C++ compiler was ended by signal 11"));
  EXPECT_FALSE(crash.environment);
  ProcessResult late;
  late.started = true;
  late.timed_out = true;
  EXPECT_THAT(compile_with(late).summary, HasSubstr("did not finish within 7.00 s"));
  EXPECT_THAT(compile_with(FakeProcessRunner::exited(4)).summary, HasSubstr("exit code 4"));
  EXPECT_TRUE(
      compile_with(FakeProcessRunner::exited(1, "", "x.cu:1: fatal: No space left on device")).environment);
  EXPECT_TRUE(compile_with(ProcessResult{}).environment);
  EXPECT_TRUE(compile_with(FakeProcessRunner::succeeded()).environment);  // it wrote no file
  EXPECT_TRUE(files_.files_below("/scratch").empty());
  files_.set_full(true);
  EXPECT_TRUE(diagnostic_of(make()->compile(add())).environment);
}

TEST_F(FakeCpuCompiler, ResolvesTargets) {
  files_.make_directories("/proc", false);
  files_.write_file("/proc/cpuinfo",
                    "processor : 0\nflags : fpu cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3 avx avx2 bmi1 "
                    "bmi2 f16c fma abm "
                    "movbe xsave avx512f sha_ni\n",
                    false);
  const auto compiler = make();
#if defined(__x86_64__)
  EXPECT_EQ(compiler->target_for("native").arch, "x86-64-v3 sha");
  EXPECT_EQ(compiler->target_for("x86-64-v2").to_string(), "cpu:x86-64-v2");
#endif
  try {
    static_cast<void>(compiler->target_for("x86-64-v5"));
    FAIL() << "no such level";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'x86-64-v"));
  }
  EXPECT_THAT(arch_options("x86-64-v3 sha"), ElementsAre("-march=x86-64-v3", "-msha"));
}

}  // namespace
}  // namespace kiln::test
