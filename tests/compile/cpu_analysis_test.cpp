// What the CPU compiler concludes from a kernel text without compiling it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "compile/cpu/barrier_analysis.h"
#include "compile/cpu/guard_marks.h"
#include "compile/cpu/host_text.h"
#include "compile/cpu/lane_index.h"
#include "compile/portable_header.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool waits(const std::string& text, const std::string& entry = "k") {
  const Outline outlined = outline(text), portable = outline(portable_header());
  return may_wait(entry, {&outlined, &portable});
}

TEST(BarrierAnalysis, FollowsCallsByName) {
  EXPECT_FALSE(waits("__global__ void k(int* a) { a[0] = 1; }"));
  EXPECT_TRUE(waits("__global__ void k() { __syncthreads(); }"));
  EXPECT_TRUE(
      waits("__device__ void h() { __shfl_sync(1, 2, 3); } __device__ void g() { h(); } __global__ void k() "
            "{ g(); }"));
  EXPECT_FALSE(waits("__global__ void other() { __syncthreads(); } __global__ void k() {}"));
  EXPECT_FALSE(
      waits("__global__ void other() { __syncthreads(); } "
            "__global__ void k(int* a) { int other = 1; a[0] = other; }"))
      << "a variable; device code cannot call a kernel";
  EXPECT_TRUE(waits("__global__ void k(double x) { kiln::warp_reduce_sum(x); }"));
  EXPECT_FALSE(waits("__global__ void k(double* x) { kiln::stream_store(x, kiln::uniform01(1, 2)); }"));
}

TEST(BarrierAnalysis, FollowsMacrosClassesLambdasAndTemplateArguments) {
  EXPECT_TRUE(
      waits("#define STEP(x) do { \\\n __syncthreads(); } while (0)\n__global__ void k() { STEP(1); }"));
  EXPECT_TRUE(waits("struct Sum { __device__ Sum() { __syncwarp(); } }; __global__ void k() { Sum s; }"));
  EXPECT_TRUE(waits(
      "struct V {}; __device__ V operator+(V a, V) { __syncthreads(); return a; } __global__ void k() {}"));
  EXPECT_TRUE(
      waits("struct Op { __device__ void f() { __syncthreads(); } }; template <class O> __global__ void k() "
            "{ O().f(); }",
            "k<Op>"));
  EXPECT_TRUE(waits("auto wait = [] { __syncthreads(); }; __global__ void k() { wait(); }"));
  EXPECT_TRUE(waits("#define CALL(x) __sync##x()\n__global__ void k() { CALL(threads); }"));
  EXPECT_TRUE(
      waits("#include <cooperative_groups.h>\n__global__ void k() { "
            "cooperative_groups::this_thread_block().sync(); }"));
}

TEST(BarrierAnalysis, FollowsAliasesInAnyScope) {
  const std::string classes = "template <int N> struct Sum { __device__ Sum() { __syncthreads(); } }; ";
  EXPECT_TRUE(waits(classes + "using S = Sum<4>; __global__ void k() { S s; }"));
  EXPECT_TRUE(waits(classes + "typedef Sum<4> S; __global__ void k() { S s; }"));
  EXPECT_TRUE(waits(classes + "template <class T> struct Traits { typedef Sum<4> S; }; "
                              "__global__ void k() { typename Traits<int>::S s; }"));
  EXPECT_FALSE(waits(classes + "using S = Sum<4>; typedef int I; __global__ void k() { I s; }"));
}

TEST(BarrierAnalysis, DistrustsHeadersThatItHasNotSeen) {
  EXPECT_FALSE(includes_unseen_header(
      outline("#include <cmath>\n#include \"kiln/params.h\"\n#include \"own.h\"\n"), {"own.h"}));
  EXPECT_TRUE(includes_unseen_header(outline("#include \"own.h\"\n"), {}));
  EXPECT_TRUE(includes_unseen_header(outline("#include <vendor/blas.h>\n"), {"blas.h"}));
}

std::string marked(const std::string& text) {
  const Outline outlined = outline(text);
  std::set<std::string_view> macros;
  collect_macros(outlined, macros);
  return apply_edits(text, mark_guards(outlined, outlined.definitions.back(), macros));
}

