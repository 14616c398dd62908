#pragma once

namespace kiln::test {

/// A kernel that takes structs by value, with pointers, numbers of several sizes and padding between them; in
/// a program that passes the second buffer in place of the first.
inline constexpr const char* kStructArgumentText = R"(
struct Line {
  const float* x;
  unsigned char shift;
  double slope;
  int n;
};
struct Place {
  short first;
  float* y;
};

extern "C" __global__ void evaluate(const Line line, float offset, Place place) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < line.n) place.y[i + place.first] = float(line.slope) * line.x[i] + offset + line.shift;
}
)";

inline constexpr const char* kStructArgumentJob = R"yaml(workload:
  workload: struct_argument
  parameters:
    n: {type: int, default: 100}
    shift: {type: uchar, default: 7}
    slope: {type: double, default: 0.5}
  buffers:
    x: {type: float, shape: [n], init: 4}
    ones: {type: float, shape: [n], init: 1}
    y: {type: float, shape: [n], init: -1}
    z: {type: float, shape: [n], init: -1}
  kernels:
    evaluate:
      source: k.cu
      grid: ["ceil_div(n, 64)"]
      block: [64]
      args: [{struct: [x, shift, slope, n]}, {value: 3, type: float, name: offset}, {struct: [{value: 0, type: short}, y]}]
  run: [evaluate, {kernel: evaluate, args: {x: ones, y: z, offset: "2 * 10"}}]
  verify: {checks: [{buffer: y, expected: 12}, {buffer: z, expected: "27.5"}]}
measure: {min_time: 0.001 s, min_samples: 3, max_samples: 3}
)yaml";

}  // namespace kiln::test
