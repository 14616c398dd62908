// The shapes of buffers in drafts of workloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/draft_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;

class NewShapes : public test::DraftTest {
 protected:
  /// Of a valid workload.
  std::string valid_draft(const std::string& text) {
    std::string yaml = draft(text);
    const CliResult valid = kiln({"validate", path("program.yaml")});
    EXPECT_EQ(valid.code, kExitDone) << valid.err << valid.out << yaml;
    return yaml;
  }
};

TEST_F(NewShapes, AreWhatTheProgramAllocates) {
  const std::string yaml = valid_draft(R"cuda(
#define SIDE 64
__global__ void step(const float* in, float* out, double* error, int rows, int row_size) { *error = in[0]; }
int main(int argc, char** argv) {
  int rows = atoi(argv[1]), row_size = atoi(argv[2]);
  int all = rows * row_size;
  float *in, *out; double *error;
  cudaMalloc((void**)&in, sizeof(float) * all);
  cudaMalloc(&out, (rows / 2) * sizeof(float));
  cudaMalloc(&error, SIDE * SIDE * sizeof(double));
  step<<<SIDE, 64>>>(in, out, error, rows, row_size);
}
)cuda");
  EXPECT_THAT(yaml,
              HasSubstr("in: {type: float, shape: [\"(rows * row_size)\"], init: {uniform: [0, 1]}}  # FILL "
                        "IN shape, content; the program allocates sizeof(float)*all"));
  EXPECT_THAT(yaml,
              HasSubstr("out: {type: float, shape: [\"max(1, (rows // 2))\"], init: 0}  # FILL IN shape; "
                        "the program allocates (rows/2)*sizeof(float)"));
  EXPECT_THAT(yaml, HasSubstr("error: {type: double, shape: [\"64 * 64\"], init: 0}  # FILL IN shape; "));
}

TEST_F(NewShapes, AreGuessedWhereTheAllocationDoesNotTell) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void fill(float* a, float* b, int* c, int nelems) { a[0] = nelems; }
int main() {
  int late = 0;
  late = compute();
  float *a, *b; int* c;
  cudaMalloc(&a, late * sizeof(float));
  cudaMalloc(&b, size_of(b));
  cudaMalloc(&c, 16 * sizeof(double));
  fill<<<4, 64>>>(a, b, c, late);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("nelems: {type: int, default: 1024}  # FILL IN how large"));
  for (const char* buffer : {"a: {type: float", "b: {type: float", "c: {type: int"})
    EXPECT_THAT(yaml, HasSubstr(std::string(buffer) + ", shape: [nelems]"));
}

TEST_F(NewShapes, OfThreeGuessedSizesAreSmall) {
  const std::string volume = valid_draft(R"cuda(
__global__ void clear(float* a, int nx, int ny, int nz, int num_steps) { a[0] = nx; }
void f(float* a, int nx, int ny, int nz, int steps) { clear<<<4, 64>>>(a, nx, ny, nz, steps); }
)cuda");
  EXPECT_THAT(volume, HasSubstr("nx: {type: int, default: 64}  # FILL IN how large"));
  EXPECT_THAT(volume, HasSubstr("nz: {type: int, default: 64}  # FILL IN how large"));
  EXPECT_THAT(volume, HasSubstr("num_steps: {type: int, default: 1024}  # FILL IN how large"));
  EXPECT_THAT(volume, HasSubstr("shape: [\"nx * ny * nz\"]"));
  const std::string plane = valid_draft(R"cuda(
__global__ void clear(float* a, int width, int height) { a[0] = width; }
void f(float* a, int w, int h) { clear<<<4, 64>>>(a, w, h); }
)cuda");
  EXPECT_THAT(plane, HasSubstr("width: {type: int, default: 1024}  # FILL IN how large"));
}

TEST_F(NewShapes, OfBlocksInBracesAndOfSeveralNamesAreRead) {
  const std::string yaml = valid_draft(R"cuda(
constexpr int kWide{16}, kHigh{4};
const int depth = 2, layers = 3;
template <int W, int H> __global__ void tile(float* a) { a[threadIdx.y * W + threadIdx.x] = H; }
__global__ void cube(float* b) { b[threadIdx.x] = 1; }
__global__ void flat(float* c) { c[threadIdx.x] = 1; }
int main() {
  float *a, *b, *c;
  dim3 const grid{2u, 3u}, block{kWide, kHigh};
  dim3 threads(8, depth, layers), blocks = {5, 6};
  dim3 constexpr last = dim3{64};
  tile<kWide, kHigh><<<grid, block>>>(a);
  cube<<<blocks, threads>>>(b);
  flat<<<4, last>>>(c);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [16, 4]"));
  EXPECT_THAT(yaml, HasSubstr("grid: [2, 3]"));
  EXPECT_THAT(yaml, HasSubstr("block: [16, 4]"));
  EXPECT_THAT(yaml, HasSubstr("grid: [5, 6]"));
  EXPECT_THAT(yaml, HasSubstr("block: [8, 2, 3]"));
  EXPECT_THAT(yaml, HasSubstr("block: [64]"));
}

TEST_F(NewShapes, OfAFunctionsOwnConstantsAreTakenThere) {
  const std::string yaml = valid_draft(R"cuda(
template <int W> __global__ void first(float* a) { a[threadIdx.x] = W; }
template <int W> __global__ void second(float* b, int n) { b[threadIdx.x] = W * n; }
void run_first(float* a) {
  const int W = 8;
  dim3 block(W * 4), grid(2);
  first<W><<<grid, block>>>(a);
}
void run_second(float* b, int n) {
  if (n > 4) {
    const int W = 16;
    dim3 block(W, W);
    second<W><<<dim3(n / W), block, W * 4>>>(b, n);
  }
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [8]"));
  EXPECT_THAT(yaml, HasSubstr("block: [32]"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [16]"));
  EXPECT_THAT(yaml, HasSubstr("block: [16, 16]"));
  EXPECT_THAT(yaml, HasSubstr("n // 16"));
  EXPECT_THAT(yaml, HasSubstr("shared: \"16 * 4\""));
}

}  // namespace
}  // namespace kiln
