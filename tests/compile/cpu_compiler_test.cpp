#include "compile/cpu/cpu_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compile/cpu/arch_options.h"
#include "device/fault.h"
#include "kiln/error.h"
#include "support/compile_result.h"
#include "support/cpu_kernels.h"
#include "support/error_matchers.h"
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
  DeviceFunction& k = kernels_.build(specialization);
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
  DeviceFunction& k = kernels_.build(specialization);
  int a = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 9);
}

TEST_P(CpuDiagnostic, AVariableThatIsNotCompiledIsNoSymbol) {
  for (const char* barrier : {"", "__syncthreads();"}) {
    Specialization specialization = kernels_.specialize(
        std::string(
            "#ifdef PROFILE\n#include \"profile.h\"\n__device__ int count;\n#endif\n#include \"own.h\"\n") +
            "#if 1\n__constant__ int used; /* of k */\n#else\n__constant__ int unused;\n#endif\n" +
            "__global__ void k(int* a) {\n  a[threadIdx.x] = tools::table[0] + used;\n" + barrier + "\n}\n",
        "k");
    specialization.headers = {
        {"profile.h", "/home/user/profile.h", "namespace profile { __device__ int records; }\n"},
        {"own.h", "/home/user/own.h",
         "#pragma once\nnamespace tools {\n__constant__ int table[4];  __device__ int hits;\n}\n"}};
    const auto result = kernels_.compiler().compile(specialization);
    ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << diagnostic_of(result).log;
    const CodeObject& code = std::get<CodeObject>(result);
    const std::string binary(reinterpret_cast<const char*>(code.binary.data()), code.binary.size());
    for (const char* symbol : {"tools::table", "tools::hits", "used"})
      EXPECT_THAT(binary, HasSubstr(symbol)) << barrier;
    EXPECT_THAT(binary, Not(HasSubstr("profile::records"))) << barrier;
    EXPECT_THAT(binary, Not(HasSubstr("unused"))) << barrier;
  }
  EXPECT_THAT(compile("#ifdef X\n__device__ int a;\n#endif\n#ifndef X\n__device__ int b; __device__ int c;\n"
                      "#endif\n__global__ void k(int* o) { o[0] = wrong; }\n",
                      "k")
                  .summary,
              HasSubstr("kernel.cu:7:"));
}

TEST_P(CpuDiagnostic, HasTheConstantsOfTheGnuLibrary) {
  const auto result = kernels_.compiler().compile(
      kernels_.specialize("__global__ void k(float* a) {\n  static_assert(sizeof(M_PI_2f32) == 4 && "
                          "sizeof(M_SQRT2f64) == 8, \"\");\n"
                          "  a[0] = M_PIf32 + M_1_PIf32 + MAXFLOAT;\n}\n",
                          "k"));
  EXPECT_TRUE(std::holds_alternative<CodeObject>(result)) << diagnostic_of(result).log;
}

TEST_P(CpuDiagnostic, ATextMayDeclareWhatIsBuiltIn) {
  for (const char* barrier : {"", "__syncthreads();"}) {
    const auto result = kernels_.compiler().compile(kernels_.specialize(
        std::string(
            "#include <cufft.h>\nextern __device__ __device_builtin__ void __syncthreads(void);\n"
            "extern __device__ __device_builtin__ void __threadfence(void);\n"
            "struct Plan { cufftHandle plan; };\n__global__ void k(int* a) {\n  a[0] = sizeof(Plan); ") +
            barrier + "\n}\n",
        "k"));
    EXPECT_TRUE(std::holds_alternative<CodeObject>(result)) << diagnostic_of(result).log;
  }
}

TEST_P(CpuDiagnostic, HandlesOfLibrariesAreMembersOfStructs) {
  const auto result = kernels_.compiler().compile(kernels_.specialize(
      "#include <cublas_v2.h>\n#include <cub/cub.cuh>\n#include <curand.h>\n#include <cusolverDn.h>\n"
      "#include <cusparse.h>\ntemplate <int kArch = CUB_PTX_ARCH> struct Tuned { int n = kArch; };\n"
      "struct Run { float* w; curandGenerator_t a; cublasHandle_t b;\n"
      "  cusparseHandle_t c; cusolverDnHandle_t d; };\n__constant__ Run run;\n"
      "__global__ void k(int* a) { run.w[0] = Tuned<>().n; a[0] = sizeof(Run); }\n",
      "k"));
  EXPECT_TRUE(std::holds_alternative<CodeObject>(result)) << diagnostic_of(result).log;
}

