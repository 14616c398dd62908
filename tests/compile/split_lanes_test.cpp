// Kernels that rely on the lanes of a warp running in step give what a GPU gives, split and as fibers;
// kernels that do not rely on it are left as they are.
#include "compile/cpu/warp_steps.h"
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {
    // No barrier at all: each lane stores a column of a tile, and reads a row.
    {"PointersToSharedMemoryInFunctions",
     R"(__device__ void scan_in_place(float* v0, int step) {
  float* v1 = v0 + step;
  float* v2 = v1 + step;
  float* v3 = v2 + step;
  const float a = *v0, b = *v1, c = *v2, d = *v3;
  (*v0) = a;
  (*v1) = a + b;
  (*v2) = a + b + c;
  (*v3) = a + b + c + d;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float tiles[16 * 16];
  if (blockIdx.x * 256 + 255 >= n) return;
  const int offset = threadIdx.y * 16 + threadIdx.x;
  in += blockIdx.x * 256 + offset;
  out += blockIdx.x * 256 + offset;
  float* column = tiles + offset;
  for (int i = 0; i < 4; ++i) column[i * 4] = in[i * 4];
  scan_in_place(column - threadIdx.x + 4 * threadIdx.x, 1);
  scan_in_place(column, 4);
  float expected = 0.0f;
  for (int r = 0; r < 4; ++r) {
    expected = 0.0f;
    for (int y = 0; y <= r; ++y) {
      for (int x = 0; x <= threadIdx.x; ++x) expected += in[y * 4 + x - (int)threadIdx.x];
    }
    out[r * 4] = fabsf(column[r * 4] - expected) < 0.01f ? expected : 0.0f / (n - n);
  }
})",
     {4, 16, 1}},
    {"ElementsByAnOperatorOfAClass",
     R"(namespace hash { __shared__ int words[4 * 6 * 25]; }
using namespace hash;
struct State {
  int warp, group;
  __device__ int& operator()(int row, int column) { return words[((warp * 6 + group) * 5 + row) * 5 + column]; }
  __device__ void put(int index, int value) { (*this)(index / 5, index % 5) = value; }
};
__device__ void absorb(State state, int seed) {
  const int lane = threadIdx.x % 32, lane5 = lane % 5;
  for (int i = 0; i < 5; ++i) state(i, lane5) = lane5 + 5 * i < 8 ? seed + lane5 + 5 * i : 0;
  if (lane5 == 0) {
    state.put(8, 77);
    state.put(16, 99);
  }
}
__device__ void permute(State state) {
  const int lane5 = threadIdx.x % 32 % 5, next = (lane5 + 1) % 5, other = lane5 * 2 % 5;
  for (int turn = 0; turn < 6; ++turn) {
    int s[5];
    int sum = 0;
    for (int i = 0; i < 5; ++i) {
      s[i] = state(i, lane5);
      sum ^= s[i];
    }
    state(0, lane5) = sum;
    const int mixed = state(0, next) * 3 % 1009;
    s[0] ^= mixed;
    for (int i = 1; i < 5; ++i) {
      s[i] ^= mixed;
      state(i, lane5) = s[i];
      s[i] = state(i, (lane5 + i) % 5);
    }
    for (int i = 0; i < 5; ++i) state(other, i) = s[i] + (s[(i + 1) % 5] & turn);
  }
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  const int lane = threadIdx.x % 32, group = lane / 5, lane5 = lane % 5;
  State state{(int)threadIdx.x / 32, group};
  if (group < 6) {
    absorb(state, 10 * group);
    permute(state);
  }
  int v[25], s[25];
  for (int i = 0; i < 25; ++i) v[i] = i < 8 ? 10 * group + i : 0;
  v[8] = 77;
  v[16] = 99;
  for (int turn = 0; turn < 6; ++turn) {
    int sums[5];
    for (int c = 0; c < 5; ++c) sums[c] = v[c] ^ v[5 + c] ^ v[10 + c] ^ v[15 + c] ^ v[20 + c];
    for (int c = 0; c < 5; ++c) {
      for (int i = 0; i < 5; ++i) s[5 * i + c] = v[5 * i + c] ^ sums[(c + 1) % 5] * 3 % 1009;
    }
    for (int c = 0; c < 5; ++c) {
      for (int i = 0; i < 5; ++i) {
        const int j = (i + 1) % 5;
        v[c * 2 % 5 * 5 + i] = s[5 * i + (c + i) % 5] + (s[5 * j + (c + j) % 5] & turn);
      }
    }
  }
  bool right = true;
  if (group < 6) {
    for (int i = 0; i < 5; ++i) right = right && state(i, lane5) == v[5 * i + lane5];
  }
  out[blockIdx.x * 64 + threadIdx.x] = right ? lane5 : 0.0f / (n - n);
})",
     {64, 1, 1}},
    {"GlobalMemoryThatABlockShares",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  const int t = threadIdx.x;
  float* sums = out + blockIdx.x * 64;
  sums[t] = t;
  __syncthreads();
  int stride = 1;
  const int last = n < 0 ? 16 : 32;
  for (stride = 1; stride < last; stride *= 2) {
    if (t + stride < last) atomicAdd(&(sums[t + stride]), sums[t]);
    __syncthreads();
  }
  if (t < 32 && sums[t] != t * (t + 1) / 2) sums[t] = 0.0f / (n - n);
})",
     {64, 1, 1}},
    {"ElementsOfPointers",
     R"(__device__ void last_rounds(float* s, int t) {
  float* mine = s + t;
  if (t < 32) {
    *mine += mine[32];
    *mine += mine[16];
    *mine = *mine + *(mine + 8);
    *mine += mine[4];
    *mine += mine[2];
    *mine += mine[1];
  }
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  last_rounds(s, t);
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 64; ++i) sum += in[blockIdx.x * 64 + i];
  out[blockIdx.x * 64 + t] = fabsf(s[0] - sum) < 0.01f ? t : 0.0f / (n - n);
})",
     {64, 1, 1}},
    {"ConditionsOfLoops",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  int turns = 0, more = 0, last = 0;
  if (t < 32) {
    while (s[(t + 1) % 32] < 5) {
      s[t] += 1;
      ++turns;
    }
    for (int i = 0; s[(t + 3) % 32] < 9 + i; ++i) {
      s[t] += 2;
      ++more;
    }
    do {
      s[t] += 1;
      ++last;
    } while (s[(t + 31) % 32] < 20);
  }
  const bool right = t >= 32 || (turns == 5 && more == 4 && last == 7);
  out[blockIdx.x * 64 + t] = right ? t : 0.0f / (n - n);
})",
     {64, 1, 1}},
    {"LimitsThatAreVariables",
     R"(template <int C> __device__ void turn(float* s, const int* order, int id) {
  if (id < C) s[order[id]] = s[id];
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64], v[64];
  __shared__ int order[64];
  const int t = threadIdx.x;
  s[t] = v[t] = t;
  order[t] = (t * 5 + 3) % 16;
  int few = 4;
  for (int i = 0; i < 2; ++i) few *= n > i ? 2 : 1;
  __syncthreads();
  if (t < few) s[15 - t] = s[t];
  turn<16>(v, order, t);
  __syncthreads();
  float wrong = 0.0f;
  if (t < 16 && (s[t] != 15 - t || v[(t * 5 + 3) % 16] != t)) wrong += 1.0f;
  out[blockIdx.x * 64 + t] = wrong == 0.0f ? t : 0.0f / (n - n);
})",
     {64, 1, 1}},
    // One element of memory is the same for all lanes of a warp.
    {"ALimitInMemory",
     R"(__constant__ int ends[4] = {64, 96, 128, 256};
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int sums[4 * 48];
  int lane, warp, at, begin, end;
  lane = threadIdx.x & 31;
  warp = threadIdx.x / 32;
  at = warp * 48 + lane;
  sums[at] = 0;
  __syncwarp();
  at += 16;
  begin = 0;
  if (warp > 0) begin = ends[warp - 1];
  end = ends[warp];
  for (int i = begin + lane; i < end; i += 32) {
    sums[at] = lane + 1;
    __syncwarp();
    sums[at] += sums[at - 1];
    __syncwarp();
    sums[at] += sums[at - 2];
    __syncwarp();
    sums[at] += sums[at - 4];
    __syncwarp();
    sums[at] += sums[at - 8];
    __syncwarp();
    sums[at] += sums[at - 16];
    __syncwarp();
    out[blockIdx.x * 256 + i] =
        sums[at] == (lane + 1) * (lane + 2) / 2 ? sums[at] : 0.0f / (n - n);
    __syncwarp();
  }
})",
     {128, 1, 1}},
};

