// y = activation(W x + b) for p.rows rows of inputs; W is p.outputs x p.inputs. Each launch has sizes of its own, which
// are constants of its code.
#include "kiln/params.h"

extern "C" __global__ void dense(float* y, const float* x, const float* weights, const float* bias, const Params p) {
  const int output = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (output >= p.outputs || row >= p.rows) return;
  float sum = bias[output];
  for (int i = 0; i < p.inputs; ++i) sum += weights[output * p.inputs + i] * x[row * p.inputs + i];
  y[row * p.outputs + output] = p.relu && sum < 0 ? 0.0f : sum;
}

/// The three layers of one row in double, by one work-item.
extern "C" __global__ void network(double* y, double* hidden, const float* x, const float* w1, const float* b1,
                                   const float* w2, const float* b2, const float* w3, const float* b3, int rows,
                                   int in, int mid, int out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double* const first = hidden + 2 * row * mid;
  double* const second = first + mid;
  for (int o = 0; o < mid; ++o) {
    double sum = b1[o];
    for (int i = 0; i < in; ++i) sum += (double)w1[o * in + i] * x[row * in + i];
    first[o] = sum < 0 ? 0 : sum;
  }
  for (int o = 0; o < mid; ++o) {
    double sum = b2[o];
    for (int i = 0; i < mid; ++i) sum += w2[o * mid + i] * first[i];
    second[o] = sum < 0 ? 0 : sum;
  }
  for (int o = 0; o < out; ++o) {
    double sum = b3[o];
    for (int i = 0; i < mid; ++i) sum += w3[o * mid + i] * second[i];
    y[row * out + o] = sum;
  }
}
