// Quicksort whose parts are sorted by kernels that the kernel launches; a last kernel sums the result.
#include <cuda_runtime.h>
#include <stdio.h>

#define CHECK(call)                                                      \
  do {                                                                   \
    cudaError_t e_ = (call);                                             \
    if (e_ != cudaSuccess) printf("%s: %s\n", #call, cudaGetErrorString(e_)); \
  } while (0)

// Odd-even transposition of at most kMost values in shared memory.
template <typename T, int kMost>
__global__ void sort_few(T *values, int count) {
  __shared__ T part[kMost];
  const int t = threadIdx.x;
  if (t < count) part[t] = values[t];
  __syncthreads();
  for (int round = 0; round < count; ++round) {
    const int i = 2 * t + round % 2;
    if (i + 1 < count && part[i] > part[i + 1]) {
      const T greater = part[i];
      part[i] = part[i + 1];
      part[i + 1] = greater;
    }
    __syncthreads();
  }
  if (t < count) values[t] = part[t];
}

// sum[0] of values[i] * (i % 8), by one warp.
__global__ void weigh(const int *values, int count, long long *sum) {
  long long mine = 0;
  for (int i = threadIdx.x; i < count; i += 32) mine += (long long)values[i] * (i % 8);
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffff, mine, lane);
  if (threadIdx.x == 0) *sum = mine;
}

template <int kFew>
__device__ void sort_part(int *values, int *scratch, int count, cudaStream_t stream);

// One block: less, equal and greater than the middle value; then each side by a kernel of its own.
template <int kFew>
__global__ void quick_sort(int *values, int *scratch, int count, long long *sum) {
  __shared__ int less, greater, next_less, next_equal, next_greater;
  if (threadIdx.x == 0) less = greater = 0;
  const int middle = values[count / 2];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    scratch[i] = values[i];
    if (values[i] < middle) atomicAdd(&less, 1);
    if (values[i] > middle) atomicAdd(&greater, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    next_less = 0;
    next_equal = less;
    next_greater = count - greater;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x) {
    const int value = scratch[i];
    const int place = atomicAdd(value < middle ? &next_less : value > middle ? &next_greater : &next_equal, 1);
    values[place] = value;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    sort_part<kFew>(values, scratch, less, 0);
    sort_part<kFew>(values + count - greater, scratch + count - greater, greater, other);
    cudaStreamDestroy(other);
    if (sum != nullptr) weigh<<<1, 32, 0, cudaStreamTailLaunch>>>(values, count, sum);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) printf("launch: %s\n", cudaGetErrorString(error));
  }
}

template <int kFew>
__device__ void sort_part(int *values, int *scratch, int count, cudaStream_t stream) {
  if (count > kFew)
    quick_sort<kFew><<<1, 128, 0, stream>>>(values, scratch, count, nullptr);
  else if (count > 1)
    sort_few<int, kFew><<<1, dim3(kFew), 0, stream>>>(values, count);
}

int main() {
  const int n = 5000;
  int *values, *scratch;
  long long *sum;
  CHECK(cudaMallocManaged(&values, n * sizeof(int)));
  CHECK(cudaMalloc(&scratch, n * sizeof(int)));
  CHECK(cudaMallocManaged(&sum, sizeof(long long)));
  for (int i = 0; i < n; ++i) values[i] = (int)((long long)i * 7919 % n);
  quick_sort<64><<<1, 128>>>(values, scratch, n, sum);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += values[i] != i;
  printf("%d of %d values are wrong, sum %lld\n", wrong, n, *sum);
  cudaFree(values);
  cudaFree(scratch);
  cudaFree(sum);
  return wrong != 0;
}
