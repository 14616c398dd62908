#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

/*
 * Group normalisation of images (N, C, H, W): a block takes the channels of a group of one image. The sums of the block are
 * the work of an object that has the shared memory; its members wait for the block.
 */

template <typename T, int kThreads>
class BlockSum {
 public:
  struct Storage {
    T values[kThreads];
    T result;
  };

  __device__ explicit BlockSum(Storage& storage) : storage_(storage) {}

  // The sum of the block, for each work-item.
  __device__ T operator()(T value) {
    storage_.values[threadIdx.x] = value;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half >>= 1) {
      if (threadIdx.x < half) storage_.values[threadIdx.x] += storage_.values[threadIdx.x + half];
      __syncthreads();
    }
    return broadcast(storage_.values[0], 0);
  }

  // The value of one work-item, for each.
  __device__ T broadcast(T value, int from) {
    if (threadIdx.x == from) storage_.result = value;
    __syncthreads();
    const T result = storage_.result;
    __syncthreads();
    return result;
  }

 private:
  Storage& storage_;
};

template <int kThreads>
__global__ void group_norm(const float* __restrict__ x, const float* __restrict__ weight, const float* __restrict__ bias,
                           float* __restrict__ y, float* __restrict__ mean_out, float* __restrict__ rstd_out, int channels,
                           int groups, int pixels, float eps) {
  using Sum = BlockSum<float, kThreads>;
  __shared__ typename Sum::Storage storage;
  Sum sum(storage);

  const int group = blockIdx.x, image = blockIdx.y;
  const int per_group = channels / groups;
  const int first_channel = group * per_group;
  const int count = per_group * pixels;
  const size_t base = ((size_t)image * channels + first_channel) * pixels;

  float part = 0.f;
  for (int i = threadIdx.x; i < count; i += kThreads) part += x[base + i];
  const float mean = sum(part) / count;

  part = 0.f;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    const float d = x[base + i] - mean;
    part += d * d;
  }
  const float rstd = rsqrtf(sum(part) / count + eps);

  for (int i = threadIdx.x; i < count; i += kThreads) {
    const int channel = first_channel + i / pixels;
    y[base + i] = (x[base + i] - mean) * rstd * weight[channel] + bias[channel];
  }
  if (threadIdx.x == 0) {
    mean_out[image * groups + group] = mean;
    rstd_out[image * groups + group] = rstd;
  }
}

static void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define cudaCheck(error) check((error), __LINE__)

int main(int argc, char** argv) {
  const int N = argc > 1 ? atoi(argv[1]) : 8, C = 64, G = 8, HW = 28 * 28;
  const size_t bytes = sizeof(float) * N * C * HW;
  std::vector<float> host(bytes / sizeof(float));
  for (float& v : host) v = rand() / (float)RAND_MAX;
  float *x, *y, *weight, *bias, *mean, *rstd;
  cudaCheck(cudaMalloc(&x, bytes));
  cudaCheck(cudaMalloc(&y, bytes));
  cudaCheck(cudaMalloc(&weight, C * sizeof(float)));
  cudaCheck(cudaMalloc(&bias, C * sizeof(float)));
  cudaCheck(cudaMalloc(&mean, N * G * sizeof(float)));
  cudaCheck(cudaMalloc(&rstd, N * G * sizeof(float)));
  cudaCheck(cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice));
  cudaCheck(cudaMemset(weight, 0, C * sizeof(float)));
  cudaCheck(cudaMemset(bias, 0, C * sizeof(float)));
  group_norm<256><<<dim3(G, N), 256>>>(x, weight, bias, y, mean, rstd, C, G, HW, 1e-5f);
  cudaCheck(cudaGetLastError());
  cudaCheck(cudaDeviceSynchronize());
  cudaCheck(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));
  printf("%f\n", host[0]);
  for (float* p : {x, y, weight, bias, mean, rstd}) cudaCheck(cudaFree(p));
  return 0;
}
