#pragma once

#include "mala.h"

// mma, split and halves: the words of operand B as a lane of a warp needs them, four at a time: for each step
// along the depth, for each pair of tiles of 8 columns, for each lane, the two words of either tile. In float
// they are rounded to tf32; with `split` the rest of each, rounded, follows behind a layer. With `halves` they
// are halves, two in a word, and the rest is 2048 times as large, so that it is in their range.
struct MmaOrder {
  static constexpr bool scaled = Params::operation == op_halves;
  static constexpr bool halves = sizeof(T) == 2 || scaled;  // two elements in a word
  static constexpr bool split = Params::operation == op_split || scaled;
  static constexpr int parts = split ? 2 : 1;
  static constexpr int deep = halves ? 16 : 8;  // of a step
  static constexpr int tiles1 = (hidden + 7) / 8;
  static constexpr int tiles2 = (outputs + 7) / 8;
  static constexpr int pairs1 = (tiles1 + 1) / 2;
  static constexpr int pairs2 = (tiles2 + 1) / 2;
  static constexpr int steps1 = (inputs + deep - 1) / deep;
  static constexpr int steps2 = halves ? pairs1 : tiles1;
  static constexpr int part1 = steps1 * pairs1 * 128;
  static constexpr int part2 = steps2 * pairs2 * 128;
  static constexpr int second = parts * part1;
  static constexpr int bias1 = second + parts * part2;
  static constexpr int bias2 = bias1 + pairs1 * 16;
  static constexpr int words = bias2 + pairs2 * 16;

  /// To 10 bits of fraction; ties away from 0, as cvt.rna.tf32.
  KILN_DEVICE static float rounded(float value) {
    union {
      float number;
      unsigned bits;
    } both;
    both.number = value;
    both.bits = (both.bits + 0x1000u) & ~0x1fffu;
    return both.number;
  }
  KILN_DEVICE static unsigned bits_of(float value) {
    union {
      float number;
      unsigned bits;
    } both;
    both.number = value;
    return both.bits;
  }
  template <class E>
  KILN_DEVICE static unsigned pair_of(E low, E high) {
    union {
      E halves[2];
      unsigned bits;
    } both;
    both.halves[0] = low;
    both.halves[1] = high;
    return both.bits;
  }
  /// Two numbers as sums of a half and of a half / 2048. Beyond 65504 both parts are no numbers.
  struct Halves {
    unsigned high, low;
  };
  static constexpr float rest_scale = 2048.0f;
  KILN_DEVICE static Halves halves_of(float first, float second) {
    Halves parts = {0, 0};
#if defined(__CUDA_ARCH__)
    float whole_first, whole_second;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(parts.high) : "f"(second), "f"(first));
    asm("{\n.reg .b16 low, high;\nmov.b32 {low, high}, %2;\ncvt.f32.f16 %0, low;\ncvt.f32.f16 %1, high;\n}"
        : "=f"(whole_first), "=f"(whole_second)
        : "r"(parts.high));
    asm("cvt.rn.f16x2.f32 %0, %1, %2;"
        : "=r"(parts.low)
        : "f"((second - whole_second) * rest_scale), "f"((first - whole_first) * rest_scale));
#endif
    return parts;
  }
  KILN_DEVICE static float element(const Weights& w, bool of_second, int column, int k) {
    return of_second ? w.second(column, k) : w.first(column, k);
  }
  /// Word i of a part of a layer. In the second layer the units of a step stand as the sums of the first
  /// leave them: in float the lane's two units are neighbours.
  KILN_DEVICE static unsigned word(const Weights& w, bool of_second, int part, int i) {
    const int pairs = of_second ? pairs2 : pairs1;
    const int lane = i / 4 % 32;
    const int step = i / 128 / pairs;
    const int column = (i / 128 % pairs * 2 + i % 4 / 2) * 8 + lane / 4;
    const int which = i % 2;
    if constexpr (halves) {
      const int k = step * 16 + which * 8 + lane % 4 * 2;
      const float first = element(w, of_second, column, k);
      const float next = element(w, of_second, column, k + 1);
      if constexpr (scaled) {
        const Halves both = halves_of(first, next);
        return part == 0 ? both.high : both.low;
      } else {
        return pair_of(T(first), T(next));
      }
    } else {
      const int k = step * 8 + (of_second ? lane % 4 * 2 + which : lane % 4 + which * 4);
      const float value = element(w, of_second, column, k);
      const float high = rounded(value);
      return bits_of(part == 0 ? high : rounded(value - high));
    }
  }
  KILN_DEVICE static unsigned word(const Weights& w, int i) {
    if (i < second) return word(w, false, i / part1, i % part1);
    if (i < bias1) return word(w, true, (i - second) / part2, (i - second) % part2);
    if (i < bias2) return bits_of(i - bias1 < hidden ? w.b1[i - bias1] : 0.0f);
    return bits_of(i - bias2 < outputs ? w.b2[i - bias2] : 0.0f);
  }
};
