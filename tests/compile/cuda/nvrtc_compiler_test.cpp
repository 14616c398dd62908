#include "compile/cuda/nvrtc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cuda/device_linker.h"
#include "compile/cuda/nvrtc_fixture.h"
#include "compile/cuda/nvrtc_unit.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class NvrtcCompilerTest : public NvrtcTest {};

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

TEST_F(NvrtcCompilerTest, KernelsThatLaunchKernelsAreLinkedWithTheDevicesRuntime) {
  const DeviceLinker linker = open_device_linker(places_, open_nvrtc(places_, *files_).path,
                                                 open_nvrtc(places_, *files_).major, *files_);
  if (!linker.problem.empty()) GTEST_SKIP() << linker.problem;
  const Specialization specialization = specialize(R"(
template <int N> __global__ void child(int* a) { __shared__ int s[N]; s[threadIdx.x] = 1; __syncthreads(); a[threadIdx.x] = s[N - 1]; }
__global__ void parent(int* a) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  child<8><<<1, 8, 0, stream>>>(a);
  cudaStreamDestroy(stream);
})",
                                                   "parent");
  const CodeObject object = compile(specialization);
  EXPECT_EQ(object.format, "cubin");
  EXPECT_THAT(object.binary, StartsWith("\x7f"
                                        "ELF"));
  ASSERT_GT(object.binary.size(), 18U);
  EXPECT_EQ(object.binary[16], 2);  // e_type: an executable, not a relocatable object
  EXPECT_THAT(object.binary, HasSubstr("_Z5childILi8EEvPi"));
  EXPECT_EQ(object.resources.size(), 1U);
  EXPECT_THAT(compiler_->surroundings(specialization), HasSubstr("libcudadevrt.a"));
}

TEST_F(NvrtcCompilerTest, MemoryThatKernelsAllocateByTheRunTimeIsLinkedToo) {
  const DeviceLinker linker = open_device_linker(places_, open_nvrtc(places_, *files_).path,
                                                 open_nvrtc(places_, *files_).major, *files_);
  if (!linker.problem.empty()) GTEST_SKIP() << linker.problem;
  const Specialization specialization = specialize(R"(
struct Buffer {
  float* values;
  __host__ __device__ explicit Buffer(int n) { cudaMalloc(&values, n * sizeof(float)); }
  __host__ __device__ ~Buffer() { cudaFree(values); }
};
__global__ void k(float* a) { Buffer b(4); b.values[0] = 2; a[0] = b.values[0]; })",
                                                   "k");
  const CodeObject object = compile(specialization);
  ASSERT_GT(object.binary.size(), 18U);
  EXPECT_EQ(object.binary[16], 2);
  EXPECT_THAT(compiler_->surroundings(specialization), HasSubstr("libcudadevrt.a"));
  EXPECT_THAT(compiler_->surroundings(specialize("__global__ void k(float* a) { a[0] = 1; }", "k")),
              Not(HasSubstr("libcudadevrt.a")));
}

TEST_F(NvrtcCompilerTest, KernelsThatLaunchKernelsNeedMachineCode) {
  const CompileResult result = compiler_->compile(
      specialize("__global__ void k(int* a) { if (a[0] > 0) k<<<1, 1>>>(a); }", "k", "compute_90"), {});
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_THAT(std::get<Diagnostic>(result).summary,
              HasSubstr("kernels that launch kernels need machine code"));
}

TEST_F(NvrtcCompilerTest, TakesItsQuickOptions) {
  const char* text =
      "extern \"C\" __global__ void f(float* a, int n) {\n  float s = 0;\n"
      "  for (int i = 0; i < n; ++i) s += a[i] * a[i + 1];\n  a[0] = s;\n}\n";
  Specialization specialization = specialize(text, "f");
  const CodeObject full = compile(specialization);
  specialization.options = compiler_->quick_options();
  ASSERT_FALSE(specialization.options.empty());
  const CodeObject quick = compile(specialization);
  EXPECT_EQ(quick.format, "cubin");
  EXPECT_NE(quick.binary, full.binary);
}

