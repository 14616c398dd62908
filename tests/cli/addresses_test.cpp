// Buffers that hold addresses of buffers. On the cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::AllOf;
using testing::HasSubstr;

/// `sum` adds to `total`, which only `graph` leads to; `fill` writes by a pointer what `sum` reads.
constexpr const char* kText = R"cuda(struct Graph { const int* next; float* total; float scale; int n; };
__constant__ Graph graph;
__constant__ float* weights[2];
__global__ void fill(int* first, Graph* where) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < where->n) first[i] = where->next[i] + 1;
}
__global__ void sum(const int* first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < graph.n) graph.total[i] += graph.scale * weights[i % 2][i] + first[i];
}
__global__ void expect(float* expected, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) expected[i] = 1 + 2 * (i % 2 == 0 ? 1 : 3) + i + 1;
}
)cuda";

constexpr const char* kJob = R"yaml(workload:
  workload: sum
  parameters: {n: {type: int, default: 100}}
  types: {Graph: {next: ulong, total: ulong, scale: float, n: int}}
  buffers:
    next: {type: int, shape: [n], init: {iota: [0, 1]}}
    total: {type: float, shape: [n], init: 1}
    first: {type: int, shape: [n], init: {kernel: fill}}
    both: {type: float, shape: ["2 * n"], init: 1}
    ones: {type: float, shape: [n], view: {of: both}}
    threes: {type: float, shape: [n], init: 3}
    graph: {type: Graph, shape: [1], init: {members: {next: {addresses: next}, total: {addresses: total}, scale: 2, n: n}}}
    weights: {type: ulong, shape: [2], init: {addresses: [ones, threes]}}
    expected: {type: float, shape: [n]}
  kernels:
    fill: {source: sum.cu, grid: ["ceil_div(n, 64)"], block: [64], args: [first, graph]}
    sum: {source: sum.cu, grid: ["ceil_div(n, 64)"], block: [64], args: [first], symbols: {graph: graph, weights: weights}}
    expect: {source: sum.cu, grid: ["ceil_div(n, 64)"], block: [64], args: [expected, n]}
  run: [sum]
  verify: {checks: [{buffer: total, reference: {kernel: expect, buffer: expected}}]}
measure: {min_time: 1 us, max_time: 1 ms}
)yaml";

class Addresses : public test::CliTest {
 protected:
  CliResult run(const std::string& job) {
    write("sum.cu", kText);
    return kiln({"run", write("job.yaml", job), "--device", "cpu", "--require-checks"});
  }
  static std::string with(const std::string& from, const std::string& to) {
    std::string job = kJob;
    return job.replace(job.find(from), from.size(), to);
  }
};

TEST_F(Addresses, AKernelFollowsThem) {
  const CliResult result = run(kJob);
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
}

// Contents that a sweep keeps do not hold the addresses of another variant.
TEST_F(Addresses, EachVariantHasItsOwn) {
  const CliResult result = run(std::string(kJob) + "sweep: {n: [100, 7, 5000]}\n");
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 ok"));
}

// The second launch goes the other way: a = b + 2, then b = a + 2.
TEST_F(Addresses, TwoTablesAreSwappedInPlaceOfTheirBuffers) {
  write("step.cu",
        "__global__ void step(float** t, float add) { t[0][threadIdx.x] = t[1][threadIdx.x] + add; }\n");
  const CliResult result = run(R"yaml(workload:
  workload: step
  buffers:
    a: {type: float, shape: [32], init: 1}
    b: {type: float, shape: [32], init: 5}
    there: {type: ulong, shape: [2], init: {addresses: [a, b]}}
    back: {type: ulong, shape: [2], init: {addresses: [b, a]}}
  kernels: {step: {source: step.cu, grid: [1], block: [32], args: [there, {value: 2, type: float}]}}
  run: [step, {swap: [there, back]}, {kernel: step, as: again}]
  verify: {checks: [{buffer: a, expected: 7}, {buffer: b, expected: 9}]}
measure: false
)yaml");
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
}

TEST_F(Addresses, AreAsManyAsTheElements) {
  EXPECT_THAT(
      run(with("[ones, threes]", "[ones]")).err,
      HasSubstr(
          "job.yaml:13:46: buffers.weights.init: it has 2 elements of ulong, and 1 addresses are given"));
  EXPECT_THAT(
      run(with("scale: 2, n: n", "scale: 2, n: \"n / 3\"")).err,
      HasSubstr("buffers.graph.init.members.n: 'n / 3' is 33.333333333333336; expected a whole number"));
}

TEST_F(Addresses, ABufferThatIsHeldIsMadeWhereItIsNeeded) {
  EXPECT_THAT(run(with("threes: {type: float, shape: [n], init: 3}",
                       "threes: {type: float, shape: [n], init: 3, when: n > 500}"))
                  .err,
              AllOf(HasSubstr("buffer 'threes' is needed here"), HasSubstr("n > 500")));
}

}  // namespace
}  // namespace kiln
