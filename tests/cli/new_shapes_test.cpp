// The shapes of buffers in drafts of workloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

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

/// One kernel writes the pointers, another one follows them.
TEST_F(NewShapes, TablesThatAKernelWritesHoldAddresses) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void set(float** table, float* all, int n) { table[threadIdx.x] = all + threadIdx.x * n; }
__global__ void add(float** rows, float** others, int n) { for (int i = 0; i < n; ++i) rows[threadIdx.x][i] += others[0][i]; }
int main() {
  float **table, **others, *all;
  set<<<1, 8>>>(table, all, 4);
  add<<<1, 8>>>(table, others, 4);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("table: {type: ulong, shape: "));
  EXPECT_THAT(
      valid_draft(
          "__global__ void swap(float** rows) { float* t = rows[0]; rows[0] = rows[1]; rows[1] = t; }\n"),
      HasSubstr("args: [{pointers: rows}]"));
  EXPECT_THAT(yaml, HasSubstr("args: [table, all_, n]"));
  EXPECT_THAT(yaml, HasSubstr("args: [table, {pointers: others}, n]"));
}

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
              HasSubstr("in: {type: float, shape: [\"rows * row_size\"], init: {uniform: [0, 1]}}  # FILL "
                        "IN shape, content; the program allocates sizeof(float)*all"));
  EXPECT_THAT(yaml, HasSubstr("out: {type: float, shape: [\"max(1, rows // 2)\"], init: 0}  # FILL IN shape; "
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

TEST_F(NewShapes, FollowArgumentsThatAreTheFunctionsOwnOrFromAHeader) {
  write("sizes.h", "#define ALL 4096\n");
  const std::string yaml = valid_draft(R"cuda(
#include "sizes.h"
__global__ void step(float* a, int n) { a[0] = n; }
__global__ void turn(float* b, int m) { b[0] = m; }
void run(int count) {
  constexpr int block = 64;
  int blocks = ((count - 1) / block) + 1;
  float* a;
  step<<<blocks, block>>>(a, count);
}
void all() {
  int m = ALL;
  int threads = 128, groups = (m + threads - 1) / threads;
  float* b;
  turn<<<groups, threads>>>(b, m);
}
int main() {
  constexpr int count = 1 << 20;
  run(count);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("n: {type: int, default: 1048576}  # as in the program: count"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, ((n - 1) // 64) + 1)\"]"));
  EXPECT_THAT(yaml, HasSubstr("m: {type: int, default: 4096}  # as in the program: m"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(m + 128 - 1) // 128\"]"));
}

TEST_F(NewShapes, OfArgumentsThatLoopsAndDeviceCodeNameAreMarked) {
  const std::string yaml = valid_draft(R"cuda(
__device__ int next(int i) { int stride = 5; return i + stride; }
__global__ void mean(float* out, const float* in, int channels, int shift, int passes, int steps) {
  const int levels = 3;
  for (int ch = 0; ch < channels; ++ch) out[ch] += in[next(ch) + levels + shift + passes + steps];
}
void run(float* out, const float* in, int ch, int levels, int pass, int stride) {
  mean<<<1, 32>>>(out, in, ch, levels, pass, stride);
}
void others() {
  for (int pass = 7; pass < 9; ++pass) work(pass);
}
)cuda");
  for (const char* name : {"channels", "shift", "passes", "steps"})
    EXPECT_THAT(yaml, HasSubstr(std::string(name) + ": {type: int, default: 1}  # FILL IN its value"));
  const std::string in_macro = valid_draft(R"cuda(
#define FOR_EACH(...) for (int device = 0; device < count(); ++device) { __VA_ARGS__ }
__global__ void mean(float* out, int n) { extern __shared__ float s[]; out[n] = s[0]; }
void run(float* out, const int* sizes, int n) {
  FOR_EACH(
    int delta = sizes[device];
    int bytes = 3 * sizeof(float) * delta;
    mean<<<1, 32, bytes>>>(out, delta);
  );
}
)cuda");
  EXPECT_THAT(in_macro, HasSubstr("shared: \"3 * 4 * n\"  # line"));
}

/// Where the first value of a variable is an assignment, and in a class's functions.
TEST_F(NewShapes, OfLocalValuesWithoutInitialisersAreRead) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void second(float* b, int n) { b[n] = 0; }
__global__ void third(float* c, int k) { c[0] = k; }
void other() { int g = 3; }
void run_second(float* b, int n) {
  int g;
  g = n / 32;
  second<<<g, 32>>>(b, n);
}
class Runner {
  void run(float* c, int k) {
    int blocks = k / 8;
    third<<<blocks, 8>>>(c, k);
  }
};
)cuda");
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, n // 32)\"]  # line 8: (n/32)\n"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, k // 8)\"]  # line 13: blocks\n"));
}

TEST_F(NewShapes, OfNamesThatOnlyOtherFunctionsGiveAValueAreMarked) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void first(float* a, int n, int m) { a[n] = m; }
__global__ void second(float* b, int n, int m) { b[n] = m; }
__global__ void third(float* c, int k) { c[0] = k; }
void other() { int t = 512; int m = 77; int g = 3; }
void run_first(float* a, int n, int t, int m, int g) { first<<<g, t>>>(a, n, m); }
void run_second(float* b, int n) {
  int t, m, g;
  if (n > 100) t = 64; else t = 32;
  if (n > 5) { m = 4; }
  g = n / 32;
  second<<<g, t>>>(b, n, m);
}
class Runner {
  void run(float* c, int k) {
    int blocks = k / 8;
    third<<<blocks, 8>>>(c, k);
  }
};
void all(Runner& runner, float* c) {
  const int k = 4096;
  runner.run(c, k);
}
__global__ void fourth(float* d, int v, float scale) { d[0] = v * scale; }
void set() { float scale = 2.5f; }
void run_fourth(float* d, int v, float scale) { fourth<<<1, 32>>>(d, v, scale); }
int main(int argc, char** argv) {
  int v = 5;
  std::cin >> v;
  run_fourth(nullptr, v, 3.0f);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("v: {type: int, default: 5}  # FILL IN its value; in the program at first: v"));
  EXPECT_THAT(yaml, HasSubstr("scale: {type: float, default: 2.5}  # FILL IN its value"));
  EXPECT_THAT(yaml,
              HasSubstr("m: {type: int, default: 77}  # FILL IN its value; in the program at first: m"));
  EXPECT_THAT(yaml, HasSubstr("grid: [3]  # FILL IN how many blocks; line 6"));
  EXPECT_THAT(yaml, HasSubstr("block: [512]  # FILL IN work-items of a block; line 6"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, n // 32)\"]  # line 12"));
  EXPECT_THAT(yaml, HasSubstr("block: [512]  # FILL IN work-items of a block; line 12"));
  EXPECT_THAT(yaml, HasSubstr("k: {type: int, default: 4096}  # as in the program: k"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, k // 8)\"]  # line 17"));
}

TEST_F(NewShapes, OfValuesThatLoopsAndStreamsChangeAreMarked) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void rounded(float* a, int n) { a[0] = n; }
__global__ void chosen(float* b, int n) { b[0] = n; }
__global__ void read(float* c, int n) { c[0] = n; }
__global__ void swapped(float* d, int n) { d[0] = n; }
__global__ void inside(float* e, int n) { e[0] = n; }
void run_rounded(float* a, int n) {
  int p = 1;
  for (; p < n; p *= 2) {}
  rounded<<<1, p>>>(a, n);
}
void run_chosen(float* b, int n, int kind) {
  int threads = 32, blocks = 8;
  switch (kind) { case 1: threads = 64; break; default: threads = 96; }
  kind > 2 ? blocks = 4 : blocks = 2;
  chosen<<<blocks, threads>>>(b, n);
}
void run_read(float* c, int n) {
  int size = 16;
  std::cin >> size;
  int half = n >> 1;
  read<<<half, size>>>(c, n);
}
void run_swapped(float* d, int n) {
  int rows = 8, cols = 128;
  std::swap(rows, cols);
  swapped<<<rows, cols>>>(d, n);
}
void run_inside(float* e, int n) {
  int width = 64;
  for (; width < n; width *= 2) inside<<<1, width>>>(e, n);
}
__global__ void halved(float* f, int q, int it) { f[q] = it; }
void run_halved(float* f) {
  int it = 0, q = 512;
  while (q > 1) {
    int part = q / 4;
    halved<<<q / 64, 64>>>(f, q, it);
    part /= 2;
    q /= 2;
    ++it;
  }
}
)cuda");
  for (const char* block : {"1", "32", "16", "128"})
    EXPECT_THAT(yaml, HasSubstr("block: [" + std::string(block) + "]  # FILL IN work-items of a block"));
  EXPECT_THAT(yaml, HasSubstr("grid: [8]  # FILL IN how many blocks; line 16"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, n // 2)\"]  # line 22"));
  EXPECT_THAT(yaml, HasSubstr("block: [64]  # line 31"));
  EXPECT_THAT(yaml,
              HasSubstr("q: {type: int, default: 512}  # FILL IN its value; in the program at first: q"));
  EXPECT_THAT(yaml,
              HasSubstr("it: {type: int, default: 0}  # FILL IN its value; in the program at first: it"));
}

/// `int& n` of a function of the file, or of one that it declares.
TEST_F(NewShapes, OfValuesThatFunctionsSetThroughReferencesAreMarked) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void read(float* a, int q, int m, int k) { a[0] = q + m + k; }
static void load(const char* path, int &q, bool zero = true) { q = 5; }
struct Reader { void next(int& m); };
void print(const int& k);
int main() {
  int q = 0, m = 7, k = 3, blocks = 2;
  Reader reader;
  float* a;
  load("a.txt", q);
  reader.next(m);
  print(k);
  read<<<blocks, 32>>>(a, q, m, k);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("q: {type: int, default: 0}  # FILL IN its value; in the program at first: q"));
  EXPECT_THAT(yaml, HasSubstr("m: {type: int, default: 7}  # FILL IN its value; in the program at first: m"));
  EXPECT_THAT(yaml, HasSubstr("k: {type: int, default: 3}  # as in the program: k"));
  EXPECT_THAT(yaml, HasSubstr("grid: [2]  # line 13: blocks\n"));
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

/// `long` has 64 bits, so that the first branch is not compiled.
TEST_F(NewShapes, OfTypesThatLimitsChoose) {
  const std::string yaml = valid_draft(R"cuda(
#include <limits.h>
#if ULONG_MAX == 0xffffffffUL
typedef unsigned long word;
#elif UINT_MAX == 0xffffffffUL
typedef unsigned int word;
#endif
#if LONG_MAX > 0x7fffffffL && CHAR_BIT == 8
typedef long wide;
#else
typedef long long wide;
#endif
__global__ void fill(word* a, wide b, int n) { a[threadIdx.x] = b; }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("a: {type: unsigned, "));
  EXPECT_THAT(yaml, HasSubstr("b: {type: long, "));
}

TEST_F(NewShapes, OfParametersWithAttributes) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void fill(float* a, [[maybe_unused]] float scale, int n [[maybe_unused]],
                     [[maybe_unused]] [[gnu::unused]] const int* order) {
  a[threadIdx.x] = 1;
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("scale: {type: float, "));
  EXPECT_THAT(yaml, HasSubstr("order: {type: int, "));
  EXPECT_THAT(yaml, HasSubstr("args: [a, scale, n, order]"));
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

TEST_F(NewShapes, OfAFunctionsOwnExpressionsAreTakenThere) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void first(float* a, int n) { a[threadIdx.x] = n; }
__global__ void second(float* b, int n, int bits) { b[threadIdx.x] = bits * n; }
__global__ void third(float* c, int n) { extern __shared__ float s[]; c[threadIdx.x] = s[n]; }
int bytes_of_third(int n) { int bytes = max(n, 64) * 4; return bytes; }
void run_first(float* a, int n) {
  int size = n, block_size = min(size, 32);
  dim3 block(block_size, 1), grid((size + block_size - 1) / block_size, 1);
  first<<<grid, block>>>(a, n);
}
void run_second(float* b, int n) {
  int size = n >> 1, block_size = min(size, 32);
  dim3 block(block_size, 1), grid((size + block_size - 1) / block_size, 1);
  second<<<grid, block>>>(b, n, 3);
}
void run_third(float* c, int n) {
  static int bytes = bytes_of_third();
  third<<<4, 64, bytes>>>(c, n);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(n + (min(n, 32)) - 1) // max(1, (min(n, 32)))\", 1]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [\"min(n, 32)\"]  # line"));
  EXPECT_THAT(
      yaml, HasSubstr("grid: [\"max(1, ((n // 2) + (min((n // 2), 32)) - 1) // (min((n // 2), 32)))\", 1]"));
  EXPECT_THAT(yaml, HasSubstr("block: [\"max(1, min((n // 2), 32))\"]  # line"));
  // What a function of the host computes is taken from a variable of the same name.
  EXPECT_THAT(yaml, HasSubstr("shared: \"max(n, 64) * 4\"  # line"));
}

TEST_F(NewShapes, OfLaunchesFollowWhatTheKernelGets) {
  const std::string yaml = valid_draft(R"cuda(
template <int W> __global__ void scale(float* a, int n) { if (blockIdx.x * W + threadIdx.x < n) a[0] = W; }
__global__ void fill(float* a) { a[threadIdx.x] = 1; }
int main() {
  int n = 1000000;
  const int block = 256;
  int blocks = (n + block - 1) / block, others = n / 500;
  float* a;
  cudaMalloc(&a, n * sizeof(float));
  scale<block><<<blocks, block>>>(a, n);
  fill<<<others, block>>>(a);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("n: {type: int, default: 1000000}  # as in the program: n"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [256]"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(n + 256 - 1) // 256\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("grid: [2000]  # line"));  // which gets no n
}

/// Another function has shapes of these names.
TEST_F(NewShapes, OfNumbersAreNoShapesOfOtherFunctions) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void move_(float* a, int count) { a[threadIdx.x] = count; }
__global__ void corners(float* b, int elements, int edges, int points) { b[0] = elements * edges * points; }
__global__ void pairs(float* c, int count, int others) { c[threadIdx.y] = count * others; }
void run_move(float* a, int count) {
  const int block_size = 128;
  const int grid_size = (count + block_size - 1) / block_size;
  move_<<<grid_size, block_size>>>(a, count);
}
void run_corners(float* b, int elements, int edges, int points) {
  int grid_size = elements, block_size = edges * points;
  corners<<<grid_size, block_size>>>(b, elements, edges, points);
}
void run_pairs(float* c, int count, int others) {
  const dim3 block_size(16, 8);
  const dim3 grid_size(count, others);
  pairs<<<grid_size, block_size>>>(c, count, others);
}
__global__ void cells(float* d, int width, int height) { d[threadIdx.z] = width * height; }
void run_cells(float* d, int width, int height) {
  dim3 block_size(8, 4);
  dim3 grid_size((width + block_size.x - 1) / block_size.x, height / block_size.y);
  cells<<<grid_size, block_size>>>(d, width, height);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(count + 128 - 1) // 128\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [128]  # line"));
  EXPECT_THAT(yaml, HasSubstr("grid: [elements]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [\"edges * points\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("grid: [count, others]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [16, 8]  # line"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(width + 8 - 1) // 8\", \"max(1, height // 4)\"]  # line"));
}

TEST_F(NewShapes, OfValuesThatMayHaveChangedAreMarked) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void rows(float* a, int n) { extern __shared__ float s[]; s[threadIdx.x] = n; a[n] = s[0]; }
__global__ void resident(float* b, int n) { b[threadIdx.x] = n; }
__global__ void plain(float* c, int n) { c[threadIdx.x] = n; }
__global__ void loops(float* d, int n) { d[threadIdx.x] = n; }
void run_rows(float* a, int n) {
  int threads = 1;
  while (threads < n) threads <<= 1;
  int bytes = threads * 4;
  rows<<<n, threads, bytes>>>(a, n);
}
void run_resident(float* b, int n) {
  int per_unit = 4, blocks = per_unit * 2;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, resident, 64, 0);
  blocks = per_unit * 2;
  resident<<<blocks, 64>>>(b, n);
}
void run_plain(float* c, int n) {
  int width = 32;
  if (n < 32) n = 32;
  if (n > 64) { width = 64; }
  width = 128;
  plain<<<(n + 127) / 128, width>>>(c, n);
  if (n > 64) width = 256;
}
void run_loops(float* d, int n) {
  for (int size = n; size > 1; size /= 2) loops<<<size, 64>>>(d, n);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("grid: [n]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [1]  # FILL IN work-items of a block; line"));
  EXPECT_THAT(yaml, HasSubstr("shared: 4  # FILL IN bytes of dynamic shared memory; line"));
  EXPECT_THAT(yaml, HasSubstr("grid: [8]  # FILL IN how many blocks; line"));
  EXPECT_THAT(yaml, HasSubstr("block: [64]  # line"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(n + 127) // 128\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [128]  # line"));
}

TEST_F(NewShapes, OfTypesThatAreArraysAreTheirs) {
  const std::string yaml = valid_draft(R"cuda(
#define LAYERS 4
typedef int2 Cell;
typedef float Row[8];
typedef Row Line;
typedef Cell Cells[LAYERS][2][3];
struct Item { Row row; Line lines[2]; int n; };
__global__ void k(Cells cells, const Row row, Item* items) {
  cells[0][1][2].x = row[1] + items[0].row[2] + items[0].lines[1][2];
}
void run(Cell* c, float* r, Item* items) { k<<<1, 32>>>((Cell(*)[2][3])c, r, items); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("Item: {row: \"float[8]\", lines: \"float[16]\", n: int}\n"));
  EXPECT_THAT(yaml, HasSubstr("cells: {type: int2, shape: [elements], init: 0}  # FILL IN shape\n"));
  EXPECT_THAT(yaml, HasSubstr("r: {type: float, shape: [elements], init: {uniform: [0, 1]}}"));
  EXPECT_THAT(yaml, HasSubstr("args: [cells, r, items]"));
}

TEST_F(NewShapes, TypesOfTemplatesMayBeVectors) {
  const std::string yaml = valid_draft(
      "template <typename T> __global__ void copy_(const T* in, T* out, int* bytes, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) { out[i] = in[i]; bytes[i] = sizeof(T); }\n}\n");
  const auto filled = [&](const std::string& type, const std::string& bytes) {
    return run_with(
        yaml,
        {{"T: {type: type, default: float}", "T: {type: type, default: " + type + "}"},
         {"in: {type: T, shape: [n], init: {uniform: [0, 1]}}", "in: {type: T, shape: [n], init: 2}"},
         {"checks: []", "checks: [{buffer: out, expected: 2}, {buffer: bytes, expected: " + bytes + "}]"}});
  };
  for (const auto& [type, bytes] :
       std::map<std::string, std::string>{{"double3", "24"}, {"uchar4", "4"}, {"unsigned", "4"}}) {
    const CliResult ran = filled(type, bytes);
    EXPECT_EQ(ran.code, kExitDone) << type << ran.err << ran.out;
  }
  EXPECT_THAT(filled("double5", "40").err, HasSubstr("unknown type 'double5'"));
}

/// An alias that gives a class of another namespace its own name.
TEST_F(NewShapes, OfClassesByAnAliasOfTheirNameAreTheirs) {
  const std::string yaml = valid_draft(R"cuda(
namespace store { struct Result { float mean = 0.0f; bool done = false; }; }
namespace app {
using Result = store::Result;
__global__ void k(Result* results) { results[threadIdx.x].mean = 1; }
}
void run(app::Result* results) { app::k<<<1, 32>>>(results); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("Result: {mean: float, done: bool}\n"));
  EXPECT_THAT(yaml, HasSubstr("results: {type: Result, "));
}

// Arguments are what the variables of the launch's own function have; what may have changed is marked.
TEST_F(NewShapes, OfArgumentsThatMayHaveChangedAreMarked) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void pass(float* a, int offset, int width) { a[offset] = width; }
__global__ void sort(float* b, int padded) { b[0] = padded; }
__global__ void sum(float* c, int steps) { c[0] = steps; }
__global__ void find(float* d, int unknown) { d[0] = unknown; }
__global__ void step(float* e, double dt, int l, int user) { e[l] = dt * user; }
double read_dt() { static double dt = 0.0; return dt = 0.5; }
void other() { for (int l = 0; l < 3; l++) wait(l); }
void levels(float* a, float* b, float* c, float* d, float* e, int n, int argc, char** argv) {
  int offset = 0;
  for (int width = 64; width > 1; width /= 2) {
    pass<<<1, 32>>>(a, offset, width);
    offset += width;
  }
  int log2 = 0, user = 7;
  while ((1 << log2) < n) log2++;
  const int padded = 1 << log2, blocks = (padded + 255) / 256;
  sort<<<blocks, 256>>>(b, padded);
  int threads = 1;
  while (threads < n) threads <<= 1;
  int found = 5, many = 40, block = threads < 32 ? 32 : threads;
  sum<<<1, block>>>(c, log2);
  many++;
  ++many;
  do { found--; } while (found > n);
  find<<<many, 32>>>(d, found);
  for (int i = 1; i < argc; ++i) user = atoi(argv[i]);
  double dt = read_dt();
  for (int l = n - 1; l > 0; --l) step<<<1, 32>>>(e, dt, l, user);
}
)cuda");
  EXPECT_THAT(
      yaml,
      HasSubstr("offset: {type: int, default: 0}  # FILL IN its value; in the program at first: offset"));
  EXPECT_THAT(yaml, HasSubstr("width: {type: int, default: 64}  # as in the program: width"));
  EXPECT_THAT(
      yaml,
      HasSubstr("padded: {type: int, default: 1}  # FILL IN its value; in the program at first: padded"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(padded + 255) // 256\"]  # line"));
  EXPECT_THAT(
      yaml, HasSubstr("steps: {type: int, default: 0}  # FILL IN its value; in the program at first: log2"));
  EXPECT_THAT(yaml, HasSubstr("block: [32]  # FILL IN work-items of a block; line 22: block"));
  EXPECT_THAT(yaml, HasSubstr("grid: [42]  # line"));
  EXPECT_THAT(
      yaml,
      HasSubstr("unknown: {type: int, default: 5}  # FILL IN its value; in the program at first: found"));
  EXPECT_THAT(yaml, HasSubstr("dt: {type: double, default: 1}  # FILL IN its value"));
  EXPECT_THAT(yaml, HasSubstr("l: {type: int, default: 1}  # FILL IN its value"));
  EXPECT_THAT(yaml, HasSubstr("user: {type: int, default: 7}  # as in the program: user"));
}

TEST_F(NewShapes, OfClassesHaveTheMembersOfTheirBases) {
  const std::string yaml = valid_draft(R"cuda(
struct Place { float x, y; };
struct Light : public Place { float power; int kind[2]; };
class Lamp : Light { public: double warm; float x; };
struct Plain : Unknown { int id; };
template <class T> struct Rows { const static size_t kSize = sizeof(T); T* data; inline static int made; int n; };
template <class T> struct Image : public Rows<T> { int rows; };
__global__ void by_value(const Image<float> image) { image.data[0] = image.rows; }
void run(Image<float> image) { by_value<<<1, 32>>>(image); }
struct Pair { Image<int> last, next; };
__global__ void both(const Pair pair) { pair.last.data[0] = pair.next.data[0]; }
void run(Pair pair) { both<<<1, 32>>>(pair); }
__global__ void k(Light* lights, const Lamp* lamps, Plain* p) { lights[0].power = lamps[0].warm * p->id; }
void run(Light* lights, Lamp* lamps, Plain* p) { k<<<1, 32>>>(lights, lamps, p); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("Light: {x: float, y: float, power: float, kind: \"int[2]\"}\n"));
  EXPECT_THAT(yaml, HasSubstr("Lamp: {x: float, y: float, power: float, kind: \"int[2]\", warm: double, x_: "
                              "float}\n"));
  EXPECT_THAT(yaml, HasSubstr("Plain: {id: int}\n"));
  EXPECT_THAT(
      yaml,
      HasSubstr("args: [{struct: [data, {value: elements, type: int}, {value: elements, type: int}]}]"));
}

TEST_F(NewShapes, OfVariablesThatTheHostCopiesAreTheirs) {
  const std::string yaml = valid_draft(R"cuda(
__device__ int width;
__device__ float table[4] = {1, 2, 3, 4};
__device__ unsigned counter, turns, masks;
__constant__ int first = 1, second, many[3 * 2];
__device__ float work[8], unset[2];
__constant__ float slope, offset_of, spare;
#define LINE(i) (slope * (i) + OFFSET)
#define OFFSET offset_of
#define UNUSED spare
__device__ int helper(int i) { return i % width & masks * first + second + many[i]; }
__global__ void k(float* out) {
  atomicAdd(&counter, 1u);
  turns += 1;
  work[threadIdx.x] = table[0];
  out[helper(threadIdx.x)] = table[1] + work[2] + unset[0] + LINE(2);
}
void run(float* out, const float* h, int w) {
  void* p; unsigned zero = 0;
  cudaMemcpyToSymbol(width, &w, sizeof(int));
  cudaMemcpyToSymbol(table, h, sizeof(table));
  cudaMemcpyToSymbol(counter, &zero, sizeof(zero));
  cudaMemcpyToSymbol(turns, &zero, sizeof(zero));
  cudaMemcpyToSymbol(masks, &w, sizeof(zero));
  cudaMemcpyToSymbol(work, h, sizeof(float));
  cudaGetSymbolAddress(&p, unset);
  k<<<1, 32>>>(out);
}
)cuda");
  EXPECT_THAT(
      yaml,
      HasSubstr("symbols: {many: many, masks: masks, offset_of: offset_of, second: second, slope: slope, "
                "table: table, width: width}\n"));
  EXPECT_THAT(yaml,
              HasSubstr("table: {type: float, shape: [4], init: {uniform: [0, 1]}}  # FILL IN content, for "
                        "a variable of the device"));
}

TEST_F(NewShapes, OfStructsWithSeveralArraysInADeclaration) {
  const std::string yaml = valid_draft(R"cuda(
typedef struct { int var[5]; double min[5], max[3], *data, one; unsigned long ndim; } Attributes;
__device__ double d_state;
__global__ void k(Attributes s, Attributes* a, double* o) {
  o[threadIdx.x] = s.min[0] * d_state + a[0].max[1];
  d_state = s.one;
}
void run(Attributes s, Attributes* a, double* o, double* h) {
  cudaMemcpyToSymbol(d_state, h, sizeof(double));
  k<<<1, 5>>>(s, a, o);
  cudaMemcpyFromSymbol(h, d_state, sizeof(double));
}
)cuda");
  EXPECT_THAT(
      yaml,
      HasSubstr("Attributes: {var: \"int[5]\", min: \"double[5]\", max: \"double[3]\", data: ulong, one: "
                "double, ndim: ulong}"));
  EXPECT_THAT(yaml, HasSubstr(", data, {value: 0, type: double}, {value: 0, type: ulong}]}, a, o]"));
  EXPECT_THAT(yaml, HasSubstr("symbols: {d_state: d_state}\n      read_symbols: {d_state: d_state}\n"));
}

/// Another block than the guessed one changes it.
TEST_F(NewShapes, OfBlocksThatAreGuessedMarkTheirGrids) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void k(double* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
__global__ void rows(double* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
void run(double* x, int n, int block_size) {
  int blocks = (n + block_size - 1) / block_size;
  k<<<blocks, block_size>>>(x, n);
  rows<<<n, block_size>>>(x, n);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(n + 256 - 1) // 256\"]  # FILL IN how many blocks; line 6"));
  EXPECT_THAT(yaml, HasSubstr("grid: [n]  # line 7: n\n"));
}

TEST_F(NewShapes, OfBlocksThatAreGuessedMarkTheirSharedMemory) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void sum(float* x, int n) { extern __shared__ float s[]; s[threadIdx.x] = x[0]; x[1] = s[0]; }
__global__ void all(float* y, int n) { extern __shared__ float s[]; s[threadIdx.x] = y[0]; y[1] = s[0]; }
void run(float* x, float* y, int n, int block_size) {
  sum<<<n, block_size, 6 * block_size * sizeof(float)>>>(x, n);
  all<<<n, block_size, 1024 * sizeof(float)>>>(y, n);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("shared: \"6 * 256 * 4\"  # FILL IN bytes of dynamic shared memory; line 5"));
  EXPECT_THAT(yaml, HasSubstr("shared: \"1024 * 4\"  # line 6"));
}

TEST_F(NewShapes, OfVariablesBehindMacrosOfAlignment) {
  const std::string yaml = valid_draft(R"cuda(
namespace tools {
TOOLS_BEGIN
namespace in {
#define ALIGNED(x) __align__(x)
__constant__ unsigned ALIGNED(16) keys[4], plain;
ALIGNED(8) __device__ float factors[2];
__global__ void k(ALIGNED(4) float* out) { out[threadIdx.x] = keys[threadIdx.x % 4] * factors[1] + plain; }
void run(float* out, const unsigned* h, const float* f) {
  cudaMemcpyToSymbol(keys, h, sizeof(keys));
  cudaMemcpyToSymbol(plain, h, sizeof(plain));
  cudaMemcpyToSymbol(factors, f, sizeof(factors));
  k<<<1, 32>>>(out);
}
}
TOOLS_END
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("    out: {type: float,"));
  EXPECT_THAT(yaml, HasSubstr("    keys: {type: unsigned, shape: [4],"));
  EXPECT_THAT(yaml, HasSubstr("    factors: {type: float, shape: [2],"));
  EXPECT_THAT(yaml, HasSubstr("symbols: {\"tools::in::factors\": factors, \"tools::in::keys\": keys, "
                              "\"tools::in::plain\": plain}\n"));
}

TEST_F(NewShapes, OfHelpersAndAssignmentsAreRead) {
  const std::string yaml = valid_draft(R"cuda(
#define DIV_UP(x, y) (((x) + (y) - 1) / (y))
constexpr size_t kCount{1000}, kThreads{128};
int up(int a, int b) { return a % b != 0 ? a / b + 1 : a / b; }
__global__ void first(float* a, int n) { a[0] = n; }
__global__ void second(float* b, int cols, int rows) { b[0] = cols; }
__global__ void third(float* c, size_t m) { c[0] = m; }
__global__ void fourth(float* d, int n) { extern __shared__ float s[]; d[0] = s[n]; }
__global__ void fifth(float* e, int n) { e[0] = n; }
__global__ void sixth(float* e, int n) { e[0] = n; }
struct Image { int cols, rows; };
void run(Image image, int n, float* a, float* b, float* d, float* e) {
  dim3 block(32, 8), grid{};
  grid.x = (image.cols + block.x - 1) / block.x;
  grid.y = (image.rows + block.y - 1) / block.y;
  first<<<up(n, 64), 64>>>(a, n);
  second<<<grid, block>>>(b, image.cols, image.rows);
  size_t bytes = static_cast<size_t>(n) * sizeof(float);
  fourth<<<DIV_UP(n, 64), 64, bytes>>>(d, n);
  fifth<<<1, (n + 1) / 2>>>(e, n);
  sixth<<<1, n / 4>>>(e, n);
}
void run_all(float* c) { third<<<(::kCount + ::kThreads - 1) / ::kThreads, ::kThreads>>>(c, ::kCount); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, n % 64 != 0 ? n // 64 + 1 : n // 64)\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(cols + 32 - 1) // 32\", \"(rows + 8 - 1) // 8\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("m: {type: long, default: 1000}  # as in the program: kCount"));
  EXPECT_THAT(yaml, HasSubstr("grid: [\"(m + 128 - 1) // 128\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [128]  # line"));
  EXPECT_THAT(yaml, HasSubstr("shared: \"n * 4\"  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [\"(n + 1) // 2\"]  # line"));
  EXPECT_THAT(yaml, HasSubstr("block: [\"max(1, n // 4)\"]  # line"));
}

TEST_F(NewShapes, OfNumbersThatOnlyTheHostHasAreParameters) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void norm(const float* x, float* y, float eps, int cols) { y[0] = x[cols] + eps; }
__global__ void blur(const float* in, float* out, int width, int height, int blur_size) { out[0] = in[width]; }
void run(const float* x, float* y, int rows, int cols, int channels, float eps) {
  norm<<<rows, 256>>>(x, y, eps, cols);
  dim3 block(16, 16, channels), grid((cols + 15) / 16, (rows + 15) / 16);
  blur<<<grid, block>>>(x, y, cols, rows, 2 * cols);
}
void unclear(float* y, int blocks) { norm<<<blocks, 256>>>(y, y, 1, 4); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("eps_: {type: float, default: 1e-5}  # FILL IN its value"));
  EXPECT_THAT(yaml, HasSubstr("rows: {type: int, default: 64}  # FILL IN how large, a number of the host"));
  EXPECT_THAT(yaml, HasSubstr("grid: [rows]  # line"));
  EXPECT_THAT(yaml, HasSubstr("x: {type: float, shape: [\"rows * cols\"], init"));
  EXPECT_THAT(yaml, HasSubstr("block: [16, 16, 1]  # FILL IN work-items of a block; line"));
  EXPECT_THAT(yaml, HasSubstr("blur_size: {type: int, default: 3}  # FILL IN its value"));
}

TEST_F(NewShapes, OfProductsAreAllLarge) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void gemm(const float* a, const float* b, float* c, int M, int N, int K, double eps, float inf) { c[0] = a[0] * b[0]; }
__global__ void __launch_bounds__(128, 2) tiles(const float* a, const float* b, float* c, int M, int N, int K) { c[0] = a[0]; }
const double kSmall = 0.25, kEps = kSmall;
void run(float* a, float* b, float* c, int M, int N, int K) { gemm<<<1, 64>>>(a, b, c, M, N, K, kEps, 9); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("K: {type: int, default: 64}  # FILL IN how large"));
  EXPECT_THAT(yaml, HasSubstr("eps_: {type: double, default: 0.25}  # as in the program: kEps"));
  EXPECT_THAT(yaml, HasSubstr("inf_: {type: float, default: 9}"));
  EXPECT_THAT(yaml, HasSubstr("block: [128]  # FILL IN work-items of a block"));
}

TEST_F(NewShapes, ContentIsWhatTheProgramCopiesAndClears) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void count(int* in, int* out, int* flags, float* seen, int n) { out[0] = in[n] + flags[0]; }
__global__ void vectors(unsigned* v, unsigned* w, int n) { w[0] = v[n]; }
int main() {
  int n = 100;
  int *in, *out, *flags; float* seen;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMalloc(&flags, n * sizeof(int));
  cudaMalloc(&seen, n * sizeof(float));
  int h_out = 1;
  h_out = 0;
  cudaMemcpy(out, &h_out, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(in, host, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(flags, 0, n * sizeof(int));
  cudaMemcpy(seen, other, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(seen, 0, n * sizeof(float));
  count<<<1, 64>>>(in, out, flags, seen, n);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  thrust::device_vector<unsigned> v(n + 1, 3), w(n);
  vectors<<<1, 64>>>(thrust::raw_pointer_cast(v.data()), thrust::raw_pointer_cast(&w[0]), n);
}
)cuda");
  EXPECT_THAT(yaml,
              HasSubstr("in: {type: int, shape: [n], init: {uniform: [0, 16]}}  # FILL IN shape, content; "));
  EXPECT_THAT(yaml, HasSubstr("out: {type: int, shape: [1], init: 0}  # FILL IN shape; "));
  EXPECT_THAT(yaml, HasSubstr("flags: {type: int, shape: [n], init: 0}  # FILL IN shape; "));
  EXPECT_THAT(
      yaml,
      HasSubstr("seen: {type: float, shape: [n], init: {uniform: [0, 1]}}  # FILL IN shape, content; "));
  EXPECT_THAT(yaml, HasSubstr("v: {type: unsigned, shape: [\"n + 1\"], init: 3}  # FILL IN shape; "));
  EXPECT_THAT(yaml, HasSubstr("args: [v, w, n]"));
}

TEST_F(NewShapes, ContentOfMemoryThatTheHostWritesIsGuessed) {
  const std::string yaml = valid_draft(R"cuda(
__global__ void count(int* in, int* out, int n) { out[0] = in[n]; }
int main() {
  int *in, *out, *more, n = 100;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  *out = 5;
  cudaMemcpy(more, in, 4, cudaMemcpyHostToDevice);
  count<<<1, 64>>>(in, out, n);
}
)cuda");
  EXPECT_THAT(yaml,
              HasSubstr("in: {type: int, shape: [n], init: {uniform: [0, 16]}}  # FILL IN shape, content; "));
  EXPECT_THAT(yaml, HasSubstr("out: {type: int, shape: [1], init: 5}  # FILL IN shape; "));
}

}  // namespace
}  // namespace kiln
