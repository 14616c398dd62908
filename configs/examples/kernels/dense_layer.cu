// y = activation(W x + b) for p.rows rows of inputs; W is p.outputs x p.inputs. Each launch has sizes of its own, which
// are constants of its code. Sums are float, whatever the type of the numbers is.
#include "kiln/params.h"

extern "C" __global__ void dense(T* y, const T* x, const T* weights, const T* bias, const Params p) {
  const int output = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (output >= p.outputs || row >= p.rows) return;
  float sum = static_cast<float>(bias[output]);
  for (int i = 0; i < p.inputs; ++i)
    sum += static_cast<float>(weights[output * p.inputs + i]) * static_cast<float>(x[row * p.inputs + i]);
  y[row * p.outputs + output] = static_cast<T>(p.relu && sum < 0 ? 0.0f : sum);
}

inline __device__ double wide(double x) { return x; }
template <class X>
inline __device__ double wide(X x) {
  return static_cast<float>(x);
}

/// One layer of one row in double; `theta` holds its weights, then its biases. Returns the start of the next layer's.
template <class X>
inline __device__ const T* layer(double* y, const X* x, const T* theta, int inputs, int outputs, bool relu) {
  const T* const bias = theta + outputs * inputs;
  for (int o = 0; o < outputs; ++o) {
    double sum = wide(bias[o]);
    for (int i = 0; i < inputs; ++i) sum += wide(theta[o * inputs + i]) * wide(x[i]);
    y[o] = relu && sum < 0 ? 0 : sum;
  }
  return bias + outputs;
}

/// All layers of one row in double, by one work-item.
extern "C" __global__ void network(double* y, double* hidden, const T* x, const T* theta, int rows, int in, int mid,
                                   int out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double* const a = hidden + 2 * row * mid;
  double* const b = a + mid;
  theta = layer(a, x + row * in, theta, in, mid, true);
  theta = layer(b, a, theta, mid, mid, true);
  theta = layer(a, b, theta, mid, mid, true);
  layer(y + row * out, a, theta, mid, out, false);
}
