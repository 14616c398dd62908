#pragma once

namespace kiln::test {

/// A variable in device memory that the kernel of an input sets, the step counts up, and a check's reference
/// reads: right only where the three have one.
inline constexpr const char* kSharedVariableText = R"(
__device__ int stage;
__managed__ int runs;

extern "C" __global__ void fill(int* a) {
  a[threadIdx.x] = 1;
  if (threadIdx.x == 0) { stage = 41; runs = 0; }
}

extern "C" __global__ void step(int* out, const int* a) {
  out[threadIdx.x] = stage + a[threadIdx.x];
  if (threadIdx.x == 0) ++runs;
}

extern "C" __global__ void reference(int* r) { r[threadIdx.x] = 41 + runs; }
)";

inline constexpr const char* kSharedVariableJob = R"(workload:
  workload: shared_variable
  buffers:
    a: {type: int, shape: [32], init: {kernel: fill}}
    out: {type: int, shape: [32]}
    r: {type: int, shape: [32]}
  kernels:
    fill: {source: k.cu, grid: [1], block: [32], args: [a]}
    step: {source: k.cu, grid: [1], block: [32], args: [out, a]}
    reference: {source: k.cu, grid: [1], block: [32], args: [r]}
  run: [step]
  verify: {checks: [{buffer: out, reference: {kernel: reference, buffer: r}}, {buffer: out, expected: 42}]}
measure: false
)";

}  // namespace kiln::test