TEST(GuardMarks, WrapPlainGuards) {
  EXPECT_EQ(marked("__global__ void k(int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { "
                   "a[i] = 1; } }"),
            "__global__ void k(int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if "
            "(kiln_last_guard((i < n), true)) { a[i] = 1; } }");
  EXPECT_THAT(
      marked("__global__ void k(P p) { const auto i = kiln::global_index_x(); if (i >= p.n) return; f(i); }"),
      HasSubstr("if (!kiln_last_guard(!(i >= p.n), true)) return;"));
  EXPECT_THAT(
      marked("__global__ void k(int n) { int i = threadIdx.x, j = threadIdx.y + blockIdx.y * blockDim.y;"
             "if (i == 0 || i >= n - 1 || j == 0) return; a[i] = j; }"),
      HasSubstr("if (!kiln_last_guard(!(i == 0 || i >= n - 1 || j == 0), !((j == 0)))) return;"));
  EXPECT_THAT(
      marked("__global__ void k(int n) { long i = (long)blockIdx.x * blockDim.x + threadIdx.x; int j "
             "= blockIdx.y;"
             "if (i >= n) return; if (j >= n) { return; } a[i] = j; }"),
      HasSubstr("if (!kiln_guard(!(i >= n), true)) return; if (!kiln_last_guard(!(j >= n), !((j >= n))))"
                " { return; }"));
  EXPECT_THAT(
      marked("__global__ void k(int n) { int i = threadIdx.x, j = blockIdx.y; if (i >= (n>>1) || j >= "
             "(n >> 1)) return; a[i] = j; }"),
      HasSubstr("if (!kiln_last_guard(!(i >= (n>>1) || j >= (n >> 1)), !((j >= (n >> 1))))) return;"));
}

TEST(GuardMarks, LeaveEverythingElseAlone) {
  const char* const texts[] = {
      "__global__ void k(int n) { int i = threadIdx.x; if (i % 2 < n) a[i] = 1; }",  // not neighbours
      "__global__ void k(int n) { int i = threadIdx.x; if (i != 5) a[i] = 1; }",     // a gap
      "__global__ void k(int n) { int i = threadIdx.x; if (i < n) a[i] = 1; else a[i] = 2; }",  // the others
                                                                                                // work too
      "__global__ void k(int n) { int i = threadIdx.x; if (i < n) a[i] = 1; b[i] = 2; }",  // so do they here
      "__global__ void k(int n) { int i = threadIdx.x; a[i] = 0; if (i >= n) return; }",   // an effect before
      "__global__ void k(int n) { int i = threadIdx.x; if (i < next()) a[i] = 1; }",  // perhaps an effect
      "__global__ void k(int n) { int i = threadIdx.x; if (i < n++) a[i] = 1; }",     // an effect
      "__global__ void k(int n) { int i = threadIdx.x; if (i < m[i]) a[i] = 1; }",    // reads memory
      "__global__ void k(int n) { int i = threadIdx.x; if (i < *m) a[i] = 1; }",      // reads memory
      "__global__ void k(int n) { int i = threadIdx.x; int j = n - i; if (i < j) a[i] = 1; }",  // both vary
      "__global__ void k(int n) { int i = threadIdx.x; if (i < 3 || i > n) a[i] = 1; }",        // two ends
      "__global__ void k(int n) { int i = threadIdx.x; if (i < n && (i < 3 || i > 9)) a[i] = 1; }",
      "__global__ void k(int n) { short i = threadIdx.x; if (i < n) a[i] = 1; }",    // may wrap
      "__global__ void k(int n) { int i = threadIdx.x - 1; if (i < n) a[i] = 1; }",  // negative
      "__global__ void k(int n) { int i = threadIdx.x; if (i < n ? n : 3) a[i] = 1; }",
      "#define ODD (threadIdx.x & 1)\n__global__ void k(int n) { if (ODD) return; a[0] = 1; }",  // hidden
      "#define LIMIT f()\n__global__ void k(int n) { int i = threadIdx.x; if (i < LIMIT) a[i] = 1; }",
      "__global__ void k(int n) { int i = threadIdx.x;\n#if X\nif (i < n)\n#endif\na[i] = 1; }",
  };
  for (const char* text : texts) EXPECT_EQ(marked(text), text);
}

