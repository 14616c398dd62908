// AdamW with bias correction, in the style of a PyTorch extension: dispatch by macros, a namespace without a name, checks.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#define CHECK_THROW(condition, message) \
  if (!(condition)) throw std::invalid_argument(std::string(message) + " failed: " #condition)

#define CUDA_1D_KERNEL_LOOP(i, n) for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

#define DISPATCH_FLOATING(IS_DOUBLE, ...) \
  [&] {                                   \
    if (IS_DOUBLE) {                      \
      using scalar_t = double;            \
      return __VA_ARGS__();               \
    } else {                              \
      using scalar_t = float;             \
      return __VA_ARGS__();               \
    }                                     \
  }()

namespace {

constexpr int kThreads = 256;
inline int64_t GET_BLOCKS(const int64_t N) { return (N + kThreads - 1) / kThreads; }

template <typename scalar_t, typename opmath_t = float>
__global__ void adamw_kernel(scalar_t* __restrict__ param, const scalar_t* __restrict__ grad, opmath_t* __restrict__ exp_avg,
                             opmath_t* __restrict__ exp_avg_sq, const int64_t n, const opmath_t lr, const opmath_t beta1,
                             const opmath_t beta2, const opmath_t eps, const opmath_t weight_decay, const int step) {
  const opmath_t correction1 = 1 - ::pow(beta1, opmath_t(step)), correction2 = 1 - ::pow(beta2, opmath_t(step));
  CUDA_1D_KERNEL_LOOP(i, n) {
    const opmath_t g = static_cast<opmath_t>(grad[i]);
    opmath_t p = static_cast<opmath_t>(param[i]);
    const opmath_t m = beta1 * exp_avg[i] + (1 - beta1) * g;
    const opmath_t v = beta2 * exp_avg_sq[i] + (1 - beta2) * g * g;
    exp_avg[i] = m;
    exp_avg_sq[i] = v;
    p -= lr * (m / correction1 / (std::sqrt(v / correction2) + eps) + weight_decay * p);
    param[i] = static_cast<scalar_t>(p);
  }
}

}  // namespace

void adamw_cuda(void* param, const void* grad, float* m, float* v, int64_t n, bool is_double, int step, cudaStream_t stream) {
  CHECK_THROW(n > 0, "adamw");
  DISPATCH_FLOATING(is_double, ([&] {
                      adamw_kernel<scalar_t><<<GET_BLOCKS(n), kThreads, 0, stream>>>(
                          static_cast<scalar_t*>(param), static_cast<const scalar_t*>(grad), m, v, n, 1e-3f, 0.9f, 0.999f, 1e-8f, 1e-2f, step);
                    }));
  if (cudaPeekAtLastError() != cudaSuccess) throw std::runtime_error(cudaGetErrorString(cudaGetLastError()));
}

int main() {
  float *p, *g, *m, *v;
  for (float** x : {&p, &g, &m, &v}) cudaMalloc(x, 4096);
  for (int step = 1; step <= 10; ++step) adamw_cuda(p, g, m, v, 1024, false, step, nullptr);
}
