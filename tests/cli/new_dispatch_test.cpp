#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "cli/draft_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

using NewDispatch = DraftTest;

struct Case {
  const char* what;
  const char* text;
  std::vector<const char*> lines;  ///< parts of the draft, each in a line of its own
};

/// Each draft is valid and compiles for the CPU.
class NewDispatchTable : public DraftTest {
 protected:
  void check(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
      SCOPED_TRACE(one.what);
      const std::string yaml = draft(one.text);
      for (const char* line : one.lines) EXPECT_THAT(yaml, HasSubstr(std::string(line) + "\n"));
      const CliResult compiled = kiln({"compile", path("program.yaml"), "--arch", "native"});
      EXPECT_EQ(compiled.code, kExitDone) << compiled.err << compiled.out;
    }
  }
};

TEST_F(NewDispatchTable, ArgumentsOfOneInstantiationBelongTogether) {
  check({
      {"types that only go together",
       "#include <cuda_fp16.h>\n"
       "template <class T, class P> struct Lanes;\n"
       "template <> struct Lanes<half, half2> { static constexpr int count = 2; };\n"
       "template <> struct Lanes<double, double2> { static constexpr int count = 4; };\n"
       "template <class T> __global__ void one(T* x) { x[0] = x[1]; }\n"
       "template <class T, class P> __global__ void packed(T* y) { y[Lanes<T, P>::count] = y[0]; }\n"
       "void first(float* f) { one<float><<<1, 1>>>(f); }\n"
       "template <class T, class P> void run(T* x) { one<T><<<1, 1>>>(x); packed<T, P><<<1, 1>>>(x); }\n"
       "int main() { half* h; double* d;\n"
       "  run<half, half2>(h); run<double, double2>(d); }\n",
       {"T: {type: type, default: float}  # the program also has half, double",
        "template_args: [half, half2]  # T also double; P also double2"}},
      {"numbers and types of switches",
       "template <int N, class T> __global__ void k(T* x) { static_assert(N * sizeof(T) == 64); x[N] = 0; }\n"
       "template <int N, class T> void launch(T* x) { k<N, T><<<1, N>>>(x); }\n"
       "void run(int n, void* x) {\n  switch (n) {\n    case 8: launch<8>((double*)x); break;\n"
       "    case 16: launch<16>((float*)x); break;\n  }\n}\n",
       {"T: {type: type, default: double}  # the program also has float",
        "template_args: [8, T]  # N also 16"}},
      {"constants of the block around a launch",
       "template <class T, int N> struct Wide { static constexpr int value = N * sizeof(T); };\n"
       "template <int N, bool Odd> __global__ void k(float* x) { x[N] = Odd; }\n"
       "template <class T> void run(T* x, bool odd) {\n  if (odd) {\n"
       "    constexpr int wide = Wide<T, 4>::value;\n    constexpr bool is_odd = true;\n"
       "    k<wide, is_odd><<<1, 1>>>((float*)x);\n  } else {\n    constexpr bool is_odd = false;\n"
       "    k<2, is_odd><<<1, 1>>>((float*)x);\n  }\n}\ntemplate void run(double* x, bool odd);\n",
       {"template_args: [\"(Wide<double,4>::value)\", true]  # N also 2; Odd also false"}},
  });
}

