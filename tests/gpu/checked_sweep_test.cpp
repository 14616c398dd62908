// Checks on the GPU itself, and sweeps whose inputs and references are made once.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"
#include "trial/comparison_cases.h"

namespace kiln::test {
namespace {

class GpuCompare : public GpuTest {};

TEST_F(GpuCompare, FindsWhatTheHostFinds) {
  ComparisonCases cases(device_, *compiler_);
  for (const ScalarFacts& type : scalar_types()) cases.expect_alike_with_numbers(type.name);
  for (const ScalarFacts& type : scalar_types()) cases.expect_alike(type.name, type.name);
  cases.expect_alike("float", "double");
  cases.expect_alike("ulong", "long");
  cases.expect_alike("bool", "int");
  expect_same_bits_found(cases);
}

/// 41 MiB of doubles in each array: large enough to be compared on the GPU. `wrong` is an element that comes
/// out wrong.
constexpr const char* kYaml = R"yaml(workload: sweep
parameters:
  block: {type: int, default: 64, bind: compile}
  scale: {type: double, default: 2}
  wrong: {type: int, default: 0}
  n:     {type: int, default: 5324800}
buffers:
  x: {type: double, shape: [n], init: {normal: [0, 1]}}
  k: {type: double, shape: [n], init: {kernel: make}}
  y: {type: double, shape: [n], init: 0}
  y_reference: {type: double, shape: [n], init: 0}
kernels:
  make: {source: sweep_data.cu, grid: ["ceil_div(n, 256)"], block: [256], args: [k, x, n]}
  step: {source: sweep.cu, defines: {BLOCK: block}, grid: ["ceil_div(n, block)"], block: [block], args: [y, x, k, scale, wrong, n]}
  reference: {source: sweep_data.cu, grid: ["ceil_div(n, 256)"], block: [256], args: [y_reference, x, k, scale, n]}
run: [step]
verify:
  checks:
    - {buffer: y, reference: {kernel: reference, buffer: y_reference}, rtol: 1e-12, atol: 1e-12}
)yaml";

constexpr const char* kStep = R"(
extern "C" __global__ void step(double* y, const double* x, const double* k, double scale, int wrong, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = scale * x[i] + k[i] * (1 + (BLOCK == 96) * 1e-15) + (wrong != 0 && i == wrong ? 1.0 : 0.0);
}
)";
constexpr const char* kData = R"(
extern "C" __global__ void make(double* k, const double* x, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) k[i] = x[i] * x[i];
}
extern "C" __global__ void reference(double* y, const double* x, const double* k, double scale, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = scale * x[i] + k[i];
}
)";

class GpuSweep : public CliTest {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
    write("sweep/sweep.yaml", kYaml);
    write("sweep/sweep.cu", kStep);
    write("sweep/sweep_data.cu", kData);
  }

  /// The checks of each variant, by label.
  std::map<std::string, nlohmann::json> checks_of(const std::string& job) {
    const CliResult result =
        kiln({"run", write("job.yaml", "workload: sweep\ndevice: cuda:0\nmeasure: false\n" + job), "--format",
              "json"});
    std::map<std::string, nlohmann::json> checks;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      const auto record = nlohmann::json::parse(line);
      const std::string label = record.at("label").get<std::string>();
      checks[label.empty() ? job : label] = record.at("checks");
    }
    return checks;
  }
};

/// A job of one variant keeps nothing.
TEST_F(GpuSweep, ChecksOfASweepAreThoseOfItsVariantsAlone) {
  const auto swept = checks_of("sweep: {block: [64, 96, 128], wrong: [0, 5324799], scale: [2, 3]}\n");
  ASSERT_EQ(swept.size(), 12U);
  for (const std::string block : {"64", "96", "128"}) {
    for (const std::string wrong : {"0", "5324799"}) {
      for (const std::string scale : {"2", "3"}) {
        const auto alone =
            checks_of("set: {block: " + block + ", wrong: " + wrong + ", scale: " + scale + "}\n");
        ASSERT_EQ(alone.size(), 1U);
        const std::string label = "block=" + block + " wrong=" + wrong + " scale=" + scale;
        ASSERT_TRUE(swept.contains(label)) << label;
        EXPECT_EQ(swept.at(label), alone.begin()->second) << label;
        EXPECT_EQ(swept.at(label).at(0).at("ok"), wrong == "0") << label;
        EXPECT_EQ(swept.at(label).at(0).at("mismatches"), wrong == "0" ? 0 : 1) << label;
      }
    }
  }
}

}  // namespace
}  // namespace kiln::test
