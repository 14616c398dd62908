// Work-items that take different ways at a barrier: those that are past it end, or wait, while the others go
// on.
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {
    {"LoopThatWorkItemsLeaveOneAfterTheOther",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, turns = 0;
  int left = t % 7 + blockIdx.x;
  float v = in[t];
  s[t] = v;
  while (left > 0) {
    __syncthreads();
    v += s[(t + left) % 64];
    left -= 1;
    turns++;
    __syncthreads();
    s[t] = v;
  }
  out[blockIdx.x * 64 + t] = v + turns * 1000 + left;
})",
     {64, 1, 1}},
    {"LoopsOfEachForm",
     R"(template <class T> __device__ T twice(T v) { return v + v; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  int sum = 0;
  s[t] = t;
  if (blockIdx.x == 0) {
    for (int i = t; i < 200; i += 40) {
      __syncthreads();
      sum += s[(t + i) % 96];
      __syncthreads();
      s[t] = sum + i;
    }
  } else {
    int i = t % 5;
    do {
      __syncthreads();
      sum += s[95 - t] * i;
      __syncthreads();
      s[t] += twice(sum % 9);
    } while (--i > 0);
  }
  out[blockIdx.x * 96 + t] = sum + s[t];
})",
     {96, 1, 1}},
    {"BranchesOfSomeWorkItems",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, steps = 0, x = 1;
  float v = in[blockIdx.x * 64 + t];
  s[t] = v;
  __syncthreads();
  if (t >= 16 && t < 48) {
    int rounds = 3;
    for (int step = 16; step > 0; step /= 2) {
      v = s[t ^ (step % 16)];
      __syncthreads();
      s[t] += v;
      __syncthreads();
      steps = steps + rounds;
    }
    if (t == 20) return;
    x = 2;
  } else {
    v -= 1.0f;
    x = x + 2;
  }
  out[blockIdx.x * 64 + t] = v + s[t] + steps + x;
})",
     {64, 1, 1}},
    {"BreakOfSomeWorkItems",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, last = -1;
  float v = in[t];
  for (int i = 0; i < 12; ++i) {
    if (i > t % 9) break;
    s[t] = v;
    last = i;
    __syncthreads();
    if (t == 40 && i == 2) {
      v = -5.0f;
      break;
    }
    v += s[(t * 3 + i) % 64] * 0.5f;
    if (t == 41 && i == 3) return;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = v + last * 100;
})",
     {64, 1, 1}},
    {"LoopWithoutACondition",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int s[40];
  int t = threadIdx.x, turns = 0;
  for (;;) {
    s[t] = turns * t;
    __syncthreads();
    turns += 1 + (s[39 - t] & 1);
    if (turns > t) {
      out[blockIdx.x * 40 + t] = turns;
      return;
    }
    __syncthreads();
  }
})",
     {40, 1, 1}},
    {"ContinueOfSomeWorkItems",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[6][64];
  int t = threadIdx.x, rest = 0, at = 3;
  float v = in[t];
  for (int i = 0, j = 0; i < 6; ++i, ++at) {
    int here = i * 2;
    s[i][t] = v + here;
    __syncthreads();
    v = s[i][63 - t];
    if ((t + i) % 3 == 0) continue;
    here += 1;
    j += 2;
    v += here + j;
    if (t % 2 == 0) {
      rest++;
      continue;
    }
    v *= 0.5f;
  }
  __syncthreads();
  s[0][t] = v;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[0][t ^ 9] + rest * 1000 + at;
})",
     {64, 1, 1}},
    {"ContinueOfSomeAndBreakOfTheOthers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[8][32];
  int t = threadIdx.x, turn = 0;
  float v = in[t];
  for (int i = 0; i < 8; ++i) s[i][t] = i;
  __syncthreads();
  while (true) {
    s[turn][t] = v;
    __syncthreads();
    v += s[turn][31 - t] * 0.25f;
    turn++;
    if (t % 4 != 0 && turn < 4) continue;
    if (turn > 2 || n > 5) break;
  }
  out[blockIdx.x * 32 + t] = v + turn * 64;
})",
     {32, 1, 1}},
    {"BreakThatAllAgreeUpon",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int done;
  __shared__ float s[64];
  int t = threadIdx.x, turns = 0;
  float v = in[t];
  if (t == 0) done = 0;
  __syncthreads();
  for (int i = 0; i < 100; ++i) {
    if (done != 0) break;
    turns++;
    s[t] = v + i;
    __syncthreads();
    v = s[(t + 5) % 64];
    if (t == i && i > 6) done = 1;
    __syncthreads();
  }
  __syncthreads();
  s[t] = v;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[63 - t] + turns * 1000;
})",
     {64, 1, 1}},
    {"FunctionsWithBarriersInLoopsThatDiffer",
     R"(__device__ float turn(float* s, float v, int t) {
  s[t] = v;
  __syncthreads();
  float r = s[63 - t];
  __syncthreads();
  if (t == 3 && v > 0.0f) return -1.0f;
  return r;
}
__device__ float some(float* s, float v, int t) {
  if (t % 5 == 0) {
    v = turn(s, v, t);
    if (t == 10) return 7.0f;
    v -= 1.0f;
  }
  return v;
}
__device__ float rest(float* s, float v, int t) {
  for (int i = t; i < 150; i += 50) {
    v += turn(s, v, t) * 0.5f;
  }
  return v;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[63 - t] = 1.0f;
  __syncthreads();
  float v = in[t];
  if (blockIdx.x == 0)
    v = rest(s, v, t);
  else
    v = some(s, v, t);
  out[blockIdx.x * 64 + t] = v;
})",
     {64, 1, 1}},
    {"WarpOperationsInLoopsThatDiffer",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[96];
  int t = threadIdx.x, lane = t % 32, turns = 0;
  float v = in[t];
  int left = t / 32 + 1;
  s[t] = v;
  while (left > 0) {
    __syncthreads();
    float w = __shfl_xor_sync(0xffffffffu, s[(t + 31) % 96], 3);
    for (int o = 16; o > 0; o /= 2) w += __shfl_down_sync(0xffffffffu, w, o) * 0.125f;
    v += w;
    __syncthreads();
    turns++;
    left--;
    s[t] = v;
  }
  out[blockIdx.x * 96 + t] = v + turns * 1000 + lane;
})",
     {96, 1, 1}},
    {"JumpsInLoopsBesideWarpOperations",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[96];
  int t = threadIdx.x, lane = t % 32, last = 0;
  float v = in[t];
  s[t] = __shfl_xor_sync(0xffffffffu, v, 3);
  out[blockIdx.x * 96 + t] = -3.0f;
  for (int i = 0; i < 40; i++) {
    if (i > t % 50) break;
    __syncthreads();
    last = i;
    v += s[(t + i) % 96];
    if (lane == i && lane > 20) return;
    if (t / 32 == 1 && i == 9) break;
    if (t > 70 && i == 3) {
      v += 5.0f;
      continue;
    }
    v += 0.5f;
  }
  out[blockIdx.x * 96 + t] = v + last * 1000;
})",
     {96, 1, 1}},
    {"SwitchThatDiffers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, x = 0;
  float v = in[t];
  s[t] = v;
  __syncthreads();
  switch (t % 4) {
    case 1:
      x = 3;
      break;
    case 0:
    case 3:
      for (int i = 1; i < 8; i *= 2) {
        v += s[(t / 4 * 4 + i * 4) % 64];
        __syncthreads();
        s[t] = v;
        __syncthreads();
        x += 1;
      }
      if (t == 8) return;
      break;
    default:
      v = -1.0f;
  }
  out[blockIdx.x * 64 + t] = v + x * 1000;
})",
     {64, 1, 1}},
    // Work-items that go past a barrier in the last turns of a loop end.
    {"BranchesOfSomeInTheLastTurn",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  float v = 0;
  for (int b = 0; b < 4; ++b) {
    const int i = b * 64 + t;
    if (i < 220) {
      s[t] = in[i] + v;
      __syncthreads();
      v += s[t ^ 1];
      __syncthreads();
    }
  }
  out[blockIdx.x * 64 + t] = v;
})",
     {64, 1, 1}},
    {"ContinueInFrontOfABarrier",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, turns = 0;
  float v = 0;
  for (int b = 0; b < 4; ++b) {
    const int i = b * 64 + t;
    if (i >= 220) {
      turns = -1;
      continue;
    }
    s[t] = in[i] + v;
    __syncthreads();
    v += s[t ^ 1];
    turns++;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = v + turns * 1000;
})",
     {64, 1, 1}},
    {"BreakInALoopOfTheLastTurn",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[96];
  int t = threadIdx.x, turns = 0;
  float v = in[t];
  for (int b = 0; b < 3; ++b) {
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    for (int i = 0; i < 4; ++i) {
      s[t] = v;
      __syncthreads();
      v = v * 0.5f + s[95 - t];
      if (b == 2 && i > t % 3) break;
      __syncthreads();
      turns++;
    }
  }
  out[blockIdx.x * 96 + t] = v + turns * 1000;
})",
     {96, 1, 1}},
    {"JumpsOfThoseThatGoPastABarrier",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[128], own[128];
  const int x = threadIdx.x, y = threadIdx.y, t = x + y * blockDim.x;
  int done = 0;
  float v = in[t];
  for (int b = 0; b < 5; ++b) {
    if (b * 8 + y < 37) {
      s[t] = v;
      __syncthreads();
      v += s[(y ^ 1) * 16 + x];
      __syncthreads();
      if (x == 3 && b == 4) return;
    } else {
      break;
    }
  }
  for (int b = 0; b < 6; ++b) {
    if (done || (b > 3 && t % 3 == 0)) {
      done = 1;
      v += 1;
      continue;
    }
    if (b > 5) {
      v -= 1;
    } else {
      own[t] = v;
      if (n > 1000000) __syncthreads();
      v += own[t] * 0.25f;
      if (t % 5 == 1) continue;
    }
    v += b;
  }
  out[blockIdx.x * 128 + t] = v + done * 1000;
})",
     {16, 8, 1}},
    // A barrier that no work-item comes to was not missed.
    {"BarrierThatNoneComesTo",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float v = in[t];
  if (t < 32) {
    v += 1;
    if (n > 1000000) __syncthreads();
  }
  if (n > 3) {
    s[t] = v;
    __syncthreads();
    v += s[63 - t];
  }
  out[blockIdx.x * 64 + t] = v;
})",
     {64, 1, 1}},
    {"ContinueInFrontOfABarrierRunsAsFibers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  float v = in[t];
  for (int i = 0; i < 4; ++i) {
    s[t] = v;
    if (in[i] > 1.0e6f + t) continue;
    __syncthreads();
    v += s[31 - t];
    __syncthreads();
  }
  s[t] = v;
  __syncthreads();
  out[t] = s[31 - t];
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "'continue' in front of a barrier, under a condition that may differ between work-items (kernel.cu:7)"},
};

INSTANTIATE_TEST_SUITE_P(Partings, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

}  // namespace
}  // namespace kiln::test
