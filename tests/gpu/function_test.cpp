// Functions of a source string, streams, graphs and buffers of the public interface, on a GPU.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "gpu/gpu_fixture.h"
#include "kiln/kiln.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText = R"cuda(
template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void sum(int n, const double* x, double* total) {
  extern __shared__ double part[];
  double own = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) own += x[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = part[0];
}
)cuda";
// Compiles only where `degree` is a constant.
constexpr const char* kPowersText = R"cuda(
__global__ void powers(const int degree, double x, double* y) {
  double power[degree + 1];
  power[0] = 1;
  for (int i = 1; i <= degree; ++i) power[i] = power[i - 1] * x;
  y[threadIdx.x] = power[degree];
}
)cuda";
constexpr std::size_t kCount = 100'000;
using Axpy = void(int, double, const double*, double*);

class GpuFunction : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    Settings settings;
    settings.cache = false;
    settings.log_level = "off";
    service_.emplace(settings);
    handle_.emplace(service_->device("cuda:0"));
    program_.emplace(service_->program("function_test.cu", kText));
  }
  [[nodiscard]] Function<Axpy> axpy() const {
    return program_->function("axpy", *handle_).template_args({"double"}).block(256).cover(0).get<Axpy>();
  }
  [[nodiscard]] Buffer<double> filled(double value) const {
    Buffer<double> buffer(*handle_, kCount);
    std::ranges::fill(buffer.host_write(), value);
    return buffer;
  }

  std::optional<Service> service_;
  std::optional<DeviceHandle> handle_;
  std::optional<Program> program_;
};

TEST_F(GpuFunction, VariablesOfNamespacesGetWhatTheProgramGives) {
  Program spaces = service_->program("spaces.cu", R"cuda(
namespace outer { namespace inner { __constant__ int table[2]; } static __constant__ int own; }
namespace { __constant__ int hidden; }
__global__ void f(int* x) { x[threadIdx.x] = outer::inner::table[threadIdx.x] + 10 * outer::own + 100 * hidden; }
)cuda");
  const std::vector<int> table{1, 2}, own{3}, hidden{4};
  spaces.symbol("outer::inner::table", std::as_bytes(std::span(table)))
      .symbol("outer::own", std::as_bytes(std::span(own)))
      .symbol("hidden", std::as_bytes(std::span(hidden)));
  Buffer<int> x(*handle_, 2);
  std::ranges::fill(x.host_write(), 0);
  const StreamHandle stream = handle_->create_stream();
  spaces.function("f", *handle_).block(2).grid(1).get<void(int*)>()(stream.native(), x.update(stream));
  EXPECT_THAT(x.host_read(), ::testing::ElementsAre(431, 432));
}

TEST_F(GpuFunction, ScalarsAndGridAreThoseOfEachLaunch) {
  const Function<Axpy> function = axpy();
  Buffer<double> x = filled(0), y = filled(1);
  std::iota(x.host_write().begin(), x.host_write().end(), 0.0);
  const StreamHandle stream = handle_->create_stream();
  function(stream.native(), static_cast<int>(kCount), 2.0, x.read(stream), y.update(stream));
  function(stream.native(), 1000, 0.5, x.read(stream), y.update(stream));
  function(stream.native(), 0, 1e9, x.read(stream), y.update(stream));
  const auto result = y.host_read();
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(result[i], 1 + (i < 1000 ? 2.5 : 2.0) * static_cast<double>(i)) << i;
  function.launch(stream.native(), {.grid = {2}}, static_cast<int>(kCount), -2.0, x.read(stream),
                  y.update(stream));
  EXPECT_EQ(y.host_read()[511], 1 + 0.5 * 511);
  EXPECT_EQ(y.host_read()[512], 1 + 2.5 * 512) << "two blocks of 256";
  EXPECT_GT(function.info().registers.value_or(0), 0);
  EXPECT_GT(function.info().resident_blocks.value_or(0), 0U);
  EXPECT_GT(function.time(5, static_cast<int>(kCount), 0.0, x.read(stream), y.update(stream)), 0);
}