TEST_F(NewDispatch, TemplatesAsArgumentsOfTemplates) {
  const std::string text = R"cuda(
template <class T> struct Add { static __device__ T apply(T a, T b) { return a + b; } };
template <class T> struct Both { static __device__ T apply(T a, T b, T c) { return a * b + c; } };
template <class T, int N> struct Scale { static __device__ T apply(T a, T b) { return a * N; } };
template <class T, template <class> class Op> __global__ void shown(T* x) { x[threadIdx.x] = Op<T>::apply(1, 2, 3); }
template <class T, template <class> class Op> __global__ void guessed(T* x) { x[threadIdx.x] += Op<T>::apply(1, 2); }
template <class T, template <class> class Op> void launch(T* x) { shown<T, Op><<<1, 64>>>(x); }
int main() { double* x; cudaMalloc(&x, 512); launch<double, Both>(x); }
)cuda";
  const std::string yaml = draft(text);
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, Both]\n"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, Add]  # FILL IN"));
  const CliResult ran =
      run_with(yaml, {{"grid: [\"ceil_div(elements, 256)\"]", "grid: [1]"},
                      {"checks: []", "checks: [{buffer: x, region: [[0, 64]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
  draft(text +
        "template <template <class> class Op> __global__ void no(float* x) { *x = Op<float>::other(); }\n");
  EXPECT_THAT(said_, HasSubstr("'no' is left out: its template takes a template, 'Op'"));
}

TEST_F(NewDispatch, ClassesThatNameThemselves) {
  const std::string yaml = draft(R"cuda(
namespace app {
template <class Solver> __global__ void step(typename Solver::Number* x) { x[threadIdx.x] = Solver::kOrder; }
template <class Solver> __global__ void last(typename Solver::Number* x) { x[threadIdx.x] += Solver::kOrder; }
template <class T, int N> struct Solver {
  using Number = T;
  static constexpr int kOrder = N;
  T* x;
  Solver() {}
  void run() { step<Solver><<<1, 64>>>(x); }
  void end();
};
template <class Real, int Order> void Solver<Real, Order>::end() { last<Solver><<<1, 64>>>(x); }
}
int main() { app::Solver<double, 3> solver; solver.run(); solver.end(); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [\"app::Solver<double,3>\"]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: x, region: [[0, 64]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

/// A function that calls another one of its name is no recursion: the other one's calls are not its own.
TEST_F(NewDispatch, FunctionsOfOneNameCallEachOther) {
  const std::string yaml = draft(R"cuda(
template <class T> __global__ void set(float* x, T value) { x[threadIdx.x] = value; }
template <class T> void fill(cudaStream_t stream, T value, size_t n, float* x, float least = 1) {
  set<T><<<n / 64, 64, 0, stream>>>(x, value);
}
template <class T> void fill(T value, size_t n, float* x, float least = 1) { fill(nullptr, value, n, x, least); }
int main() { float* x; size_t n = 64; cudaMalloc(&x, 256); fill(value_of(x), n, x, 3.0f); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("T: {type: type, default: float}  # FILL IN the type"));
}

TEST_F(NewDispatchTable, GenericLambdasAreFollowed) {
  const std::string kernel =
      "#include <type_traits>\n#include <utility>\n"
      "template <int N, bool B> __global__ void k(float* x) { x[N] = B; }\n";
  const std::string choose =
      "template <class F> void choose(int n, F&& f) {\n"
      "  if (n > 8) f(std::integral_constant<int, 16>{}); else f(std::integral_constant<int, 8>());\n}\n"
      "template <class F> void choose_bool(bool b, F f) { if (b) f(std::true_type{}); else "
      "f(std::false_type{}); }\n";
  const std::string both =
      kernel + choose +
      "void run(int n, float* x) {\n  choose(n, [&](auto size) {\n    choose_bool(n > 3, [&](auto flag) {\n"
      "      constexpr int kSize = decltype(size)::value;\n"
      "      k<kSize, flag.value><<<1, 64>>>(x);\n    });\n  });\n}\n";
  const std::string named =
      kernel + choose +
      "template <class F> void pass_on(int n, F&& f) { choose(n, std::forward<F>(f)); }\n"
      "void run(int n, float* x) {\n  auto launch = [&](auto size) { k<size(), true><<<1, size>>>(x); };\n"
      "  pass_on(n, launch);\n}\n";
  const std::string templates =
      kernel +
      "template <class F> void choose(int n, F f) { if (n > 8) f.template operator()<32>(n); }\n"
      "void run(int n, float* x) { choose(n, [&]<int N>(int m) { k<N, false><<<1, m>>>(x); }); }\n";
  check({
      {"with objects of constants, one in the other",
       both.c_str(),
       {"template_args: [16, true]  # N also 8; B also false"}},
      {"by their names, through templates", named.c_str(), {"template_args: [16, true]  # N also 8"}},
      {"with templates of their own", templates.c_str(), {"template_args: [32, false]"}},
  });
}

TEST_F(NewDispatchTable, ClassesOfTheHostAreFollowed) {
  check({
      {"by an alias, with defaults",
       "template <class T, int N = 4> struct Launcher { static void run(T* x); };\n"
       "template <class T, int N, int M> __global__ void k(T* x) { x[N] = x[M]; }\n"
       "template <class T, int N> void Launcher<T, N>::run(T* x) { k<T, N, 2 * N><<<1, 1>>>(x); }\n"
       "using Doubles = Launcher<double>;\nvoid run(double* x) { Doubles::run(x); }\n",
       {"T: {type: type, default: double}", "template_args: [T, 4, 8]"}},
      {"constants of theirs",
       "template <int N> struct Basis { static constexpr int count = N + 1; };\n"
       "template <int N> struct Solver {\n  using B = Basis<N>;\n  static constexpr int rows = B::count;\n"
       "  void step(float* x);\n};\n"
       "template <int N, int Rows> __global__ void k(float* x) { static_assert(Rows == N + 1); x[Rows] = 0; "
       "}\n"
       "template <int N> void Solver<N>::step(float* x) { k<N, rows><<<1, 1>>>(x); }\n"
       "template class Solver<3>;\n",
       {"template_args: [3, \"(Basis<3>::count)\"]"}},
      {"a class's operator, whose types traits choose",
       "template <class A, class B> struct Same { enum { yes = 0 }; };\n"
       "template <class A> struct Same<A, A> { enum { yes = 1 }; };\n"
       "template <int, class A, class B> struct If { typedef B type; };\n"
       "template <class A, class B> struct If<1, A, B> { typedef A type; };\n"
       "template <class S, class T> __global__ void k(S* s, T* x) { x[0] = s[0].w; }\n"
       "template <class T> struct Run { void operator()(T* x); };\n"
       "template <class T> void Run<T>::operator()(T* x) {\n"
       "  typedef typename If<Same<T, double>::yes, double4, float4>::type Four;\n  Four* s = 0;\n"
       "  k<<<1, 1>>>(s, x);\n}\ntemplate struct Run<float>;\n",
       {"template_args: [float4, T]"}},
      {"what std::conditional chooses",
       "#include <type_traits>\nstruct Any {};\nstruct Three { static constexpr int points = 3; };\n"
       "struct Four { static constexpr int points = 4; };\n"
       "template <class Rule> __global__ void k(float* x) { x[Rule::points] = 0; }\n"
       "template <class Given, bool Fine> struct Scheme {\n"
       "  using Rule = std::conditional_t<std::is_same_v<Given, Any>,\n"
       "      typename std::conditional<Fine, Four, Three>::type, Given>;\n"
       "  void run(float* x) { k<Rule><<<1, 1>>>(x); }\n};\n"
       "template struct Scheme<Any, true>;\ntemplate struct Scheme<Three, true>;\n",
       {"template_args: [Four]  # Rule also Three"}},
      {"types that member functions return",
       "template <class T> struct Base { T* p; T* get() const { return p; } };\n"
       "template <class T> struct Buffer : Base<T> {};\n"
       "struct State { Buffer<double>* all; Buffer<double>* first() { return all; } void run(); };\n"
       "template <class T> __global__ void k(T* x) { x[0] = 1; }\n"
       "template <class T> void launch(T* x) { k<<<1, 1>>>(x); }\n"
       "void State::run() { launch(first()->get()); auto* own = all->get(); k<<<1, 1>>>(own); }\n",
       {"T: {type: type, default: double}"}},
  });
}

TEST_F(NewDispatchTable, MacrosOfTheHostAreFollowed) {
  check({
      {"cases of a switch, in a macro",
       "template <int N> __global__ void k(float* x) { x[N] = N; }\n"
       "#define LAUNCH(N) case N: k<N><<<1, N>>>(x); break;\n"
       "void run(int n, float* x) { switch (n) { LAUNCH(8) LAUNCH(16) } }\n",
       {"template_args: [8]  # N also 16"}},
      {"a macro that gets the name of another",
       "struct Roe3 { static constexpr int n = 3; };\nstruct Hll3 { static constexpr int n = 4; };\n"
       "template <class Flux, int N> __global__ void k(float* x) { x[Flux::n] = N; }\n"
       "template <class Flux, int N> struct Scheme { void run(float* x) { k<Flux, N><<<1, 1>>>(x); } };\n"
       "#define FOR_FLUXES(DO, N) DO(Roe, N) DO(Hll, N)\n"
       "#define INSTANTIATE(NAME, N) template struct Scheme<NAME##3, N>;\n"
       "FOR_FLUXES(INSTANTIATE, 2)\n",
       {"template_args: [Roe3, 2]  # Flux also Hll3"}},
  });
}

TEST_F(NewDispatchTable, AliasesOfNamespacesKeepThem) {
  check({{"a type of 64 bits",
          "namespace lib {\nusing idx_t = long;\n"
          "template <class I, int N> __global__ void k(I* x) { x[N] = idx_t(blockIdx.x) * blockDim.x + "
          "threadIdx.x; }\n"
          "void run(idx_t* x) { k<idx_t, 4><<<1, 1>>>(x); }\n}\n",
          {"template_args: [\"lib::idx_t\", 4]"}}});
}

TEST_F(NewDispatchTable, NumbersAreThoseOfTheirExpressions) {
  check({
      {"sizes, greatest numbers and functions",
       "#include <algorithm>\nconstexpr int half_of(int n) { return n / 2; }\n"
       "template <int V, int X> __global__ void k(float* x) { x[V] = X; }\n"
       "template <class T> void run(T* x) {\n  constexpr int vec = std::max(16U / sizeof(T), 64 / 32U);\n"
       "  k<vec, half_of(64) / vec><<<1, 1>>>((float*)x);\n}\ntemplate void run(double*);\n",
       {"template_args: [2, 16]"}},
      {"a parameter without a name keeps its default",
       "#include <type_traits>\n"
       "template <class T, typename = std::enable_if_t<std::is_floating_point<T>::value>>\n"
       "__global__ void k(T* x) { x[0] *= 2; }\nvoid run(double* x) { k<<<1, 1>>>(x); }\n",
       {"template_args: [T]"}},
  });
}

/// What the program does not show is a guess, and marked.
TEST_F(NewDispatchTable, WhatIsNotShownIsGuessed) {
  check({
      {"a class that has the members",
       "struct Wrong { static constexpr int threads = 32; };\n"
       "template <int N> struct Traits { static constexpr int threads = N; using Value = float; };\n"
       "Traits<64> used;\n"
       "template <class P> __global__ void k(float* x) { typename P::Value v = 1; x[P::threads] = v; }\n",
       {"template_args: [\"Traits<64>\"]  # FILL IN the value of P"}},
      {"a function object",
       "struct Twice { __device__ float operator()(float x) const { return 2 * x; } };\n"
       "struct Sum { __device__ float operator()(float x, float y) const { return x + y; } };\n"
       "template <class F> __global__ void k(float* x, F f) { x[0] = f(x[0], x[1]); }\n"
       "template <class F> __global__ void one(float* x, F f) { x[0] = f(x[0]); }\n",
       {"template_args: [Sum]  # FILL IN the value of F",
        "template_args: [Twice]  # FILL IN the value of F"}},
      {"a function object of libcu++",
       "#include <thrust/functional.h>\n"
       "__global__ void other(float* x) { x[0] = thrust::minus<float>()(x[0], x[1]); }\n"
       "template <class F> __global__ void k(float* x, F f) { x[0] = f(x[0], x[1]); }\n",
       {"template_args: [\"cuda::std::plus<>\"]  # FILL IN the value of F"}},
      {"a constant of a class that is named outside of it",
       "#include \"sizes.h\"\n"
       "struct Fixture { static constexpr int ROWS = Sizes::rows; };\n"
       "template <int Rows> __global__ void k(float* x) { x[Rows] = 1; }\n"
       "template <int Rows> void launch(float* x) { k<Rows><<<1, 1>>>(x); }\n"
       "CASE(Fixture, Adds) { float* x; launch<ROWS>(x); }\n",
       {"  # FILL IN the value of Rows"}},
      {"numbers by what the kernel does with them, and by their names",
       "template <int D, int Mode, int blockSize, int VEC> __global__ void k(float* x) {\n"
       "  float part[D / 32];\n  part[0] = x[0];\n  if (Mode == 3) x[VEC] = part[0] + blockSize;\n}\n",
       {"template_args: [64, 3, 256, 4]  # FILL IN the value of D, Mode, blockSize, VEC"}},
  });
}

/// One of two overloads passes a function object, the other an extent.
TEST_F(NewDispatch, ObjectsThatCannotBeCalledAreNoFunctionObjects) {
  const std::string yaml = draft(R"cuda(
struct Extent { int w, h; };
struct Scale { float by; __device__ float operator()(float x) const { return by * x; } };
template <class T, class F> __global__ void map(T* x, Extent e, const F f) { x[e.w] = f(x[0]); }
template <class T, class F> void apply(int s, T* x, Extent& e, const F& f) { map<<<1, 1>>>(x, e, f); }
template <class T, class F> void apply(int s, T* x, T* y, const F& f) { map<<<1, 1>>>(x, Extent(), f); }
struct Demo { Scale scale; Extent e; float *x, *y; void run(); void again(); };
void Demo::run() { apply(0, x, e, e); }
void Demo::again() { apply(0, x, y, scale); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, Scale]"));
  EXPECT_EQ(kiln({"compile", path("program.yaml"), "--arch", "native"}).code, kExitDone);
}

/// Variables of the type `auto` that a function template makes.
TEST_F(NewDispatch, TemplatesThatMakeBuffersAreFollowed) {
  const std::string yaml = draft(R"cuda(
#include <memory>
struct Free { void operator()(void* p) { cudaFree(p); } };
template <class T> static std::unique_ptr<T, Free> make(size_t n) { return std::unique_ptr<T, Free>(nullptr); }
template <class T> struct Stack { T* top(int level); };
template <class T> T* Stack<T>::top(int level) { return nullptr; }
template <class T> __global__ void copy(T* out, const T* in) { out[threadIdx.x] = in[threadIdx.x]; }
template <class T> __global__ void pop(T* top) { top[threadIdx.x] = T(); }
template <class T> void blur(T* out, const T* in) { copy<<<1, 32>>>(out, in); }
template <class T> void bench(Stack<T> stack) {
  auto out = make<T>(32);
  auto in = make<T>(32);
  blur(out.get(), in.get());
  pop<<<1, 32>>>(stack.top(2));
}
int main() { bench<float4>(Stack<float4>()); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("out: {type: float4,")) << yaml;
  EXPECT_THAT(yaml, HasSubstr("top: {type: float4,"));
}

/// The search for a member goes up through the bases.
TEST_F(NewDispatch, ClassesMayHaveThemselvesAsBases) {
  const std::string yaml = draft(R"cuda(
template <int N> struct Steps : Steps<N - 1> {};
template <> struct Steps<0> {};
Steps<4> used;
template <class P> __global__ void fill(float* x) { x[0] = P::scale; }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("P: {type: type, default: float}  # FILL IN the type"));
}

/// Each template calls the next in two ways. What is further away than the levels that are followed is a
/// guess.
TEST_F(NewDispatch, LevelsBetweenAProgramAndAKernelMayBeTooMany) {
  std::string text =
      "template <int A, int B> __global__ void k(float* x) { x[A] = B; }\n"
      "template <int A, int B> void f0(float* x) { k<A, B><<<1, 1>>>(x); }\n";
  for (int i = 1; i < 5000; ++i) {
    const std::string next = "f" + std::to_string(i - 1);
    text += "template <int A, int B> void f" + std::to_string(i) + "(float* x) { " + next +
            "<A + 1, B>(x); " + next + "<A, B + 1>(x); }\n";
  }
  text += "int main() { float* x = nullptr; f4999<0, 0>(x); }\n";
  EXPECT_THAT(draft(text), HasSubstr("# FILL IN the value of A, B"));
}

}  // namespace
}  // namespace kiln::test
