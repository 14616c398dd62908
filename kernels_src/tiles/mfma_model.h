#pragma once

// A model of AMD's matrix instructions for a CPU, to check kernels that use them: lanes leave their operands in
// shared memory and gather the products of their sums. All work-items of a block execute each instruction.
// Where elements are is written from matrix element to register, which mfma.h has the other way round: for half
// and bfloat16 as AMD's Matrix Instruction Calculator (CDNA2) prints it; README.md says what the others follow.

namespace tiles {
namespace detail {

template <class E>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<double> {
  using Type = double;
};

/// v_mfma_f32_32x32x8f16, _f32_16x16x16f16 and those of bf16_1k (a lane gives four elements),
/// v_mfma_f32_32x32x2f32, _f32_16x16x4f32, _f64_16x16x4f64 (one).
template <class E, int Rows>
struct MatrixInstruction {
  using Sum = typename SumOf<E>::Type;
  static constexpr int per = sizeof(E) == 2 ? 4 : 1;
  static constexpr int count = Rows * Rows / 64;
  static constexpr int depth = 64 / Rows * per;

  struct Place {
    int lane, at;
  };
  /// A[row][k] and B[k][row].
  static Place operand(int row, int k) { return {Rows * (k / per) + row, k % per}; }
  /// D[row][column].
  static Place sum(int row, int column) {
    if (sizeof(Sum) == 8) return {16 * (row % 4) + column, row / 4};
    if (Rows == 16) return {16 * (row / 4) + column, row % 4};
    return {32 * (row / 4) % 64 + column, 4 * (row / 8) + row % 4};
  }

  static void multiply(Sum (&d)[count], const E (&a)[per], const E (&b)[per]) {
    constexpr int waves = 1024 / 64;
    __shared__ E left[waves][64][per], right[waves][64][per];
    const int wave = int(threadIdx.x) / 64;
    const int lane = int(threadIdx.x) % 64;
    for (int e = 0; e < per; ++e) {
      left[wave][lane][e] = a[e];
      right[wave][lane][e] = b[e];
    }
    __syncthreads();
    for (int row = 0; row < Rows; ++row) {
      for (int column = 0; column < Rows; ++column) {
        const Place place = sum(row, column);
        if (place.lane != lane) continue;
        for (int k = 0; k < depth; ++k) {
          const Place x = operand(row, k);
          const Place y = operand(column, k);
          d[place.at] += Sum(left[wave][x.lane][x.at]) * Sum(right[wave][y.lane][y.at]);
        }
      }
    }
    __syncthreads();
  }
};

}  // namespace detail
}  // namespace tiles
