// Typed functions of source strings, on the cpu with a real compiler.
#include "kiln/function.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>
#include <span>

#include "embed/program_text.h"
#include "kiln/async.h"
#include "kiln/kiln.h"
#include "support/error_matchers.h"

struct Weights {
  float near, far;
};

namespace kiln {
namespace {

using test::bad_input_of;
using test::error_of;
using test::message_of;
using testing::HasSubstr;

constexpr const char* kText = R"cuda(
struct Weights { float near, far; };
namespace linear {
template <class T>
__global__ void axpy(int n, T alpha, const T* __restrict__ x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += alpha * x[i];
}
}
extern "C" __global__ void smooth(Weights w, long n, const float* x, float* y) {
  const long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) y[i] = w.near * x[i] + w.far * (x[i - 1] + x[i + 1]);
}
__global__ void rows(unsigned nx, unsigned ny, int* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < nx && y < ny) out[y * nx + x] += static_cast<int>(x + 100 * y);
}
)cuda";

class Functions : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_function.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    settings_.cache_dir = (folder_ / "cache").string();
    settings_.log_level = "off";
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    service_.emplace(settings_);
    device_.emplace(service_->device("cpu"));
  }
  void TearDown() override {
    device_.reset();
    service_.reset();  // which writes to the cache until then
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] Program program(const std::string& text = kText) const {
    return service_->program("lines.cu", text);
  }
  [[nodiscard]] FunctionRequest function(const std::string& kernel) const {
    return program().function(kernel, *device_);
  }
  [[nodiscard]] FunctionRequest axpy() const {
    return function("linear::axpy").template_args({"double"}).block(64);
  }

  std::filesystem::path folder_;
  Settings settings_;
  std::optional<Service> service_;
  std::optional<DeviceHandle> device_;
};

using Axpy = void(int, double, const double*, double*);

TEST_F(Functions, AStringBecomesAFunctionWhoseScalarsAreThoseOfTheLaunch) {
  const Function<Axpy> axpy = this->axpy().cover(0).get<Axpy>();
  EXPECT_EQ(axpy.info().name, "linear::axpy<double>");
  EXPECT_EQ(axpy.info().origin, "compiled");
  EXPECT_GT(axpy.info().compile_seconds, 0);
  EXPECT_EQ(axpy.info().key.size(), 64U);
  std::vector<double> x(1000), y(1000, 1.0);
  std::iota(x.begin(), x.end(), 0.0);
  axpy(nullptr, 1000, 2.0, x.data(), y.data());
  axpy(nullptr, 10, 100.0, x.data(), y.data());  // a size that no code is made for
  axpy.run(0, 1e9, x.data(), y.data());          // nothing to do
  EXPECT_EQ(y[9], 1 + 18 + 900);
  EXPECT_EQ(y[10], 1 + 20);
  EXPECT_EQ(y[999], 1 + 1998);
  static_cast<void>(service_->statistics());  // waits until the code is on the disk
  const Service another(settings_);
  const auto again = another.program("lines.cu", kText).function("linear::axpy", another.device("cpu"));
  EXPECT_EQ(FunctionRequest(again).template_args({"double"}).block(64).cover(0).get<Axpy>().info().origin,
            "disk");
  EXPECT_EQ(program().kernels(), (std::vector<std::string>{"axpy", "smooth", "rows"}));
}

TEST_F(Functions, WhatIsAskedForTwiceIsTheSameFunction) {
  const Program lines = program();
  const auto get = [&](std::uint32_t block) {
    return lines.function("rows", *device_).block(block).cover(0, 1).get<void(unsigned, unsigned, int*)>();
  };
  const auto one = get(16);
  EXPECT_EQ(&get(16).info(), &one.info());
  EXPECT_NE(&get(32).info(), &one.info());
  EXPECT_EQ(service_->statistics().memory_hits, 1U);
}

TEST_F(Functions, AGridCoversTwoSizes) {
  const auto rows = function("rows").block(8, 4).cover(0, 1).get<void(unsigned, unsigned, int*)>();
  std::vector<int> out(11 * 7, 0);
  rows.run(11, 7, out.data());
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[6 * 11 + 10], 610);
  EXPECT_GT(rows.time(5, 11, 7, out.data()), 0);
  EXPECT_EQ(out[6 * 11 + 10], 7 * 610) << "one launch to warm up, five that are timed";
}

