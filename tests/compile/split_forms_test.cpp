// Switches and lambdas around barriers in kernels that are split.
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {
    // As macros and translated `asm` write it.
    {"VariableInBracketsThatIsAssigned",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int i = threadIdx.x;
  {
    float r = 0.0f;
    (r) = __shfl_sync(0xffffffffu, in[i], 2 + (i & 5));
    out[blockIdx.x * 64 + i] = r;
  }
  {
    unsigned r = 0;
    ((r)) = __match_any_sync(0xffffffffu, i % 4);
    __syncthreads();
    out[blockIdx.x * 64 + i] += r % 97u;
  }
})",
     {64, 1, 1}},
    {"ArrayThatIsWrittenByACastOfItsAddress",
     R"(struct Pair { float a, b; };
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float own[2][2];
  s[t] = in[t] * 2.0f;
  __syncthreads();
  own[0][0] = own[0][1] = own[1][0] = 1.0f;
  __syncthreads();
  if (t < 60) {
    reinterpret_cast<Pair*>(&own)[0] = Pair{s[63 - t], s[t]};
    reinterpret_cast<Pair*>(&own)[1] = Pair{s[t ^ 5], 1.0f};
  }
  __syncthreads();
  out[blockIdx.x * 64 + t] = own[0][0] + 2.0f * own[0][1] + 4.0f * own[1][0];
})",
     {64, 1, 1}},
    {"AFunctionThatWaitsAsAValue",
     R"(__device__ __forceinline__ void up(float* v, int lane) {
  for (int i = 1; i < 32; i *= 2) {
    const float other = __shfl_up_sync(0xffffffffu, v[0], i);
    if (lane >= i) v[0] += other;
  }
}
__device__ __forceinline__ float scanned(float x, void (*how)(float*, int)) {
  float v[1] = {x};
  (*how)(v, threadIdx.x % 32);
  __syncthreads();
  return v[0];
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  const float v = scanned(threadIdx.x + 1.0f, up);
  const float lane = threadIdx.x % 32 + 1, first = threadIdx.x - (lane - 1);
  out[blockIdx.x * 64 + threadIdx.x] = v == lane * (lane + 1) / 2 + lane * first ? v : NAN;
})",
     {64, 1, 1},
     {2, 1, 1},
     0,
     "'up', a function that waits, as a value"},
    {"AFunctionThatWaitsAsAnArgumentOfATemplate",
     R"(typedef float (*warp_function)(float);
__device__ float largest(float v) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}
template <warp_function reduce>
__device__ float of_block(float v) {
  __shared__ float part[2];
  const float w = reduce(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = w;
  __syncthreads();
  return fmaxf(part[0], part[1]);
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  out[blockIdx.x * 64 + threadIdx.x] = of_block<largest>(threadIdx.x * 37 % 64) == 63.0f ? 1.0f : NAN;
})",
     {64, 1, 1},
     {2, 1, 1},
     0,
     "'largest', a function that waits, as a value"},
    {"SwitchOfTheBlock",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float v = in[t];
  for (int step = 0; step < 6; ++step) {
    switch ((step + blockIdx.x) % 4) {
      case 0:
      case 2: {
        s[t] = v * 2.0f;
        __syncthreads();
        v = s[63 - t];
        break;
      }
      case 1:
        s[t] = v;
        __syncthreads();
        if (t > 3) v += s[t - 3];
        __syncthreads();
        continue;
      default:
        s[t] = v - 1.0f;
        __syncthreads();
        v = s[t ^ 5] + step;
    }
    __syncthreads();
    v += 0.25f;
  }
  out[blockIdx.x * 64 + t] = v;
})",
     {64, 1, 1}},
    {"SwitchOfAValueInMemory",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  const int* modes = reinterpret_cast<const int*>(in);
  float v = t;
  switch (modes[n - n] & 1 ? t - t + 7 : n - n + 3) {
    case 7: s[t] = v; __syncthreads(); v = s[31 - t]; break;
    case 3: s[t] = v * 3; __syncthreads(); v = s[t / 2]; break;
  }
  out[blockIdx.x * 32 + t] = v;
})",
     {32, 1, 1}},
    {"SwitchOfLanes",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int t = threadIdx.x, lane = t % 32;
  float v = in[t];
  switch (lane / 8) {
    case 0:
      v += __shfl_xor_sync(0x000000ffu, v, 1);
      break;
    case 1:
    case 3:
      v -= __shfl_xor_sync(0xff00ff00u, v, 4);
      if (lane == 30) return;
      break;
    default:
      v *= 2.0f;
  }
  switch (t / 32) {
    case 0: v += __shfl_down_sync(0xbfffffffu, v, 1); break;
    default: v -= __shfl_up_sync(0xbfffffffu, v, 2);
  }
  out[blockIdx.x * 64 + t] = v;
})",
     {64, 1, 1}},
    {"SwitchThatFallsThroughRunsAsFibers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  float v = in[t];
  switch (n % 3) {
    case 0: v += 1.0f;
    case 1: s[t] = v; __syncthreads(); v = s[31 - t]; break;
    default: v = 0.0f;
  }
  out[t] = v;
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "fall through"},
    {"LambdasOfBarriers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  float v = in[t];
  auto sync = [&] { __syncthreads(); };
  auto turn = [&](float x, int by) {
    s[t] = x;
    sync();
    int other = (t + by) % 64;
    float y = s[other];
    sync();
    return y;
  };
  v = turn(v, 3) + 0.5f * turn(v * 2.0f, 5);
  float w = turn(turn(v, 1), 2);
  if (n > 5) turn(w, 7);
  if (turn(1.0f, 4) > 0.0f) v += turn(w, 9);
  sync();
  out[blockIdx.x * 64 + t] = v - w;
})",
     {64, 1, 1}},
    {"LambdasOfWarps",
     R"(template <class T, int WIDTH>
__device__ T total(T value) {
  auto step = [](T v, int o) -> T { return v + __shfl_xor_sync(0xffffffffu, v, o); };
  for (int o = WIDTH / 2; o > 0; o /= 2) value = step(value, o);
  return value;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  const float scale = 0.5f;
  const auto lane_sum = [=](float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o) * scale;
    return __shfl_sync(0xffffffffu, v, 0);
  };
  float v = in[threadIdx.x];
  float sum = lane_sum(v), v2 = v * 2;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum + total<float, 16>(v2);
})",
     {96, 1, 1}},
    {"LambdaWithSharedMemory",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  auto block_sum = [&](auto value) {
    __shared__ float part[4];
    for (int o = 16; o > 0; o /= 2) value += __shfl_xor_sync(0xffffffffu, value, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = part[0] + part[1] + part[2] + part[3];
    __syncthreads();
    return sum;
  };
  float mean = block_sum(in[threadIdx.x]) / 128.0f;
  float d = in[threadIdx.x] - mean;
  float variance = block_sum(d * d);
  out[blockIdx.x * 128 + threadIdx.x] = mean + d + variance;
})",
     {128, 1, 1}},
    {"CoalescedThreads",
     R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int count[3];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 3) count[t] = 0;
  __syncthreads();
  float v = in[i];
  int place = -1;
  if (v > -30.0f) {
    auto here = cg::coalesced_threads();
    int first = 0;
    if (here.thread_rank() == 0) first = atomicAdd(&count[t / 32], (int)here.size());
    place = here.shfl(first, 0) + here.thread_rank();
    v += here.shfl_down(v, 2) + here.shfl_up(v, 1u) * here.shfl_xor(v, 3);
    here.sync();
    if (place % 3 == 0) {
      cg::coalesced_group some = cg::coalesced_threads();
      v += cg::reduce(some, place, cg::plus<int>()) + some.num_threads() * 0.5f;
      v += some.ballot(v > 0.0f) % 7 + some.any(v > 50.0f) + some.all(v > 0.0f);
    }
  }
  __syncthreads();
  out[i] = v + place + count[t / 32];
})",
     {96, 1, 1}},
    {"LambdaThatReturnsInSeveralPlacesRunsAsFibers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  auto f = [&](float v) {
    if (n > 3) return v;
    return v + __shfl_xor_sync(0xffffffffu, v, 1);
  };
  out[threadIdx.x] = f(in[threadIdx.x]);
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "a lambda that returns in several places (kernel.cu:4)"},
    {"LambdaThatIsPassedOnRunsAsFibers",
     R"(template <class F>
__device__ void twice(F f) { f(); f(); }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int t = threadIdx.x;
  float v = in[t];
  auto f = [&] { s[t] = v; __syncthreads(); v += s[31 - t]; __syncthreads(); };
  twice(f);
  out[t] = v;
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "a lambda that is passed on (kernel.cu:7)"},
    {"LambdaWhoseNameIsHiddenAtACallRunsAsFibers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  float scale = 1;
  auto f = [&](float v) { return v * scale + __shfl_xor_sync(0xffffffffu, v, 1); };
  for (int i = 0; i < 2; ++i) {
    float scale = 3;
    out[threadIdx.x] = f(in[threadIdx.x]) + scale;
  }
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "a lambda called where a name that it uses is hidden (kernel.cu:3)"},
    {"StepThatIsTheBlocksAndTheWorkItems",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int at = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i, at += 32) sum += __shfl_down_sync(0xffffffffu, in[at % 32] + i, 1);
  out[threadIdx.x] = sum + at;
})",
     {32, 1, 1}},
    {"LambdaBehindACommaRunsAsFibers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  float t = 0, u = 0;
  auto f = [&](float v) { return v + t + __shfl_xor_sync(0xffffffffu, v, 1); };
  t = 3, u = f(in[threadIdx.x]);
  out[threadIdx.x] = u;
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "a lambda called behind a comma (kernel.cu:3)"},
};

INSTANTIATE_TEST_SUITE_P(Forms, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

}  // namespace
}  // namespace kiln::test
