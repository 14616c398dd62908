// A workload's kernel as a typed function, on the cpu with a real compiler.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "base/file.h"
#include "kiln/kiln.h"
#include "support/error_matchers.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

/// Arguments of every kind: buffers, numbers, an expression, a null pointer; `params` between them.
constexpr const char* kLineYaml = R"yaml(workload: line
parameters:
  n: {type: int, default: 100, bind: run}
  shift: {type: float, default: 1, bind: run}
  block: {type: int, default: 32, bind: compile}
buffers:
  x: {type: float, shape: [n], init: {iota: [0, 1]}}
  y: {type: float, shape: [n], init: 0}
kernels:
  line:
    source: line.cu
    block: [block]
    grid: ["ceil_div(n, block)"]
    args: [n, params, x, {type: int, value: "2 * block"}, null, shift, y]
run: [line]
)yaml";

constexpr const char* kLineSource = R"(#include "kiln/params.h"
extern "C" __global__ void line(int n, Params p, const float* x, int twice, const double* none, float shift, float* y) {
  const int i = blockIdx.x * Params::block + threadIdx.x;
  if (i < n && n == p.n && none == nullptr) y[i] = x[i] + shift + twice;
}
)";

class WorkloadFunctions : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_workload_function.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    test::write_small_workload(*make_real_file_system(), folder_);
    std::filesystem::create_directories(folder_ / "line");
    std::ofstream(folder_ / "line/line.yaml") << kLineYaml;
    std::ofstream(folder_ / "line/line.cu") << kLineSource;
    settings_.cache_dir = (folder_ / "cache").string();
    settings_.workload_path = {folder_.string()};
    settings_.log_level = "off";
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    service_.emplace(settings_);
  }
  void TearDown() override {
    service_.reset();  // which writes to the cache until then
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] KernelRequest request(const std::string& workload) const {
    return service_->workload(workload).kernel(workload).on(service_->device("cpu"));
  }

  std::filesystem::path folder_;
  Settings settings_;
  std::optional<Service> service_;
};

TEST_F(WorkloadFunctions, TheProgramPassesTheBuffersAndTheRequestTheParameters) {
  const auto scale =
      request("scale").set("n", 70).set("factor", 2.5).function<void(double*, const double*)>();
  EXPECT_EQ(scale.info().name, "scale");
  EXPECT_EQ(scale.info().origin, "compiled");
  std::vector<double> x(100, 2.0), y(100, -1.0);
  scale.run(y.data(), x.data());
  EXPECT_EQ(y[69], 5.0);
  EXPECT_EQ(y[70], -1.0);
  EXPECT_GT(scale.time(3, y.data(), x.data()), 0);
  static_cast<void>(service_->statistics());  // waits until the code is written
  const Service again(settings_);
  const auto found =
      again.workload("scale").kernel("scale").on(again.device("cpu")).set("n", 70).set("factor", 2.5);
  EXPECT_EQ((found.function<void(double*, const double*)>().info().origin), "disk");
}

TEST_F(WorkloadFunctions, RunTimeParametersOfTheRequestAreInItsParams) {
  const auto scale = request("scale")
                         .set("n", 70)
                         .set("factor", 2.5)
                         .set("bind.all", "run")
                         .function<void(double*, const double*)>();
  std::vector<double> x(100, 2.0), y(100, -1.0);
  scale(nullptr, y.data(), x.data());
  scale.run(y.data(), x.data());
  EXPECT_EQ(y[0], 5.0);
  EXPECT_EQ(y[70], -1.0);
  scale.launch(nullptr, Geometry{{1, 1, 1}, {}, {}}, y.data(), x.data());  // one block in place of two
}

using Line = void(int, const float*, float, float*);

TEST_F(WorkloadFunctions, NumbersThatStandByNameAreThoseOfTheLaunch) {
  const auto line = request("line").set("n", 70).function<Line>();
  std::vector<float> x(100, 2.0F), y(100, -1.0F);
  line.run(70, x.data(), 0.5F, y.data());
  EXPECT_EQ(y[69], 2 + 0.5F + 64);
  EXPECT_EQ(y[70], -1.0F);
  line.run(70, x.data(), 1.5F, y.data());
  EXPECT_EQ(y[0], 2 + 1.5F + 64);
  EXPECT_THAT(bad_input_of([&] { line.run(71, x.data(), 0.5F, y.data()); }),
              HasSubstr("kernel 'line': argument 0 (int) is 70 in this function; the launch passes 71"));
  EXPECT_EQ(y[70], -1.0F);
}

TEST_F(WorkloadFunctions, TheKernelsOwnCompilerComparesTheTypes) {
  EXPECT_THAT(
      bad_input_of([&] { static_cast<void>(request("line").function<void(int, const float*)>()); }),
      AllOf(HasSubstr("line.yaml:11:5"), HasSubstr("kernel 'line' is passed 4 arguments (n, x, shift, y); "
                                                   "the signature has 2")));
  EXPECT_THAT(
      message_of(ErrorKind::kCompile,
                 [&] {
                   static_cast<void>(
                       request("line").function<void(int, const float*, float, const double*)>());
                 }),
      HasSubstr("kernel 'line' does not take what the program passes, (int, const float*, float, const "
                "double*): argument 6 is float*, the program passes const double*"));
  EXPECT_THAT(message_of(ErrorKind::kCompile,
                         [&] { static_cast<void>(request("scale").function<void(float*, const float*)>()); }),
              HasSubstr("argument 0 is double*, the program passes float*"));
}

}  // namespace
}  // namespace kiln