INSTANTIATE_TEST_SUITE_P(Lanes, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

/// The block's shape has to be known when the code is compiled.
TEST(LanesInStep, OfABlockOfOneWarpInGlobalMemory) {
  constexpr const char* kText = R"(
extern "C" __global__ void k(float* v) {
  const int t = threadIdx.x, first = blockIdx.x * 32;
  v[first + 31 - t] = v[first + t];
  const float left = t > 0 ? v[first + t - 1] : 0.0f;
  v[first + t] += left;
})";
  CpuKernels kernels;
  std::vector<float> expected(64), in(64);
  for (int i = 0; i < 64; ++i) in[i] = static_cast<float>(i * i % 37);
  for (int i = 0; i < 64; ++i) {
    const int turned = i / 32 * 32 + 31 - i % 32;
    expected[i] = in[turned] + (i % 32 > 0 ? in[turned + 1] : 0.0F);
  }
  for (const char* option : {"-DPLAIN", "-DKILN_FIBERS"}) {
    Specialization unit = kernels.specialize(kText, "k");
    unit.options = {option};
    unit.entries[0].fixed_block = Dim3{32, 1, 1};
    std::vector<float> out = in;
    kernels.run(kernels.build(unit), {{2, 1, 1}, {32, 1, 1}, 0}, out.data());
    EXPECT_EQ(out, expected) << option;
  }
}