TEST_F(Functions, StructuresAreArgumentsToo) {
  const auto smooth =
      function("smooth").block(32).cover(1).get<void(Weights, std::int64_t, const float*, float*)>();
  std::vector<float> x{1, 2, 4, 8}, y(4, 0);
  smooth.run({0.5F, 0.25F}, 4, x.data(), y.data());
  EXPECT_EQ(y, (std::vector<float>{0, 2.25F, 4.5F, 0}));
}

TEST_F(Functions, TheKernelsOwnCompilerComparesTheArguments) {
  const auto request = axpy().cover(0);
  const auto mismatch = [&](const auto& get) { return message_of(ErrorKind::kCompile, get); };
  EXPECT_THAT(
      mismatch([&] { static_cast<void>(request.get<void(int, double, const float*, double*)>()); }),
      HasSubstr(
          "does not take what the program passes, (int, double, const float*, double*): argument 2 is const "
          "double*, the program passes const float*\n"));
  EXPECT_THAT(mismatch([&] { static_cast<void>(request.get<void(int, float, const double*, double*)>()); }),
              HasSubstr("argument 1 is double, the program passes float"));
  EXPECT_THAT(
      mismatch([&] { static_cast<void>(request.get<void(unsigned, double, const double*, double*)>()); }),
      HasSubstr("argument 0 is int, the program passes unsigned int"));
  EXPECT_THAT(
      mismatch([&] { static_cast<void>(request.get<void(int, double, const double*, const double*)>()); }),
      HasSubstr("argument 3 is double*, the program passes const double*"));
  EXPECT_THAT(mismatch([&] { static_cast<void>(request.get<void(int, double, const double*)>()); }),
              HasSubstr("the program passes 3 arguments, the kernel takes another number"));
  // A pointer may gain const; whole numbers of one size and sign are one type.
  EXPECT_TRUE(request.get<void(int, double, double*, double*)>());
  const auto smooth = function("smooth").block(32).cover(1);
  EXPECT_TRUE((smooth.get<void(Weights, long long, float*, float*)>()));
  EXPECT_THAT(mismatch([&] { static_cast<void>(smooth.get<void(Weights, int, float*, float*)>()); }),
              HasSubstr("argument 1 is long int, the program passes int"));
  const Error error = error_of([&] { static_cast<void>(request.get<void(int, double, const double*)>()); });
  EXPECT_THAT(error.log(), HasSubstr("the kernel takes another number"));
}

TEST_F(Functions, AConstantIsInTheCodeAndLaunchesPassItAllTheSame) {
  const char* text = R"cuda(
template <class T, int kBytes>
__global__ void sum(const int n, const T* x, T* y, const float scale = 1.0F) {
  static_assert(n == 5 && sizeof(T) == kBytes, "the value is known");
  T part[n];
  for (int i = 0; i < n; ++i) part[i] = x[i];
  T all = 0;
  for (const T value : part) all += value;
  *y = all * scale;
}
)cuda";
  using Sum = void(int, const double*, double*, float);
  auto request =
      program(text).function("sum", *device_).template_args({type_name<double>(), "8"}).block(1).grid(1);
  EXPECT_EQ(error_of([&] { static_cast<void>(request.get<Sum>()); }).kind(), ErrorKind::kCompile);
  const auto sum = request.constant(0, 4).constant(0, 5).constant(3, 0.5).get<Sum>();
  const std::vector<double> x{1, 2, 3, 4, 5};
  double y = 0;
  sum.run(5, x.data(), &y, 0.5F);
  EXPECT_EQ(y, 7.5);
  EXPECT_EQ(bad_input_of([&] { sum(nullptr, 4, x.data(), &y, 0.5F); }),
            "kernel 'sum<double, 8>': argument 0 (int) is 5 in this function; the launch passes 4");
  EXPECT_EQ(bad_input_of([&] { sum.launch(nullptr, {{1}}, 5, x.data(), &y, 0.25F); }),
            "kernel 'sum<double, 8>': argument 3 (float) is 0.5 in this function; the launch passes 0.25");
  EXPECT_EQ(bad_input_of([&] { static_cast<void>(FunctionRequest(request).constant(0, 5.5).get<Sum>()); }),
            "kernel 'sum<double, 8>': the constant of argument 0 (int): expected a whole number that the "
            "type holds; found 5.5");
  EXPECT_THAT(
      bad_input_of([&] { static_cast<void>(FunctionRequest(request).constant(0, 1LL << 40).get<Sum>()); }),
      HasSubstr("expected a whole number that the type holds; found 1099511627776"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(FunctionRequest(request).constant(1, 0).get<Sum>()); }),
              HasSubstr("argument 1 (const double*): expected nothing"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(FunctionRequest(request).constant(4, 0).get<Sum>()); }),
              HasSubstr("a constant of argument 4; it has 4, counted from 0"));
}