TEST_P(CpuDiagnostic, AKernelMayShareItsNameWithAFunctionOfTheHost) {
  for (const char* barrier : {"", "__syncthreads();"}) {
    const std::string text =
        std::string("struct Image { int n; };\ndouble scale(Image& to, const Image& from);\n") +
        "__global__ void scale(float* a, int n) { a[threadIdx.x] *= n; " + barrier + " }\n";
    const auto result = kernels_.compiler().compile(kernels_.specialize(text, "scale"));
    EXPECT_TRUE(std::holds_alternative<CodeObject>(result)) << diagnostic_of(result).log;
  }
}

TEST_P(CpuDiagnostic, AKernelMayShareItsNameWithOtherDeclarations) {
  constexpr const char* kOthers[] = {
      "__global__ void scale(float, int);\n",  // as many parameters, of other types
      "typedef float Real;\n__global__ void scale(Real* a, int n);\n",
      "template <int N> __global__ void scale(float* a, int n) { a[0] = N; }\n",
      "template <class T> __global__ void scale(T a, T n) {}\n",
      "namespace other { __global__ void scale(float* a, int n); }\n",
  };
  for (const std::string other : kOthers) {
    for (const char* barrier : {"", "__syncthreads();"}) {
      SCOPED_TRACE(other + barrier);
      const std::string text =
          other + "__global__ void scale(float* a, int n) { a[threadIdx.x] *= n; " + barrier + " }\n";
      const auto result = kernels_.compiler().compile(kernels_.specialize(text, "scale"));
      EXPECT_TRUE(std::holds_alternative<CodeObject>(result)) << diagnostic_of(result).log;
    }
  }
}

