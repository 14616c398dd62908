#include "trial/device_compare.h"

#include "job/job_fixture.h"
#include "support/cpu_kernels.h"
#include "trial/comparison_cases.h"

namespace kiln {
namespace {

using test::ComparisonCases;
using test::CpuKernels;
using test::JobTest;

/// The kernels that compare, on the CPU's device.
class DeviceCompareTest : public testing::Test {
 protected:
  CpuKernels cpu_;
  ComparisonCases cases_{std::shared_ptr<Device>(&cpu_.device(), [](Device*) {}), cpu_.compiler()};
};

TEST_F(DeviceCompareTest, FindsWhatTheHostFindsInNumbersOfEachType) {
  for (const ScalarFacts& type : scalar_types()) cases_.expect_alike_with_numbers(type.name);
}

TEST_F(DeviceCompareTest, FindsWhatTheHostFindsInArrays) {
  cases_.expect_alike("double", "double");
  cases_.expect_alike("float", "float");
  cases_.expect_alike("float", "double");
  cases_.expect_alike("ulong", "long");
  cases_.expect_alike("long", "long");
  cases_.expect_alike("long", "double");
  cases_.expect_alike("double", "ulong");
  cases_.expect_alike("bool", "int");
  cases_.expect_alike("half", "double");
  cases_.expect_alike("fp8_e4m3", "bfloat16");
}

TEST_F(DeviceCompareTest, SeesOneByteThatDiffers) {
  test::expect_same_bits_found(cases_);
}

TEST_F(JobTest, ArraysOf32MiBAreComparedWhereTheyAre) {
  disk_.files.write_file("/kernels/scale/large.yaml", R"yaml(workload: large
parameters:
  n: {type: int, default: 3000000}
buffers:
  y: {type: double, shape: [n]}
  r: {type: float, shape: [n]}
kernels:
  none: {source: none.cu, grid: [1], block: [1], args: [y, r]}
run: [none]
verify:
  checks:
    - {name: number, buffer: y, expected: 1}
    - {name: sum, buffer: y, reduce: sum, expected: 1}
    - {name: array, buffer: y, reference: {kernel: none, buffer: r}}
)yaml",
                         false);
  const auto wanted = [&](const std::string& n, const Target& target) {
    const JobPlan made = plan("workload: /kernels/scale/large.yaml\nset: {n: " + n + "}\n");
    std::vector<std::string> code;
    for (const Specialization& one : comparisons_of(TrialNeeds(made.variants[0].configuration), target)) {
      code.push_back(one.source_name);
      for (const auto& [name, value] : one.defines) code.back() += " " + value;
    }
    return code;
  };
  const Target target{"fake", "fake_1", 32};
  EXPECT_EQ(wanted("2000000", target), std::vector<std::string>{});
  EXPECT_EQ(wanted("3000000", target),
            (std::vector<std::string>{"kiln_compare_arrays.cu double float", "kiln_same_bits.cu"}));
  EXPECT_EQ(wanted("5000000", target),
            (std::vector<std::string>{"kiln_compare_arrays.cu double double",
                                      "kiln_compare_arrays.cu double float", "kiln_same_bits.cu"}));
  EXPECT_EQ(wanted("5000000", Target{"cpu", "host", 32}), std::vector<std::string>{});
}

TEST_F(JobTest, CodeThatDoesNotComeLeavesTheComparisonToTheHost) {
  compiler_.set_diagnostic(Diagnostic{"no", "no", "no", false});
  const auto stream = device_->create_stream();
  BufferPool pool;
  DeviceCompare compare(*service_, compiler_, device_, *stream, pool, 0);
  const auto buffer = device_->allocate(64);
  EXPECT_FALSE(compare.same_bits(buffer->data(), buffer->data(), 64));
}

TEST_F(JobTest, LittleIsLeftToTheHost) {
  const auto stream = device_->create_stream();
  BufferPool pool;
  EXPECT_FALSE(DeviceCompare(*service_, compiler_, device_, *stream, pool).same_bits(nullptr, nullptr, 1000));
  EXPECT_EQ(compiler_.compiles(), 0);
}

}  // namespace
}  // namespace kiln