TEST_F(GpuFunction, AThreadWithoutAContextLaunchesToo) {
  const Function<Axpy> function = axpy();
  Buffer<double> x = filled(1), y = filled(0);
  const StreamHandle stream = handle_->create_stream();
  const double* from = x.read(stream);
  double* to = y.update(stream);
  for (void* native : {stream.native(), static_cast<void*>(nullptr)}) {
    std::thread([&] {
      function(native, static_cast<int>(kCount), 1.0, from, to);
      function(native, static_cast<int>(kCount), 1.0, from, to);
    }).join();
    stream.synchronize();
    handle_->synchronize();
  }
  EXPECT_EQ(y.host_read().back(), 4);
}

TEST_F(GpuFunction, DynamicSharedMemoryAboveTheUsualLimit) {
  const auto sum = program_->function("sum", *handle_)
                       .block(1024)
                       .grid(1)
                       .shared_bytes(64 * 1024)
                       .get<void(int, const double*, double*)>();
  Buffer<double> x = filled(1), total(*handle_, 1);
  const StreamHandle stream = handle_->stream();
  sum(stream.native(), static_cast<int>(kCount), x.read(stream), total.write(stream));
  EXPECT_EQ(total.host_read()[0], static_cast<double>(kCount));
  const auto refused = [&] {
    static_cast<void>(program_->function("sum", *handle_)
                          .block(1024)
                          .grid(1)
                          .shared_bytes(1 << 30)
                          .get<void(int, const double*, double*)>());
  };
  try {
    refused();
    FAIL() << "no device has 1 GiB of shared memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnfit) << error.what();
  }
}

TEST_F(GpuFunction, ConstantsAreExtentsAndAFamilyHasOneFunctionForEach) {
  using Powers = void(int, double, double*);
  const Program program = service_->program("powers.cu", kPowersText);
  const auto request = program.function("powers", *handle_).block(1).grid(1);
  const StreamHandle stream = handle_->create_stream();
  Buffer<double> y(*handle_, 1);
  const auto cube = FunctionRequest(request).constant(0, 3).get<Powers>();
  cube(stream.native(), 3, 2.0, y.write(stream));
  EXPECT_EQ(y.host_read()[0], 8);
  EXPECT_THAT(bad_input_of([&] { cube(stream.native(), 4, 2.0, y.write(stream)); }), HasSubstr("3"));
  const auto family = request.family<Powers>({0});
  for (const int degree : {1, 10, 5, 10}) {
    family(stream.native(), degree, 2.0, y.write(stream));
    EXPECT_EQ(y.host_read()[0], std::pow(2.0, degree));
  }
}

TEST_F(GpuFunction, AGraphKeepsTheScalarsThatItWasCapturedWith) {
  const Function<Axpy> function = axpy();
  Buffer<double> x = filled(1), y = filled(0);
  const StreamHandle stream = handle_->create_stream(), other = handle_->create_stream();
  const double* from = x.read(stream);
  double* to = y.update(stream);
  const GraphHandle graph = stream.capture([&] {
    for (const double a : {1.0, 10.0}) function(stream.native(), static_cast<int>(kCount), a, from, to);
    other.wait(stream.record());
    function(other.native(), 10, 100.0, from, to);
    stream.wait(other.record());
  });
  EXPECT_EQ(y.host_read()[0], 0);
  const EventHandle begin = stream.record();
  for (int i = 0; i < 3; ++i) graph.launch(stream);
  const EventHandle end = stream.record();
  stream.synchronize();
  EXPECT_GT(end.seconds_since(begin), 0);
  static_cast<void>(y.update(stream));  // the graph has changed it
  EXPECT_EQ(y.host_read()[0], 333);
  EXPECT_EQ(y.host_read()[10], 33);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(stream.capture([&] { stream.synchronize(); })); }),
              HasSubstr("captured"));
}

TEST_F(GpuFunction, ArgumentsOfAnotherTypeAreRefusedByTheKernelsCompiler) {
  try {
    static_cast<void>(
        program_->function("axpy", *handle_).template_args({"float"}).block(256).cover(0).get<Axpy>());
    FAIL() << "float is not double";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kCompile);
    EXPECT_THAT(error.what(), HasSubstr("argument 1"));
  }
}

}  // namespace
}  // namespace kiln::test