TEST_P(CpuDiagnostic, HasTheIntegersOfStdAndAllHeadersAtOnce) {
  DeviceFunction& plain = kernels_.build(kernels_.specialize(
      "__global__ void k(int* a) {\n"
      "  a[0] = int(reinterpret_cast<std::uintptr_t>(a) % sizeof(int)) + int(sizeof(std::int64_t));\n"
      "  a[0] += int(sizeof(u_int16_t) + sizeof(__uint32_t));\n}\n",
      "k"));
  int a = 0;
  kernels_.run(plain, {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 14);
  DeviceFunction& named = kernels_.build(kernels_.specialize(
      "using namespace std;\ntemplate <class T, class U = enable_if_t<is_same_v<T, int>, long>>\n"
      "__device__ U wide(T x) { pair<int, U> both(1, x); return both.first + both.second; }\n"
      "__global__ void k(int* a) { a[0] = int(wide(a[0]) * sizeof(std::make_unsigned_t<short>)); }\n",
      "k"));
  kernels_.run(named, {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 30);
  a = 14;
  if (std::string(GetParam()) != "g++") return;  // the header is libstdc++'s
  Specialization all = kernels_.specialize(
      "#include <bits/stdc++.h>\n__global__ void k(int* a) {\n  int b = 5;\n  std::swap(a[0], b);\n"
      "  a[0] += static_cast<std::size_t>(b) + std::numeric_limits<std::uint8_t>::max();\n}\n",
      "k");
  all.unseen_headers = {"bits/stdc++.h"};
  kernels_.run(kernels_.build(all), {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 5 + 14 + 255);
}

TEST_P(CpuDiagnostic, AConstantMayAssertWhatIsTrue) {
  DeviceFunction& k = kernels_.build(
      kernels_.specialize("#include <cassert>\nstruct Table {\n  int x[4];\n"
                          "  constexpr int at(int i) const { assert(i < 4); return x[i]; }\n};\n"
                          "__global__ void k(int* a) {\n  constexpr Table table{{1, 2, 3, 4}};\n"
                          "  constexpr int third = table.at(2);\n  a[0] = third;\n}\n",
                          "k"));
  int a = 0;
  kernels_.run(k, {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 3);
}

/// CUDA programs move floats in wider pieces, by way of types that C++ calls different.
TEST_P(CpuDiagnostic, TakesTypePunningAsItIsMeant) {
  DeviceFunction& twice = kernels_.build(
      "struct Four { unsigned part[4]; };\n"
      "template <class Piece> __device__ void copy(float (&to)[16], const float* from) {\n"
      "  for (int i = 0; i < 4; ++i)\n"
      "    reinterpret_cast<Piece*>(to)[i] = reinterpret_cast<const Piece*>(from)[i * 32 + threadIdx.x];\n"
      "}\n"
      "template <class Piece> __device__ void give(float* to, const float (&from)[16]) {\n"
      "  float scaled[16];\n"
      "  for (int i = 0; i < 16; ++i) scaled[i] = 2 * from[i];\n"
      "  for (int i = 0; i < 4; ++i)\n"
      "    reinterpret_cast<Piece*>(to)[i * 32 + threadIdx.x] = reinterpret_cast<const Piece*>(scaled)[i];\n"
      "}\n"
      "template <class Piece> __global__ void twice(float* to, const float* from) {\n"
      "  float part[16] = {0}, shifted[16];\n"
      "  copy<Piece>(part, from);\n"
      "  for (int i = 0; i < 16; ++i) shifted[i] = __shfl_sync(~0u, part[i], threadIdx.x);\n"
      "  give<Piece>(to, shifted);\n"
      "}\n",
      "twice<uint4>");
  std::vector<float> from(512), to(512), doubled(512);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<float>(i) + 0.5F;
    doubled[i] = 2 * from[i];
  }
  kernels_.run(twice, {{1, 1, 1}, {32, 1, 1}, 0}, to.data(), from.data());
  EXPECT_EQ(to, doubled);
}

TEST_P(CpuDiagnostic, NamesAnOptionThatKeepsTheCompilerFromMakingCode) {
  for (const char* option : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-o", "-ox.so", "-r", "-pie",
                             "-static", "--version", "-###", "-print-search-dirs"}) {
    Specialization specialization = kernels_.specialize(kAdd, "add");
    specialization.options = {"-DX=1", option};
    const Diagnostic diagnostic = diagnostic_of(kernels_.compiler().compile(specialization));
    EXPECT_THAT(diagnostic.summary, HasSubstr("kernel.cu: error: the option '" + std::string(option) + "'"));
    EXPECT_FALSE(diagnostic.environment);
  }
}

TEST_P(CpuDiagnostic, TakesNothingForCodeThatIsNone) {
  const std::filesystem::path options = kernels_.scratch() / "options";
  kernels_.files().write_file(options, "-c", false);
  for (const std::string& option : {"@" + options.string(), std::string("-Wl,-r"), std::string("-m32")}) {
    Specialization specialization = kernels_.specialize(kAdd, "add");
    specialization.options = {option};
    const Diagnostic diagnostic = diagnostic_of(kernels_.compiler().compile(specialization));
    EXPECT_FALSE(diagnostic.environment) << option << diagnostic.summary;
  }
}

TEST_P(CpuDiagnostic, AFilesNameMayHoldAnyCharacter) {
  const std::string name = "a\"b\\c\nint from_the_name;\n\t.cu";
  Specialization specialization = kernels_.specialize(
      "#include \"own.h\"\nextern \"C\" __global__ void k(int* a) { a[0] = own + from_the_name; }\n", "k");
  specialization.source_name = name;
  specialization.headers = {{"own.h", "/x/" + name, "constexpr int own = 9;\n"}};
  const Diagnostic diagnostic = diagnostic_of(kernels_.compiler().compile(specialization));
  EXPECT_THAT(diagnostic.log, HasSubstr("from_the_name"));
  EXPECT_THAT(diagnostic.log, Not(HasSubstr("own.h")));
  specialization.source_text = "#include \"own.h\"\nextern \"C\" __global__ void k(int* a) { a[0] = own; }\n";
  int a = 0;
  kernels_.run(kernels_.build(specialization), {{1, 1, 1}, {1, 1, 1}, 0}, &a);
  EXPECT_EQ(a, 9);
}

TEST_P(CpuDiagnostic, CodeThatUsesWhatNothingDefinesIsRefusedWithItsName) {
  const CodeObject code = kernels_.compile(
      kernels_.specialize("__device__ float nowhere_defined(float);\n"
                          "extern \"C\" __global__ void k(float* a) { a[0] = nowhere_defined(a[1]); }\n",
                          "k"));
  EXPECT_THAT(message_of(ErrorKind::kUnfit, [&] { static_cast<void>(kernels_.device().load(code.binary)); }),
              HasSubstr("'nowhere_defined(float)'"));
}

/// With the machine's compiler, whose answer is asked for once.
TEST_P(CpuDiagnostic, HeadersThatOnlyTheCompilerFindsArePartOfTheKey) {
  const std::filesystem::path folder = kernels_.scratch() / "modules";
  const auto write = [&](const std::string& text) {
    kernels_.files().make_directories(folder, false);
    kernels_.files().write_file(folder / "mylib.h", text, false);
  };
  CpuCompilerOptions options;
  options.program = GetParam();
  options.scratch = kernels_.scratch();
  options.environment = {{"CPATH", folder.string()}, {"LIBRARY_PATH", "/opt/lib"}};
  const auto processes = make_process_runner();
  RecordingLog log;
  const auto compiler = make_cpu_compiler(options, *processes, kernels_.files(), log);
  Specialization specialization = kernels_.specialize("#include <mylib.h>\n", "k");
  specialization.unseen_headers = {"cmath", "cstdint", "cuda_runtime.h", "stdio.h", "vector"};
  EXPECT_EQ(compiler->surroundings(specialization), "LIBRARY_PATH=/opt/lib");
  EXPECT_EQ(compiler->unknown_input(specialization), "");
  specialization.unseen_headers = {"mylib.h", "stdio.h"};
  write("#define VALUE 1\n");
  const std::string first = compiler->surroundings(specialization);
  EXPECT_THAT(first,
              AllOf(HasSubstr("mylib.h "), HasSubstr("LIBRARY_PATH=/opt/lib"), Not(HasSubstr("stdio.h"))));
  write("#define VALUE 22\n");  // of another length: the clock need not have moved
  EXPECT_NE(compiler->surroundings(specialization), first);
  write("#include_next <mylib.h>\n");
  EXPECT_THAT(compiler->unknown_input(specialization), HasSubstr("mylib.h:1:"));
}

/// A compiler in a world that the test makes up.
class FakeCpuCompiler : public ::testing::Test {
 protected:
  FakeCpuCompiler() {
    files_.make_directories("/tools", false);
    files_.make_directories("/scratch", true);
  }

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

TEST_F(FakeCpuCompiler, UnrollsLessWhereATextIsSplitAtItsBarriers) {
  constexpr const char* kLess = "--param=max-completely-peeled-insns=100";
  install("g++", "x");
  answer_ = [](const Command& command) {
    const std::vector<std::string>& arguments = command.arguments;
    const bool expands = std::find(arguments.begin(), arguments.end(), "-E") != arguments.end();
    return FakeProcessRunner::succeeded(expands ? command.standard_input : "g++ (X) 12.2.0\n");
  };
  static_cast<void>(make()->compile(add()));
  EXPECT_THAT(processes_.commands().back().arguments, Not(Contains(kLess)));
  Specialization waits = add();
  waits.source_text =
      "__global__ void add(float* x) {\n"
      "  __shared__ float s[32];\n"
      "  s[threadIdx.x] = x[threadIdx.x];\n"
      "  __syncthreads();\n"
      "  x[threadIdx.x] = s[31 - threadIdx.x];\n"
      "}\n";
  waits.options = {"--param=max-completely-peeled-insns=200"};
  static_cast<void>(make()->compile(waits));
  const std::vector<std::string> arguments = processes_.commands().back().arguments;
  const auto less = std::find(arguments.begin(), arguments.end(), kLess);
  ASSERT_NE(less, arguments.end());
  EXPECT_NE(std::find(less, arguments.end(), waits.options[0]), arguments.end()) << "its own option is last";
  waits.options = {"-DKILN_FIBERS"};
  static_cast<void>(make()->compile(waits));
  EXPECT_THAT(processes_.commands().back().arguments, Not(Contains(kLess)));
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

TEST_F(FakeCpuCompiler, TurnsACrashAndATimeoutIntoDiagnostics) {
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
  const Diagnostic refused =
      compile_with(FakeProcessRunner::exited(1, "",
                                             "g++: fatal error: cannot execute 'cc1plus': vfork: Resource "
                                             "temporarily unavailable"));
  EXPECT_TRUE(refused.environment) << "no fault of the text";
  EXPECT_FALSE(refused.compiler_fault);
  EXPECT_THAT(refused.summary, HasSubstr("was refused a process (the limit `ulimit -u`"));
  EXPECT_TRUE(compile_with(ProcessResult{}).environment);
  EXPECT_TRUE(compile_with(FakeProcessRunner::succeeded()).environment);  // it wrote no file
  EXPECT_TRUE(files_.files_below("/scratch").empty());
}

TEST_F(FakeCpuCompiler, ACompileThatIsStoppedIsNoDiagnostic) {
  EXPECT_THROW((void)compile_with(FakeProcessRunner::stopped()), Cancelled);
  EXPECT_TRUE(files_.files_below("/scratch").empty());
}

TEST_F(FakeCpuCompiler, ATemporaryFolderThatIsFullIsTheMachinesLack) {
  install("g++", "x");
  answer_ = [](const Command&) { return FakeProcessRunner::succeeded("g++ (X) 12.2.0\n"); };
  files_.set_full(true);
  try {
    static_cast<void>(make()->compile(add()));
    FAIL() << "compiled without room";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'/scratch'"), HasSubstr("TMPDIR")));
  }
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
