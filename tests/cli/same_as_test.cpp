// Buffers that start like another one, on the cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using ::testing::HasSubstr;

constexpr const char* kWorkload = R"yaml(workload: alike
parameters:
  n: {type: int, default: 3000}
  m: {type: int, default: 3000}
  change: {type: int, default: 0}
buffers:
  y:      {type: float, shape: [m], init: {same_as: x}}     # before the buffer that it is like
  x:      {type: float, shape: [50, "n / 50"], init: {uniform: [0, 1]}}
  other:  {type: float, shape: [n], init: {uniform: [0, 1]}}
  third:  {type: int, shape: [n], init: {same_as: second}}
  second: {type: int, shape: [n], init: {same_as: first}}
  first:  {type: int, shape: [n], init: {kernel: make}}
  counts: {type: int, shape: [4], init: 0}
kernels:
  make:    {source: alike.cu, grid: ["ceil_div(n, 64)"], block: [64], args: [first, n]}
  compare: {source: alike.cu, grid: [1], block: [1], args: [counts, x, y, other, first, second, third, n, change]}
run: [compare]
verify:
  checks:
    - {name: equal numbers, buffer: counts, region: [[0, 3]], expected: n}
    - {name: other numbers, buffer: counts, region: [[3, 4]], expected: 0}
measure: {refresh: 1}
)yaml";

constexpr const char* kKernel = R"cuda(
extern "C" __global__ void make(int* first, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) first[i] = i * i + 1;
}

extern "C" __global__ void compare(int* counts, const float* x, const float* y, const float* other, int* first,
                                   int* second, int* third, int n, int change) {
  for (int i = 0; i < n; ++i) {
    counts[0] += x[i] == y[i] && x[i] > 0;
    counts[1] += first[i] == second[i] && first[i] == i * i + 1;
    counts[2] += first[i] == third[i];
    counts[3] += x[i] == other[i];
    if (change) second[i] = third[i] = -1;  // the next variant must not see this
  }
}
)cuda";

class SameAs : public test::CliTest {
 protected:
  SameAs() {
    write("alike/alike.yaml", kWorkload);
    write("alike/alike.cu", kKernel);
  }
  CliResult run(const std::string& job) {
    return kiln({"run", write("job.yaml", "workload: alike\ndevice: cpu\n" + job)});
  }
};

TEST_F(SameAs, ABufferStartsWithTheSameBitsInEachVariant) {
  const CliResult result =
      run("sweep: {change: [1, 0], seed: [1, 2]}\nmeasure: {min_time: 1 ms, max_time: 5 ms}\n");
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("4 variants: 4 ok"));
}

TEST_F(SameAs, AnotherSizeIsRefusedWithItsPlace) {
  const CliResult result = run("set: {m: 1000}\n");
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("alike.yaml:7:"));
  EXPECT_THAT(result.err,
              HasSubstr("buffers.y.init: it has 1000 elements of float and is to start like 'x', which has "
                        "3000 elements of float"));
  EXPECT_EQ(kiln({"validate", path("job.yaml")}).code, kExitBadInput);
}

}  // namespace
}  // namespace kiln