std::string indexed(const std::string& text) {
  return apply_edits(text, mark_lane_indices(outline(text)));
}

TEST(LaneIndex, FindsTheSumInItsForms) {
  EXPECT_EQ(indexed("int i = blockIdx.x * blockDim.x + threadIdx.x;"),
            "int i = kiln_global_x(blockIdx.x * blockDim.x + threadIdx.x);");
  EXPECT_EQ(indexed("f(threadIdx.x + blockDim.x*blockIdx.x, 1)"),
            "f(kiln_global_x(threadIdx.x + blockDim.x*blockIdx.x), 1)");
  EXPECT_EQ(indexed("auto i = (size_t)blockIdx.x * blockDim.x + (size_t)threadIdx.x;"),
            "auto i = kiln_global_x((size_t)blockIdx.x * blockDim.x + (size_t)threadIdx.x);");
  EXPECT_EQ(indexed("= static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;"),
            "= kiln_global_x(static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x);");
  EXPECT_EQ(indexed("return (blockIdx.x) * blockDim.x + threadIdx.x;"),
            "return kiln_global_x((blockIdx.x) * blockDim.x + threadIdx.x);");
  EXPECT_EQ(indexed("= (blockIdx.x * blockDim.x) + (threadIdx.x);"),
            "= kiln_global_x((blockIdx.x * blockDim.x) + (threadIdx.x));");
  EXPECT_EQ(indexed("#define ID (blockIdx.x*blockDim.x+threadIdx.x)\n"),
            "#define ID (kiln_global_x(blockIdx.x*blockDim.x+threadIdx.x))\n");
}

TEST(LaneIndex, LeavesWhatOnlyLooksLikeIt) {
  for (const char* text :
       {"2 * blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * blockDim.x + threadIdx.x * 2",
        "blockIdx.y * blockDim.y + threadIdx.y", "blockIdx.x * blockDim.x + threadIdx.y",
        "a - blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * gridDim.x + threadIdx.x",
        "(float)blockIdx.x * blockDim.x + threadIdx.x", "-threadIdx.x + blockIdx.x * blockDim.x",
        "index_t(blockIdx.x) * blockDim.x + threadIdx.x",  // whose value may be another type's
        "static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x"}) {
    EXPECT_EQ(indexed(text), text);
  }
}

TEST(HostText, RenamesParametersThatShadowThoseOfTheClassesTemplate) {
  const auto renamed = [](const std::string& text) {
    const Outline outlined = outline(text);
    return apply_edits(text, host_edits(outlined, text, true));
  };
  EXPECT_EQ(renamed("template <unsigned rows, class T> struct M {\n"
                    "  T at(const T* p, const size_t rows, int n) const { return p[rows] + q.rows; }\n"
                    "  M(int rows) : n(rows), m{rows} { if (rows > 1) f(rows); }\n"
                    "  void g(const T) { for (int i = 0; i < rows; ++i) {} }\n"
                    "  T h(T (&a)[rows]);\n};\n"
                    "template <class T> void f(int rows) { g(rows); }\n"),
            "template <unsigned rows, class T> struct M {\n"
            "  T at(const T* p, const size_t rows_kiln, int n) const { return p[rows_kiln] + q.rows; }\n"
            "  M(int rows_kiln) : n(rows_kiln), m{rows_kiln} { if (rows_kiln > 1) f(rows_kiln); }\n"
            "  void g(const T) { for (int i = 0; i < rows; ++i) {} }\n"
            "  T h(T (&a)[rows]);\n};\n"
            "template <class T> void f(int rows) { g(rows); }\n");
  for (const char* broken :
       {"template <", "template <int n> struct", "template <int n> struct A { void f(int n",
        "template <int n> struct A { A(int n) : a(n"})
    EXPECT_EQ(renamed(broken), broken);
}

