// Arrays, arrays of arrays and pointers of a work-item in kernels that are split at their barriers.
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {
    {"ArraysOfArraysAsArguments",
     R"(template <typename T, int ROWS, int COLUMNS>
__device__ void load(const T* source, T values[ROWS][COLUMNS], T const scale[COLUMNS]) {
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c)
      values[r][c] = __shfl_xor_sync(0xffffffffu, source[r * COLUMNS + c], c + 1) * scale[c];
}
template <typename T, int ROWS, int COLUMNS, int DEEP>
__device__ void mix(T const values[ROWS][COLUMNS], T (*result)[COLUMNS][DEEP]) {
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c)
      for (int d = 0; d < DEEP; ++d) result[r][c][d] += __shfl_down_sync(0xffffffffu, values[r][c], d);
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float tile[2][64];
  float values[2][3] = {0.0f}, result[2][3][4] = {0.0f};
  const float scale[3] = {1.0f, 0.5f, 2.0f};
  int t = threadIdx.x;
  for (int step = 0; step < 3; ++step) {
    load<float, 2, 3>(in + t + step, values, scale);
    tile[step % 2][t] = values[1][2];
    __syncthreads();
    values[0][1] += tile[step % 2][63 - t];
    mix<float, 2, 3, 4>(values, result);
    __syncthreads();
  }
  float sum = 0.0f;
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 3; ++c)
      for (int d = 0; d < 4; ++d) sum = sum * 0.75f + result[r][c][d];
  out[blockIdx.x * 64 + t] = sum;
})",
     {64, 1, 1}},
    {"AVariableNamedAsATile",
     R"(template <typename T, int N>
__device__ void take(T const thread_block_tile[N], T values[2][N / 2], int first) {
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < N / 2; ++c) values[r][c] = thread_block_tile[(first + r * (N / 2) + c) % N];
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float tile[4][32];
  float values[2][16] = {0.0f}, sum = 0.0f;
  int t = threadIdx.x;
  for (int step = 0; step < 2; ++step) {
    for (int r = 0; r < 4; ++r) tile[r][t] = in[t + 32 * r + step];
    __syncthreads();
    for (int r = 0; r < 4; ++r) {
      take<float, 32>(tile[r], values, t);
      for (int c = 0; c < 16; ++c) sum = sum * 0.5f + values[0][c] * values[1][15 - c];
    }
    __syncthreads();
  }
  out[blockIdx.x * 32 + t] = sum;
})",
     {32, 1, 1}},
    {"ArraysByReference",
     R"(template <int N>
__device__ float turn(float (&values)[N], const float (&other)[2][N]) {
  float sum = 0.0f;
  for (int i = 0; i < N; ++i) {
    values[i] = __shfl_xor_sync(0xffffffffu, values[i], i) + other[i % 2][i];
    sum += values[i];
  }
  return sum;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  float values[4], other[2][4];
  int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    values[i] = in[t + i];
    other[0][i] = other[1][i] = in[2 * t + i];
  }
  __syncthreads();
  float sum = turn<4>(values, other);
  __syncthreads();
  out[blockIdx.x * 64 + t] = sum + values[t % 4] - other[1][2];
})",
     {64, 1, 1}},
    {"PointersToRows",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[2][64];
  float values[3][4];
  float (*rows)[4] = values;
  float (&last)[4] = values[2];
  float* row = values[1];
  int t = threadIdx.x;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 4; ++c) values[r][c] = in[t + 4 * r + c];
  row += t % 2;
  float (*shared)[64] = s;
  shared[t % 2][t] = *row;
  __syncthreads();
  rows += 1;
  row[1] += s[t % 2][t ^ 2];
  last[3] = rows[0][2] * 2.0f;
  __syncthreads();
  out[blockIdx.x * 64 + t] = row[0] + rows[1][3] + (*rows)[1] + last[t % 4];
})",
     {64, 1, 1}},
    {"PointersToWhatOneLoopDeclares",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float first[4] = {in[t], in[t + 1], in[t + 2], in[t + 3]};
  float second[4] = {in[t] * 2, 1.0f, 2.0f, 3.0f};
  float single = in[t + 7] * 3.0f;
  float* p = first;
  float* q;
  float* alone = &single;
  q = in[t] > 0.0f ? second : first;
  p += t % 3;
  alone += 0 * t;
  s[t] = *p;
  __syncthreads();
  *p += s[63 - t];
  q[1] += 1.0f;
  *alone += s[t ^ 1];
  __syncthreads();
  out[blockIdx.x * 64 + t] = p[1] * 0.5f + q[0] + q[1] + *alone;
})",
     {64, 1, 1}},
};

INSTANTIATE_TEST_SUITE_P(Arrays, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

}  // namespace
}  // namespace kiln::test