TEST_F(NvrtcCompilerTest, WhatIsCompiledWithLessDeclaredIsTheSameCode) {
  const char* text =
      "extern \"C\" __global__ void f(float* a, int n) {\n  __shared__ float s[64];\n"
      "  s[threadIdx.x] = sqrtf(a[threadIdx.x]);\n  __syncthreads();\n"
      "  atomicAdd(a + n, s[threadIdx.x ^ 1]);\n  if (n < 0) printf(\"%d\\n\", n);\n}\n";
  Specialization specialization = specialize(text, "f");
  ASSERT_TRUE(may_be_minimal(specialization, "13.0"));
  const CodeObject less = compile(specialization);
  specialization.defines.emplace_back("UNUSED", "cudaError_t");
  ASSERT_FALSE(may_be_minimal(specialization, "13.0"));
  EXPECT_EQ(compile(specialization).binary, less.binary);
}

TEST_F(NvrtcCompilerTest, ATextThatHidesThatItNeedsMoreCompiles) {
  const Specialization hiding = specialize(
      "#define PASTE(a, b) a##b\n"
      "extern \"C\" __global__ void f(int* a) { PASTE(cu, daError_t) e = PASTE(cu, daSuccess); *a = e; }\n",
      "f");
  ASSERT_TRUE(may_be_minimal(hiding, "13.0"));
  EXPECT_EQ(compile(hiding).format, "cubin");
  const Specialization wrong = specialize("extern \"C\" __global__ void f(int* a) { *a = nothing; }\n", "f");
  ASSERT_TRUE(may_be_minimal(wrong, "13.0"));
  const Diagnostic failure = fail(wrong);
  EXPECT_THAT(failure.summary, HasSubstr("\"nothing\" is undefined"));
  EXPECT_THAT(failure.command, Not(HasSubstr("--minimal")));
  const bool own_cache = has_own_cache(compiler_->identity().version);
  EXPECT_EQ(failure.command.find("--no-cache") != std::string::npos, own_cache);
}

TEST_F(NvrtcCompilerTest, IntegersOf128BitsNeedNoOption) {
  ASSERT_FALSE(needs_wide_integers(specialize("void f();", "f"), "13.0"));
  for (const std::string type : {"unsigned __int128", "__uint128_t", "__int128_t"}) {
    const Specialization wide =
        specialize("extern \"C\" __global__ void f(unsigned long long* a) {\n  " + type +
                       " x = a[0];\n  a[1] = (unsigned long long)(x * x >> 64);\n}\n",
                   "f");
    if (!needs_wide_integers(wide, compiler_->identity().version)) GTEST_SKIP() << "NVRTC is older than 11.5";
    EXPECT_EQ(compile(wide).format, "cubin") << type;
    EXPECT_FALSE(needs_wide_integers(wide, "11.4"));
  }
}

TEST_F(NvrtcCompilerTest, KnowsTheLimitsOfTypesWithoutAnInclude) {
  const std::string text =
      "extern \"C\" __global__ void f(int* y, float* x) {\n  y[0] = INT_MAX;\n  x[0] = FLT_EPSILON;\n}\n";
  EXPECT_FALSE(compile(specialize(text, "f")).binary.empty());
  const std::string gone = "#ifdef NEVER\n#include <limits.h>\n#include <float.h>\n#endif\n";
  EXPECT_FALSE(compile(specialize(gone + text, "f")).binary.empty());
}

TEST_F(NvrtcCompilerTest, NamesOfStdAreThereWithoutAnInclude) {
  if (!has_cuda_headers("cuda/std/limits")) GTEST_SKIP() << "no libcu++ of this NVRTC's release";
  const Specialization uses = specialize(
      "extern \"C\" __global__ void f(float* x) {\n  x[0] = std::numeric_limits<float>::max();\n}\n", "f");
  EXPECT_FALSE(compile(uses).binary.empty());
  EXPECT_NE(compiler_->surroundings(uses), "") << "the version of libcu++ belongs to the key";
  EXPECT_EQ(compiler_->surroundings(specialize("extern \"C\" __global__ void f() {}\n", "f")), "");
}

TEST_F(NvrtcCompilerTest, NamesOfCudaAreThereWithoutAnInclude) {
  if (!has_cuda_headers("cuda/std/optional")) GTEST_SKIP() << "no libcu++ of this NVRTC's release";
  for (const std::string line :
       {"cuda::std::optional<int> a = y[1]; y[0] = a.value_or(2);",
        "cuda::atomic_ref<int, cuda::thread_scope_device>(y[0]).fetch_add(1, cuda::memory_order_relaxed);",
        "y[0] = cuda::std::max(y[1], y[2]);"})
    EXPECT_FALSE(compile(specialize("extern \"C\" __global__ void f(int* y) {\n  " + line + "\n}\n", "f"))
                     .binary.empty())
        << line;
}