TEST_F(Functions, EveryIntegerAndEveryNumberCanBeAConstant) {
  const auto kept = [&]<class T>(T value, const std::string& type) {
    const std::string text =
        "__global__ void keep(const " + type + " value, " + type + "* out) { *out = value; }\n";
    const auto keep = program(text)
                          .function("keep", *device_)
                          .constant(0, value)
                          .block(1)
                          .grid(1)
                          .template get<void(T, T*)>();
    T out{};
    keep.run(value, &out);
    return out == value;
  };
  EXPECT_TRUE(kept(std::numeric_limits<std::int64_t>::min(), "long"));
  EXPECT_TRUE(kept(std::numeric_limits<std::uint64_t>::max(), "unsigned long"));
  EXPECT_TRUE(kept(std::int8_t{-128}, "signed char"));
  EXPECT_TRUE(kept(true, "bool"));
  EXPECT_TRUE(kept(0.1, "double"));
  EXPECT_TRUE(kept(1e-300, "double"));
  EXPECT_TRUE(kept(-0.1F, "float"));
}

TEST_F(Functions, AFamilyHasAFunctionForEachValue) {
  const auto family = axpy().cover(0).family<Axpy>({0});
  std::vector<double> x(200, 1.0), y(200, 0.0);
  for (int n = 1; n <= 3; ++n) family(nullptr, n, 1.0, x.data(), y.data());
  for (int round = 0; round < 100; ++round) family(nullptr, 2, 1.0, x.data(), y.data());
  EXPECT_EQ(y[0], 103);
  EXPECT_EQ(y[1], 102);
  EXPECT_EQ(y[2], 1);
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(service_->statistics().compiled, 3U);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(axpy().family<Axpy>({1})); }),
              HasSubstr("argument 1 is double; expected a whole number or bool"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(axpy().family<Axpy>({4})); }), HasSubstr("argument 4"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(axpy().family<Axpy>({})); }),
              HasSubstr("1 to 8 arguments, not 0"));
}

TEST_F(Functions, ALaunchMayGiveItsOwnShape) {
  using Rows = void(unsigned, unsigned, int*);
  const auto rows = function("rows").get<Rows>();
  std::vector<int> out(64, 0);
  rows.launch(nullptr, {{1}, Extent{8}}, 8, 8, out.data());
  device_->synchronize();
  EXPECT_EQ(out[7], 7);
  EXPECT_EQ(out[8], 0) << "a part of the data";
  EXPECT_THAT(bad_input_of([&] { rows(nullptr, 8, 8, out.data()); }), HasSubstr("says the block"));
  EXPECT_THAT(bad_input_of([&] { rows.launch(nullptr, {{1}}, 8, 8, out.data()); }),
              HasSubstr("says the block"));
  const auto fixed = function("rows").block(8, 8).get<Rows>();
  EXPECT_THAT(bad_input_of([&] { fixed(nullptr, 8, 8, out.data()); }), HasSubstr("says the grid"));
  EXPECT_THAT(bad_input_of([&] {
                fixed.launch(nullptr, {{1}, Extent{4}}, 8, 8, out.data());
              }),
              HasSubstr("gives blocks of 4 x 1 x 1; the request's block() of 8 x 8 x 1 is compiled in"));
  EXPECT_THAT(
      message_of(ErrorKind::kUnfit, [&] { static_cast<void>(function("rows").block(2048).get<Rows>()); }),
      HasSubstr("2048"));
  EXPECT_THAT(message_of(ErrorKind::kUnfit,
                         [&] {
                           fixed.launch(nullptr, {{1, 70000}}, 8, 8, out.data());
                         }),
              HasSubstr("70000"));
  const auto negative = function("rows").block(8, 8).cover(0, 1).get<Rows>();
  const auto axpy = this->axpy().cover(0).get<Axpy>();
  EXPECT_EQ(bad_input_of([&] { axpy(nullptr, -1, 1.0, nullptr, nullptr); }),
            "kernel 'linear::axpy<double>': the grid cannot cover argument 0 (int) of -1");
}

