#pragma once

#include "mala.h"

// fma and vectors: W1 as [input][unit] and W2 as [unit][output], in float.
template <int Depth, int Units, int Outs>
struct DenseOrder {
  static constexpr int depth = Depth;
  static constexpr int units = Units;
  static constexpr int outs = Outs;
  static constexpr int second = depth * units;
  static constexpr int bias1 = second + units * outs;
  static constexpr int bias2 = bias1 + units;
  static constexpr int words = bias2 + outs;

  KILN_DEVICE static float value(const Weights& w, int i) {
    if (i < second) return w.first(i % units, i / units);
    if (i < bias1) return w.second((i - second) % outs, (i - second) / outs);
    if (i < bias2) return i - bias1 < hidden ? w.b1[i - bias1] : 0.0f;
    return i - bias2 < outputs ? w.b2[i - bias2] : 0.0f;
  }
};

// A work-item has `quads` times 4 neighbouring units, `across` of them all units.
constexpr int quads = (hidden + 4 * Params::across - 1) / (4 * Params::across);
using FmaOrder = DenseOrder<round_to(inputs, 4), quads * 4 * Params::across, round_to(outputs, 4)>;
using VectorOrder = DenseOrder<inputs, round_to(hidden, 16), round_to(outputs, 16)>;
