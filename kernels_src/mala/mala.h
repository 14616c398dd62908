#pragma once

#include "kiln/params.h"

// y = relu(W2 relu(W1 x + b1) + b2) for each row x. Weights are packed once, by mala_data.cu, in the order in
// which an operation reads them: words of 4 bytes, [W1 | W2 | b1 | b2], padded with zeros.

constexpr int inputs = Params::inputs;
constexpr int hidden = Params::hidden;
constexpr int outputs = Params::outputs;

enum Operation { op_fma, op_mma, op_split, op_vectors, op_halves };

constexpr int round_to(int n, int multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

struct Weights {
  const T* w1;  // hidden x inputs
  const float* b1;
  const T* w2;  // outputs x hidden
  const float* b2;

  KILN_DEVICE float first(int unit, int input) const {
    return unit < hidden && input < inputs ? float(w1[unit * inputs + input]) : 0.0f;
  }
  KILN_DEVICE float second(int output, int unit) const {
    return output < outputs && unit < hidden ? float(w2[output * hidden + unit]) : 0.0f;
  }
};

/// What is no number stays none.
KILN_DEVICE float relu(float value) {
  return value < 0 ? 0.0f : value;
}