TEST_F(NvrtcCompilerTest, NoCodeIsAFailedCompile) {
  Specialization specialization = specialize("extern \"C\" __global__ void f(int* a) { *a = 1; }", "f");
  specialization.options = {"-dlto"};
  const Diagnostic diagnostic = fail(specialization);
  EXPECT_THAT(diagnostic.summary, StartsWith("kernel.cu: error: NVRTC"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("made no machine code"));
  EXPECT_THAT(diagnostic.command, HasSubstr("-dlto"));
  EXPECT_FALSE(diagnostic.environment);
}

TEST_F(NvrtcCompilerTest, TheDevicesOwnFeaturesAreThereWhereTheOptionsAskForThem) {
  const char* text =
      "#ifndef __CUDA_ARCH_FEAT_SM90_ALL\n#error no features\n#endif\n"
      "extern \"C\" __global__ void f(int* a) { *a = 1; }";
  Specialization specialization = specialize(text, "f", "sm_90");
  EXPECT_THAT(fail(specialization).log, HasSubstr("no features"));
  specialization.options = {"-arch", "sm_90a"};
  EXPECT_EQ(compile(specialization).format, "cubin");
}

TEST_F(NvrtcCompilerTest, MakesPtxForADeviceThatItDoesNotKnowAndSaysSo) {
  const CodeObject object =
      compile(specialize("extern \"C\" __global__ void f(int* a) { *a = 1; }", "f", "sm_999"));
  EXPECT_EQ(object.format, "ptx");
  EXPECT_THAT(object.binary, HasSubstr(".visible .entry f"));
  EXPECT_THAT(object.log, StartsWith("PTX for compute_"));
}

/// NVRTC computes most of these when it compiles; the store would be for a wrong one.
TEST_F(NvrtcCompilerTest, BuiltInFunctionsOfOtherCompilersHaveTheirValues) {
  const auto ptx = [&](const std::string& wrong) {
    return compile(specialize("extern \"C\" __global__ void f(int* a) {\n  if (" + wrong + ") *a = 1;\n}\n",
                              "f", "sm_999"))
        .binary;
  };
  for (const char* const right : {"__builtin_clz(255u) == 24",
                                  "__builtin_clzll(255ull) == 56",
                                  "__builtin_ctzll(1ull << 40) == 40",
                                  "__builtin_popcount(255u) == 8",
                                  "__builtin_popcountll(~0ull) == 64",
                                  "__builtin_parity(7u) == 1",
                                  "__builtin_rotateleft32(0x80000001u, 4) == 0x18u",
                                  "__builtin_rotateright32(0x80000001u, 4) == 0x18000000u",
                                  "__builtin_rotateleft32(5u, 32) == 5u",
                                  "__builtin_rotateleft64(1ull, 63) == 1ull << 63",
                                  "__builtin_rotateright64(1ull, 1) == 1ull << 63",
                                  "__builtin_bitreverse32(1u) == 0x80000000u",
                                  "__builtin_elementwise_max(2, 3) == 3",
                                  "__builtin_elementwise_abs(-2.0f) == 2.0f",
                                  "__builtin_fmaf(2.0f, 3.0f, 4.0f) == 10.0f",
                                  "__builtin_fmaxf(1.0f, 2.0f) == 2.0f",
                                  "__builtin_sqrt(4.0) == 2.0",
                                  "__builtin_inff() > 3e38f",
                                  "__builtin_nan(\"\") != 0.0",
                                  "isunordered(__builtin_nanf(\"\"), 1.0f)",
                                  "!isunordered(1.0, 2.0)",
                                  "isgreater(2.0f, 1.0)",
                                  "!isless(2.0f, 1.0f)",
                                  "islessgreater(1.0, 2.0)",
                                  "!islessgreater(1.0, __builtin_nan(\"\"))",
                                  "isnormal(1.0f)",
                                  "!isnormal(1e-40f)",
                                  "!isnormal(__builtin_inf())"}) {
    const std::string condition = right;
    EXPECT_THAT(ptx("!(" + condition + ")"), Not(HasSubstr("st.global"))) << condition;
    EXPECT_THAT(ptx(condition), HasSubstr("st.global")) << condition;
  }
  // These are instructions: the first bit of the reversed number, and bytes by their places from the last on.
  EXPECT_THAT(ptx("__builtin_ctz(*a) == 3"), HasSubstr("bfind.shiftamt"));
  EXPECT_THAT(ptx("__builtin_ffs(*a) == 3"), HasSubstr("bfind.shiftamt"));
  EXPECT_THAT(ptx("__builtin_bswap32(*a) == 3"), AllOf(HasSubstr("prmt.b32"), HasSubstr("291")));
  EXPECT_THAT(ptx("__builtin_bswap64(*a) == 3"), AllOf(HasSubstr("prmt.b32"), HasSubstr("291")));
}

TEST_F(NvrtcCompilerTest, APackIsFetchedWithTheHintAskedFor) {
  const auto ptx = [&](const std::string& type, const std::string& count, const std::string& fetch) {
    return compile(specialize("#include \"kiln/portable.h\"\nextern \"C\" __global__ void f(" + type +
                                  "* to, const " + type +
                                  "* from) {\n  kiln::store_pack(to, kiln::fetch_pack<" + count + ", " +
                                  fetch + ">(from));\n}\n",
                              "f", "sm_999"))
        .binary;
  };
  EXPECT_THAT(ptx("double", "2", "64"), HasSubstr("ld.global.nc.L2::64B.v2.f64"));
  EXPECT_THAT(ptx("float", "8", "128"), HasSubstr("ld.global.nc.L2::128B.v4.f32"));
  EXPECT_THAT(ptx("float", "4", "256"), HasSubstr("ld.global.nc.L2::256B.v4.f32"));
  EXPECT_THAT(ptx("double", "2", "0"), Not(HasSubstr(".L2::")));
  EXPECT_THAT(ptx("float", "2", "64"), Not(HasSubstr(".L2::"))) << "8 bytes";
}

TEST_F(NvrtcCompilerTest, APackIsLoadedWithThePolicyToKeepIt) {
  const auto ptx = [&](const std::string& type, const std::string& count) {
    return compile(specialize("#include \"kiln/portable.h\"\nextern \"C\" __global__ void f(" + type +
                                  "* to, const " + type +
                                  "* from) {\n  kiln::store_pack(to, kiln::kept_load_pack<" + count +
                                  ">(from));\n}\n",
                              "f", "sm_999"))
        .binary;
  };
  EXPECT_THAT(ptx("double", "4"), AllOf(HasSubstr("createpolicy.fractional.L2::evict_last"),
                                        HasSubstr("ld.global.nc.L2::cache_hint.v4.u32")));
  EXPECT_THAT(ptx("short", "4"), HasSubstr("ld.global.nc.L2::cache_hint.v2.u32"));
  EXPECT_THAT(ptx("char", "4"), HasSubstr("ld.global.nc.L2::cache_hint.u32"));
  EXPECT_THAT(ptx("char", "2"), Not(HasSubstr("L2::cache_hint"))) << "2 bytes";
}

TEST_F(NvrtcCompilerTest, ASaturatedSumIsOneInstructionWithFastMathToo) {
  Specialization specialization = specialize(
      "#include \"kiln/portable.h\"\nextern \"C\" __global__ void f(float* a) {\n"
      "  *a = kiln::saturated_fma(a[0], a[1], a[2]);\n}\n",
      "f", "sm_999");
  for (const bool fast_math : {false, true}) {
    specialization.fast_math = fast_math;
    EXPECT_THAT(compile(specialization).binary, HasSubstr("fma.rn.sat.f32"));
  }
}

TEST_F(NvrtcCompilerTest, AKernelAsksTheHardwareForItsMultiprocessor) {
  const CodeObject object =
      compile(specialize("#include \"kiln/portable.h\"\nextern \"C\" __global__ void f(int* a) {\n"
                         "  *a = kiln::multiprocessor();\n}\n",
                         "f", "sm_999"));
  EXPECT_THAT(object.binary, HasSubstr("%smid"));
}

TEST_F(NvrtcCompilerTest, NamesTheLineOfTheUsersFile) {
  Specialization specialization =
      specialize("\n\nextern \"C\" __global__ void f(int* a) { *a = nothing; }", "f");
  specialization.defines = {{"A", "1"}, {"B", "2"}};
  const Diagnostic diagnostic = fail(specialization);
  EXPECT_THAT(diagnostic.summary, StartsWith("kernel.cu(3): error:"));
  EXPECT_THAT(diagnostic.log, HasSubstr("nothing"));
  EXPECT_THAT(diagnostic.command, HasSubstr("-arch=sm_80"));
  EXPECT_FALSE(diagnostic.environment);
}

TEST_F(NvrtcCompilerTest, NamesTheLineOfTheUsersHeader) {
  Specialization specialization =
      specialize("#include \"mine.h\"\nextern \"C\" __global__ void f(int* a) { *a = g(); }", "f");
  specialization.headers = {{"mine.h", "/src/mine.h", "#pragma once\n\n__device__ int g() { return no; }\n"}};
  EXPECT_THAT(fail(specialization).summary, StartsWith("mine.h(3): error:"));
  specialization.lineinfo = true;
  EXPECT_THAT(fail(specialization).summary, StartsWith("/src/mine.h(3): error:"));
}

TEST_F(NvrtcCompilerTest, TheLinesOfAProfilerAreThoseOfTheUsersFile) {
  const std::filesystem::path folder =
      files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_nvrtc_");
  const auto compiler = make_nvrtc_compiler({places_, "", folder, std::chrono::minutes(2)}, *files_, log_);
  Specialization specialization = specialize(R"(#include "kiln/params.h"
extern "C" __global__ void f(int* a) { a[kiln::global_index_x()] = 1; })",
                                             "f");
  const CodeObject plain = compile(specialization, compiler.get());
  EXPECT_TRUE(files_->list(folder).empty());
  specialization.lineinfo = true;
  const CodeObject object = compile(specialization, compiler.get());
  EXPECT_THAT(object.binary, HasSubstr(".debug_line"));
  EXPECT_THAT(object.binary, HasSubstr("/src"));
  EXPECT_THAT(object.binary, HasSubstr("kernel.cu"));
  EXPECT_THAT(plain.binary, Not(HasSubstr(".debug_line")));
  bool portable_is_there = false;
  for (const std::string& digest : files_->list(folder)) {
    portable_is_there |= files_->status(folder / digest / "kiln/portable.h").has_value();
  }
  files_->remove_all(folder);
  EXPECT_TRUE(portable_is_there);
}

