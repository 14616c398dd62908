#include "cli/struct_argument_job.h"

#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

TEST_F(CliTest, KernelsTakeStructsByValue) {
  write("k.cu", kStructArgumentText);
  const CliResult result = kiln({"run", write("job.yaml", kStructArgumentJob), "--device", "cpu"});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 ok"));
}

TEST_F(CliTest, AStructOfAnotherSizeIsRefusedBeforeTheLaunch) {
  write("k.cu", kStructArgumentText);
  std::string job = kStructArgumentJob;
  const std::string member = "slope, ";
  job.erase(job.find(member), member.size());
  const CliResult result = kiln({"run", write("job.yaml", job), "--device", "cpu"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("argument 1 of kernel 'evaluate' is 16 bytes, the kernel takes 32"));
}

constexpr const char* kLargeText = R"(
struct Table { float values[COUNT]; };
__global__ void sum(float* result, const Table table) {
  float all = 0;
  for (int i = 0; i < COUNT; ++i) all += table.values[i];
  *result = all;
}
)";
constexpr const char* kLargeJob = R"yaml(workload:
  workload: large
  parameters: {number: {type: float, default: 3}}
  buffers: {result: {type: float, shape: [1]}}
  kernels:
    sum: {source: k.cu, defines: {COUNT: COUNT_HERE}, grid: [1], block: [1], args: [result, {struct: [{value: number, type: float, count: COUNT_HERE}]}]}
  run: [sum]
  verify: {checks: [{buffer: result, expected: "24573"}]}
measure: {min_time: 0.001 s, min_samples: 3, max_samples: 3}
)yaml";

TEST_F(CliTest, AStructHasAsManyBytesAsCudaPasses) {
  write("k.cu", kLargeText);
  const auto run = [&](const std::string& count) {
    std::string job = kLargeJob;
    const std::string place = "COUNT_HERE";
    for (std::size_t at = job.find(place); at != std::string::npos; at = job.find(place))
      job.replace(at, place.size(), count);
    return kiln({"run", write("job.yaml", job), "--device", "cpu"});
  };
  const CliResult most = run("8191");
  EXPECT_EQ(most.code, kExitDone) << most.out << most.err;
  EXPECT_THAT(most.out, HasSubstr("1 ok"));
  const CliResult more = run("8192");
  EXPECT_EQ(more.code, kExitBadInput);
  EXPECT_THAT(more.err, HasSubstr("the structs that kernel 'sum' is passed have more than 32764 bytes"));
}

}  // namespace
}  // namespace kiln::test
