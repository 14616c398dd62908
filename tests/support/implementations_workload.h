#pragma once

namespace kiln::test {

/// The scale workload in two implementations; `paper` is of two launches and has a buffer of its own.
inline const char* const kImplementationsYaml = R"yaml(workload: implementations
parameters:
  implementation: {type: choice, default: tuned, values: [tuned, paper], bind: compile}
  n: {type: int, default: 1000, min: 1}
  block: {type: int, default: "implementation == paper ? 128 : 64", bind: compile}
buffers:
  x: {type: double, shape: [n], init: {iota: [1, 1]}}
  y: {type: double, shape: [n]}
  scratch: {type: double, shape: [n], when: implementation == paper}
kernels:
  scale: {source: tuned.cu, block: [block], grid: ["ceil_div(n, block)"], args: [y, x]}
  scale_paper: {source: paper.cu, block: [block], grid: ["ceil_div(n, block)"], args: [y, x]}
  extra: {source: paper.cu, block: [block], grid: [1], args: [y, x, scratch]}
run:
  - {kernel: scale, when: implementation == tuned}
  - {kernel: scale_paper, as: scale, when: implementation == paper}
  - {kernel: extra, when: implementation == paper}
verify:
  checks:
    - {buffer: y, region: [[0, 1]], expected: 3}
metrics:
  bandwidth: {unit: GB/s, value: "16 * n / scale.time * 1e-9"}
)yaml";

}  // namespace kiln::test
