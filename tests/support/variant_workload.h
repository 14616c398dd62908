#pragma once

namespace kiln::test {

/// The scale workload in two variants; `paper` is of two launches and has a buffer of its own.
inline const char* const kVariantYaml = R"yaml(workload: variants
parameters:
  variant: {type: choice, default: tuned, values: [tuned, paper], bind: compile}
  n: {type: int, default: 1000, min: 1}
  block: {type: int, default: "variant == paper ? 128 : 64", bind: compile}
buffers:
  x: {type: double, shape: [n], init: {iota: [1, 1]}}
  y: {type: double, shape: [n]}
  scratch: {type: double, shape: [n], when: variant == paper}
kernels:
  scale: {source: tuned.cu, block: [block], grid: ["ceil_div(n, block)"], args: [y, x]}
  scale_paper: {source: paper.cu, block: [block], grid: ["ceil_div(n, block)"], args: [y, x]}
  extra: {source: paper.cu, block: [block], grid: [1], args: [y, x, scratch]}
run:
  - {kernel: scale, when: variant == tuned}
  - {kernel: scale_paper, as: scale, when: variant == paper}
  - {kernel: extra, when: variant == paper}
verify:
  checks:
    - {buffer: y, region: [[0, 1]], expected: 3}
metrics:
  bandwidth: {unit: GB/s, value: "16 * n / scale.time * 1e-9"}
)yaml";

}  // namespace kiln::test