TEST_F(Functions, WhatCannotBeMeantIsRefused) {
  using Rows = void(unsigned, unsigned, int*);
  EXPECT_EQ(bad_input_of([&] {
              static_cast<void>(program("__global__ void rows(int* x) {}").function("rovs", *device_));
            }),
            "program 'lines.cu' has no kernel 'rovs'; did you mean 'rows'?");
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(function("rows").block(8).cover(2).get<Rows>()); }),
              HasSubstr("a grid covers argument 2, which is no whole number but int*"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(function("rows").cover(0).get<Rows>()); }),
              HasSubstr("cover() without block()"));
  EXPECT_THAT(
      bad_input_of([&] { static_cast<void>(function("rows").block(8).grid(1).cover(0).get<Rows>()); }),
      HasSubstr("both grid() and cover()"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(function("rows").block(0)); }), HasSubstr("at least 1"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(function("rows").define("2N", "1")); }), HasSubstr("2N"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(function("rows").options("cuba", {})); }),
              HasSubstr("did you mean 'cuda'"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(service_->program("a\nb", "")); }),
              HasSubstr("expected a name"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(program().function("rows", DeviceHandle())); }),
              HasSubstr("no device"));
  EXPECT_THAT(
      error_of([&] {
        static_cast<void>(
            program("\n__global__ void f(int* x) { *x = oops; }").function("f", *device_).get<void(int*)>());
      }).what(),
      HasSubstr("lines.cu:2:"));
}

TEST_F(Functions, HeadersMacrosVariablesAndBounds) {
  const char* text = R"cuda(
#include "scale.h"
__constant__ float table[2];
__global__ void scale(float* x) { x[threadIdx.x] = SCALE * table[threadIdx.x] + kOffset; }
)cuda";
  const std::vector<float> table{2, 3};
  Program scales = program(text).header("scale.h", "constexpr float kOffset = 0.5F;\n");
  scales.symbol("table", std::as_bytes(std::span(table)));
  auto request = scales.function("scale", *device_).block(2).grid(1).launch_bounds(2);
  const auto by_ten = request.define("SCALE", 10).get<void(float*)>();
  const auto by_two = request.define("SCALE", "2.0F").get<void(float*)>();
  std::vector<float> x(2);
  by_ten.run(x.data());
  EXPECT_EQ(x, (std::vector<float>{20.5F, 30.5F}));
  by_two.run(x.data());
  EXPECT_EQ(x, (std::vector<float>{4.5F, 6.5F}));
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(Program(scales)
                                      .symbol("tabel", {})
                                      .function("scale", *device_)
                                      .define("SCALE", 1)
                                      .get<void(float*)>());
              }),
              HasSubstr("no variable 'tabel'"));
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(Program(scales)
                                      .symbol("table", {})
                                      .function("scale", *device_)
                                      .define("SCALE", 1)
                                      .get<void(float*)>());
              }),
              HasSubstr("variable 'table' has 8 bytes, 0 are given"));
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(program("__global__ void __launch_bounds__(64) f() {}")
                                      .function("f", *device_)
                                      .launch_bounds(32)
                                      .get<void()>());
              }),
              HasSubstr("gives it some already, in line 1"));
}