TEST(HostText, RewritesOnlyWhatAMacroCannot) {
  const std::string text =
      "extern __shared__ float whole[];\n"
      "__device__ __noinline__ int f() { return 1; }\n"
      "template <class T> __global__ void k(T* a) {\n"
      "  extern __shared__\n    __align__(16) T tile[][32];\n"
      "#pragma unroll 4\n"
      "  for (;;) {}\n"
      "#pragma unroll\n"
      "  for (;;) {}\n"
      "}\n"
      "template __global__ void k<float>(float*);\n"
      "static_assert(__CUDA_ARCH__ >= (800), \"sm_80\");\nstatic_assert(sizeof(int) == 4, "
      "\"__CUDA_ARCH__\");\n";
  const Outline outlined = outline(text);
  const std::string host = apply_edits(text, host_edits(outlined, text, true));
  EXPECT_THAT(host, HasSubstr("static thread_local float *whole;\n"));
  EXPECT_THAT(host, HasSubstr("__device__ __attribute__((noinline)) int f()"));
  EXPECT_THAT(host, HasSubstr("T (*tile)[32] = (decltype(tile))kiln_worker->dynamic_shared;\n"));
  EXPECT_THAT(host, HasSubstr("#pragma GCC unroll 4\n"));
  EXPECT_THAT(host, HasSubstr("template  void k<float>"));
  EXPECT_THAT(host,
              HasSubstr("static_assert(true, \"\");\nstatic_assert(sizeof(int) == 4, \"__CUDA_ARCH__\");\n"));
  EXPECT_EQ(std::count(host.begin(), host.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(dynamic_shared_assignments(outlined),
            "::whole = (decltype(::whole))kiln_worker->dynamic_shared;\n");
  EXPECT_THAT(apply_edits(text, host_edits(outlined, text, false)), Not(HasSubstr("GCC unroll")));
}

/// nvcc takes two such declarations in one block.
TEST(HostText, DeclaresSharedMemoryOncePerBlock) {
  const auto rewritten = [](const std::string& text) {
    return apply_edits(text, host_edits(outline(text), text, true));
  };
  const std::string first = "double *s = (decltype(s))kiln_worker->dynamic_shared;";
  const std::string declaration = "extern __shared__ double s[];";
  EXPECT_EQ(rewritten("__global__ void k() { " + declaration + " { int i; } " + declaration + " s[0] = 1; }"),
            "__global__ void k() { " + first + " { int i; } ; s[0] = 1; }");
  EXPECT_EQ(rewritten("__global__ void k() { { " + declaration + " } { " + declaration + " } }"),
            "__global__ void k() { { " + first + " } { " + first + " } }");
  const std::string branches =
      "__global__ void k() {\n#if A\n" + declaration + "\n#else\n" + declaration + "\n#endif\n}";
  EXPECT_EQ(rewritten(branches),
            "__global__ void k() {\n#if A\n" + first + "\n#else\n" + first + "\n#endif\n}");
}

/// Seconds of this thread for all that is concluded from a kernel text.
double seconds_of_analysis(const std::string& text) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double least = 1e9;
  for (int i = 0; i < 2; ++i) {
    const double begin = now();
    const Outline outlined = outline(text);
    for (const DefinitionOutline& definition : outlined.definitions) {
      if (definition.kernel) static_cast<void>(mark_guards(outlined, definition, {}));
    }
    static_cast<void>(host_edits(outlined, text, true));
    static_cast<void>(waits(text));
    static_cast<void>(includes_unseen_header(outlined, {}));
    least = std::min(least, now() - begin);
  }
  return least;
}

/// `times` of what opens, the middle, and as many of what closes, within the text around them.
struct NestedText {
  const char* name;
  const char* before;
  const char* open;
  const char* middle;
  const char* close;
  const char* after;
};

class AnalysisOfLongTexts : public ::testing::TestWithParam<NestedText> {
 protected:
  static std::string text(std::size_t times) {
    const NestedText& parts = GetParam();
    std::string all = parts.before;
    for (std::size_t i = 0; i < times; ++i) all += parts.open;
    all += parts.middle;
    for (std::size_t i = 0; i < times; ++i) all += parts.close;
    return all + parts.after;
  }
};

/// Twice the text takes twice the time, not four times; three and further tries allow for other work.
TEST_P(AnalysisOfLongTexts, TakesLinearTimeAndLittleStack) {
  bool linear = false;
  double once = 0, twice = 0;
  for (int i = 0; i < 5 && !linear; ++i) {
    once = seconds_of_analysis(text(25'000));
    twice = seconds_of_analysis(text(50'000));
    linear = twice < 3 * once + 0.01;
  }
  EXPECT_TRUE(linear) << once << " s, " << twice << " s";
}

INSTANTIATE_TEST_SUITE_P(
    Texts, AnalysisOfLongTexts,
    ::testing::Values(
        NestedText{"BracketsInAVariable", "static int q = ", "(", "1", ")", ";\n__global__ void k() {}"},
        NestedText{"BracketsInAnIndex", "__global__ void k() { int i = ", "(", "threadIdx.x", ")",
                   "; if (i < 3) return; }"},
        NestedText{"BracketsInAGuard", "__global__ void k(int n) { int i = threadIdx.x; if (", "(", "i < n",
                   ")", ") return; }"},
        NestedText{"OpenBrackets", "__global__ void k() { ", "(", "", "", "}"},
        NestedText{"ClosingBrackets", "", "", "__global__ void k() {}", ")", ""},
        NestedText{"Subscripts", "__global__ void k(int* a) { a", "[0", "", "]", "; }"},
        NestedText{"Casts", "__global__ void k() { int i = ", "(int)(", "threadIdx.x", ")", "; }"},
        NestedText{"StaticCasts", "__global__ void k() { int i = ", "static_cast<int>(", "threadIdx.x", ")",
                   "; }"},
        NestedText{"CastWords", "__global__ void k() { int i = ", "unsigned ", "(threadIdx.x)", "", "; }"},
        NestedText{"Namespaces", "", "namespace a {", "__global__ void k() {}", "}", ""},
        NestedText{"Classes", "", "struct A { int x = 1;", "", "};", "__global__ void k() {}"},
        NestedText{"ClassesInARow", "", "struct A { int x; }\n", "", "", "__global__ void k() {}"},
        NestedText{"Blocks", "__global__ void k() {", "{", ";", "}", "}"},
        NestedText{"BracedVariables", "int a", "{1}, b", ";", "", "__global__ void k() {}"},
        NestedText{"AssignedVariables", "int a = {0}", ", a = {1}", ";", "", "__global__ void k() { a; }"},
        NestedText{"Templates", "template <", "class = A<", "int", ">", " class T> __global__ void k() {}"},
        NestedText{"TemplateHeads", "", "template <class T> ", "__global__ void k() {}", "", ""},
        NestedText{"MacroCalls", "", "TEST(a) ", "__global__ void k() {}", "", ""},
        NestedText{"Statements", "__global__ void k() { int i = threadIdx.x;", " if (i < 3) return;", "", "",
                   " }"},
        NestedText{"OneLongLine", "__global__ void k(int* a) {", " a[0] = blockIdx.x * blockDim.x + 1;", "",
                   "", "}"},
        NestedText{"Directives", "", "#define M(x) ((x) + threadIdx.x)\n", "__global__ void k() {}", "", ""},
        NestedText{"RawStrings", "", "R\"", "", "", "\n__global__ void k() {}"},
        NestedText{"Comments", "", "/*", "", "", "*/ __global__ void k() {}"}),
    [](const auto& variant) { return std::string(variant.param.name); });

TEST(Outline, StillSeesWhatStandsBehindBraces) {
  const Outline outlined = outline(
      "__constant__ int a{1}, b{2};\nstruct P { int x; } p = {0};\n"
      "template <class T> requires requires { typename T::x; } __global__ void k(T t) { __syncthreads(); }\n"
      "struct C { int n; C() : n{1} { __syncwarp(); } };\nnamespace n { namespace m { __device__ int v; } "
      "}\n");
  const auto named = [&](std::string_view name) {
    return std::count_if(outlined.definitions.begin(), outlined.definitions.end(),
                         [&](const DefinitionOutline& definition) { return definition.name == name; });
  };
  EXPECT_EQ(named("k"), 1);
  EXPECT_GE(named("P"), 1);
  EXPECT_EQ(named("p"), 1);
  EXPECT_EQ(named("C"), 2);
  ASSERT_EQ(outlined.variables.size(), 3U);
  EXPECT_EQ(outlined.variables[0].qualified_name, "a");
  EXPECT_EQ(outlined.variables[1].qualified_name, "b");
  EXPECT_EQ(outlined.variables[2].qualified_name, "n::m::v");
}

}  // namespace
}  // namespace kiln