TEST_F(NvrtcCompilerTest, SaysWhichKernelsThereAre) {
  const Diagnostic diagnostic =
      fail(specialize("extern \"C\" __global__ void axpy(int* a) { *a = 1; }", "axpi"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("no kernel 'axpi' in this file"));
  EXPECT_THAT(diagnostic.summary, HasSubstr("axpy"));
}

TEST_F(NvrtcCompilerTest, SaysWhereAnUnknownArchitectureStands) {
  EXPECT_EQ(compiler_->target_for("sm_80").arch, "sm_80");
  EXPECT_THROW(static_cast<void>(compiler_->target_for("native")), Error);
}

TEST_F(NvrtcCompilerTest, RemembersItsVersionSoThatAHitNeedNotOpenIt) {
  const std::filesystem::path folder =
      files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_nvrtc_");
  const auto make = [&] {
    return make_nvrtc_compiler({places_, folder / "nvrtc.txt", "", std::chrono::minutes(2)}, *files_, log_);
  };
  const CompilerIdentity asked = make()->identity();
  const auto memo = files_->read_file(folder / "nvrtc.txt");
  const CompilerIdentity remembered = make()->identity();
  // What it can compile for is known from the memo, too.
  files_->write_file(folder / "nvrtc.txt", memo->substr(0, memo->rfind('\t') + 1) + "7 80\n", false);
  const std::unique_ptr<Compiler> recalling = make();
  EXPECT_EQ(recalling->target_for("sm_80").arch, "sm_80");
  EXPECT_THAT(recalling->note_on({"cuda", "sm_90", 32}), HasSubstr("PTX for compute_80"));
  // A memo of an earlier version of Kiln.
  files_->write_file(folder / "nvrtc.txt", memo->substr(0, memo->rfind('\t', memo->rfind('\t') - 1)) + "\n",
                     false);
  EXPECT_EQ(make()->identity().fingerprint, asked.fingerprint);
  EXPECT_EQ(files_->read_file(folder / "nvrtc.txt"), memo);
  files_->remove_all(folder);
  ASSERT_TRUE(memo.has_value());
  EXPECT_THAT(*memo, HasSubstr("\t" + asked.version + "\t"));
  EXPECT_EQ(remembered.version, asked.version);
  EXPECT_EQ(remembered.fingerprint, asked.fingerprint);
}

TEST(NvrtcSearch, SaysWhatIsMissingAndWhatToInstall) {
  const auto files = make_real_file_system();
  RecordingLog log;
  const auto compiler = make_nvrtc_compiler(
      {cuda_places("/none/libnvrtc.so.13"), "", "", std::chrono::seconds(1)}, *files, log);
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
