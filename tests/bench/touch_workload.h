#pragma once

namespace kiln::bench {

/// A kernel so small that its launch costs more than its run.
constexpr const char* kTouchYaml = R"yaml(workload: touch
parameters:
  n: {type: int, default: 1024}
  block: {type: int, default: 128, bind: compile}
  value: {type: float, default: 1, bind: run}
buffers:
  a: {type: float, shape: [n], init: 0}
kernels:
  touch: {source: touch.cu, grid: [8], block: [block], args: [a, value, {value: n, type: int}]}
run: touch
)yaml";

constexpr const char* kTouchText = R"(#include "kiln/params.h"
extern "C" __global__ void __launch_bounds__(Params::block) touch(float* a, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = value;
}
)";

/// The same for a Program.
constexpr const char* kTouchProgram = R"(__global__ void touch(float* a, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = value;
}
)";

}  // namespace kiln::bench