TEST_F(Functions, AWholeProgramIsTakenWithItsHostCode) {
  const char* text = R"cuda(
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__constant__ int shift[1];
__constant__ int unused[1];
static void check(cudaError_t status) { if (status != cudaSuccess) std::printf("failed\n"); }
__global__ void move(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x] + shift[0]; }
__global__ void copy(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }
int main() {
  std::vector<int> x(4), y(4);
  int *in, *out;
  check(cudaMalloc(&in, 16));
  check(cudaMalloc(&out, 16));
  move<<<1, 4>>>(in, out);
  copy<<<1, 4>>>(in, out);
  check(cudaFree(in));
}
)cuda";
  const std::vector<int> shift{7}, x{1, 2, 3, 4};
  Program whole = program(text);
  whole.symbol("shift", std::as_bytes(std::span(shift))).symbol("unused", std::as_bytes(std::span(shift)));
  std::vector<int> y(4);
  for (const auto& [kernel, first] : {std::pair("move", 8), std::pair("copy", 1)}) {
    whole.function(kernel, *device_).block(4).grid(1).get<void(const int*, int*)>().run(x.data(), y.data());
    EXPECT_EQ(y[0], first) << kernel;
  }
}

TEST_F(Functions, VariablesOfNamespacesGetWhatTheProgramGives) {
  const char* text = R"cuda(
namespace outer { namespace inner { __constant__ int table[2]; } static __constant__ int own; }
namespace { __constant__ int hidden; }
__global__ void f(int* x) { x[threadIdx.x] = outer::inner::table[threadIdx.x] + 10 * outer::own + 100 * hidden; }
)cuda";
  const std::vector<int> table{1, 2}, own{3}, hidden{4};
  Program spaces = program(text);
  spaces.symbol("outer::inner::table", std::as_bytes(std::span(table)))
      .symbol("outer::own", std::as_bytes(std::span(own)))
      .symbol("hidden", std::as_bytes(std::span(hidden)));
  std::vector<int> x(2);
  spaces.function("f", *device_).block(2).grid(1).get<void(int*)>().run(x.data());
  EXPECT_EQ(x, (std::vector<int>{431, 432}));
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(
                    Program(spaces).symbol("outer::tabel", {}).function("f", *device_).get<void(int*)>());
              }),
              HasSubstr("no variable 'outer::tabel'"));
}

TEST_F(Functions, FuturesCarryTheFunctionOrTheError) {
  auto good = axpy().cover(0).get_async<Axpy>();
  auto bad = axpy().cover(0).get_async<void(int)>();
  double x = 1, y = 0;
  good.get().run(1, 3.0, &x, &y);
  EXPECT_EQ(y, 3);
  EXPECT_EQ(error_of([&] { static_cast<void>(bad.get()); }).kind(), ErrorKind::kCompile);
}

TEST(SignatureCheck, FindsTheArgumentInTheLogsOfAllCompilers) {
  const std::string says = "Kiln: the program passes another type than the kernel takes\n";
  for (const char* log :
       {"In instantiation of 'struct kiln_signature::Check<1, std::pair<int, int>*, float*>':\n",
        "instantiation of class \"kiln_signature::Check<Argument, Kernel, Program> [with Argument=1, "
        "Kernel=std::pair<int, int>*, Program=float*]\" at line 35\n",
        "note: in instantiation of template class 'kiln_signature::Check<1, std::pair<int, int>*, float*>' "
        "requested\n"})
    EXPECT_EQ(find_mismatch_in(says + log), "argument 1 is std::pair<int, int>*, the program passes float*")
        << log;
  EXPECT_EQ(find_mismatch_in("Kiln: the program passes 3 arguments, the kernel takes another number"), "");
  EXPECT_EQ(find_mismatch_in("error: 'oops' was not declared"), std::nullopt);
}

TEST(TypeName, IsWhatTheKernelsTextCallsIt) {
  EXPECT_EQ(type_name<double>(), "double");
  EXPECT_EQ(type_name<const double*>(), "const double*");
  EXPECT_EQ(type_name<const float* const*>(), "const float* const*");
  EXPECT_EQ(type_name<Weights>(), "Weights");
  EXPECT_EQ(type_name<unsigned char*>(), "unsigned char*");
}

}  // namespace
}  // namespace kiln
