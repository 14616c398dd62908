// Kernels that take arrays of pointers, `float**`: a workload passes the rows of a buffer.
#include <gmock/gmock.h>

#include <string>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"
#include "cli/draft_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kText = R"(
struct Matrices {
  float* const* rows;
  int columns;
};

__global__ void add(float** a, const Matrices b, int rows) {
  const int i = blockIdx.x, j = threadIdx.x;
  if (i < rows && j < b.columns) a[i][j] += b.rows[i][j];
}
)";

constexpr const char* kJob = R"yaml(workload:
  workload: rows
  parameters:
    rows: {type: int, default: 5}
    columns: {type: int, default: 9}
  buffers:
    a: {type: float, shape: [rows, columns], init: 1}
    b: {type: float, shape: [rows, columns], init: {iota: [0, 1]}}
    c: {type: float, shape: [rows, columns], init: 3}
    sum: {type: float, shape: [rows, columns]}
  kernels:
    add: {source: k.cu, grid: [rows], block: [32], args: [{pointers: a, name: to}, {struct: [{pointers: b}, columns]}, rows]}
    by_hand: {source: by_hand.cu, grid: [rows], block: [columns], args: [sum, b, columns]}
  run: [add, {kernel: add, args: {to: c}}, {swap: [a, c]}, add]
  verify: {checks: [{buffer: a, reference: {kernel: by_hand, buffer: sum}, atol: 0}]}
measure: {min_time: 0.001 s, min_samples: 3, max_samples: 3}
)yaml";

TEST_F(CliTest, KernelsTakePointersToTheRowsOfABuffer) {
  write("k.cu", kText);
  write("by_hand.cu",
        "extern \"C\" __global__ void by_hand(float* sum, const float* b, int columns) {\n"
        "  const int i = blockIdx.x * columns + threadIdx.x;\n"
        "  sum[i] = 3 + 2 * b[i];\n"
        "}\n");
  const CliResult result = kiln({"run", write("job.yaml", kJob), "--device", "cpu"});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 ok"));
}

TEST_F(CliTest, PointersToTheRowsOfNoBufferAreBadInput) {
  std::string job = kJob;
  const std::string known = "{pointers: a,";
  job.replace(job.find(known), known.size(), "{pointers: aa,");
  const CliResult result = kiln({"validate", write("job.yaml", job)});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("job.yaml:12:59: unknown buffer 'aa'; did you mean 'a'?"));
}

TEST_F(DraftTest, ArraysOfPointersAreRowsOfABuffer) {
  const std::string yaml = draft(
      "struct View { double** x; int n; };\n"
      "__global__ void scale(float** a, const int* const* b, View view, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) a[i][0] = b[i][1] + view.x[i][0];\n"
      "}\n");
  EXPECT_THAT(yaml, HasSubstr("args: [{pointers: a}, {pointers: b}, {struct: [{pointers: x}, "));
  EXPECT_THAT(yaml, HasSubstr("a: {type: float, shape: [n, n], "));
  EXPECT_THAT(yaml, HasSubstr("b: {type: int, shape: [n, n], "));
  EXPECT_THAT(yaml, HasSubstr("x: {type: double, shape: [n, n], "));
}

}  // namespace
}  // namespace kiln::test