/// Kernels that are right without any order of lanes between their barriers.
struct PlainCase {
  const char* name;
  const char* text;
  Dim3 block;
};

void PrintTo(const PlainCase& test, std::ostream* stream) {
  *stream << test.name;
}

const PlainCase kPlain[] = {
    {"MatrixProduct",
     R"(__global__ void k(float* c, const float* a, const float* b, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int m = 0; m < n / 16; ++m) {
    as[ty][tx] = a[row * n + m * 16 + tx];
    bs[ty][tx] = b[(m * 16 + ty) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
})",
     {16, 16, 1}},
    {"EdgesOfATile",
     R"(__global__ void k(float* out, const float* in, int n) {
  extern __shared__ float tile[];
  const int x = threadIdx.x, y = threadIdx.y, w = blockDim.x + 2;
  tile[(y + 1) * w + x + 1] = in[y * n + x];
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      if (dx == 0 && dy == 0) continue;
      tile[(y + dy + 1) * w + x + dx + 1] = in[(y + dy) * n + x + dx];
    }
  }
  __syncthreads();
  out[y * n + x] = tile[y * w + x] + tile[(y + 2) * w + x + 2];
})",
     {16, 16, 1}},
    {"BitonicSort",
     R"(__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int size = 2; size <= 256; size *= 2) {
    for (int j = size / 2; j > 0; j /= 2) {
      const int other = t ^ j;
      if (other > t) {
        const bool up = (t & size) == 0;
        if ((s[t] > s[other]) == up) {
          const float kept = s[t];
          s[t] = s[other];
          s[other] = kept;
        }
      }
      __syncthreads();
    }
  }
  out[t] = s[t];
})",
     {256, 1, 1}},
    {"ButterfliesWithKnownStrides",
     R"(#define HALF 4
__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[128];
  const int t = threadIdx.x, i = t / HALF * 2 * HALF + t % HALF;
  s[t] = in[t];
  s[t + 64] = in[t + 64];
  __syncthreads();
  const float a = s[i], b = s[i + HALF];
  s[i] = a + b;
  s[i + HALF] = a - b;
  __syncthreads();
  out[t] = s[t] + s[t + 64];
})",
     {64, 1, 1}},
    {"ReductionByATree",
     R"(__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[t] + in[t + blockDim.x];
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
})",
     {256, 1, 1}},
    {"RowsOfLanesWithoutABarrier",
     R"(__device__ float top(const float* stack, int depth) { return stack[depth - 1]; }
__global__ void k(float* out, const float* in, int n) {
  extern __shared__ float all[];
  __shared__ float columns[8][64];
  __shared__ int marks[64 * 5];
  const int t = threadIdx.x;
  float* stack = &all[t * n];
  int depth = 0;
  for (int i = 0; i < n; ++i) {
    stack[depth++] = in[t + i];
    if (in[i] < 0.0f) --depth;
    columns[i % 8][t] = in[i];
    columns[(i + 1) % 8][t] += columns[i % 8][t];
    marks[t * 5 + i % 5] = depth;
  }
  for (int i = 1; i < 5; ++i) marks[t * 5] += marks[t * 5 + i];
  out[t] = top(stack, depth) + columns[0][t] + marks[t * 5];
})",
     {64, 1, 1}},
    {"AddressesAreNoAccesses",
     R"(__device__ void exchange(float** r, float** s) {
  float* kept = *r;
  *r = *s;
  *s = kept;
}
__global__ void k(float* out, const float* in, int n) {
  extern __shared__ float all[];
  float* a = &all[0];
  float* b = &all[n];
  if (threadIdx.x == 0) a[0] = in[0];
  __syncthreads();
  exchange(&a, &b);
  out[threadIdx.x] = b[0];
})",
     {64, 1, 1}},
    {"PrivateArraysInFunctions",
     R"(__device__ void pack(unsigned* mask, int n) {
  int to = 0;
  for (int i = 0; i < n; i += 2) {
    const unsigned first = mask[i], second = mask[i + 1];
    mask[to] = 0;
    if (first > second) mask[to] |= 1u;
    ++to;
  }
}
__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  unsigned mask[8] = {};
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  pack(mask, 8);
  out[threadIdx.x] = mask[0] + s[63 - threadIdx.x];
})",
     {64, 1, 1}},
    {"GlobalMemoryOfManyBlocks",
     R"(__global__ void k(float* u, const float* f, int n, int color) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1 && (i + color) % 2 == 0) u[i] = 0.5f * (u[i - 1] + u[i + 1] - f[i]);
})",
     {256, 1, 1}},
    {"AlternatingBuffers",
     R"(__global__ void k(float* out, const float* in, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x;
  int to = 0, from = 1;
  s[t] = in[t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    to = 1 - to;
    from = 1 - to;
    s[to * n + t] = t >= d ? s[from * n + t] + s[from * n + t - d] : s[from * n + t];
    __syncthreads();
  }
  out[t] = s[to * n + t];
})",
     {256, 1, 1}},
};

class PlainKernels : public ::testing::TestWithParam<PlainCase> {};

TEST_P(PlainKernels, HaveNoSteps) {
  for (const bool known : {true, false}) {
    Specialization unit;
    unit.entries.push_back({"k", known ? std::optional(GetParam().block) : std::nullopt, ""});
    const Outline text = outline(GetParam().text);
    std::string found;
    for (const TextEdit& edit : mark_warp_steps(text, unit_lanes(unit, {&text})))
      found += std::string(GetParam().text).substr(edit.offset, 40) + "\n";
    EXPECT_EQ(found, "") << (known ? "block known" : "block not known");
  }
}

INSTANTIATE_TEST_SUITE_P(Lanes, PlainKernels, ::testing::ValuesIn(kPlain),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace kiln::test
