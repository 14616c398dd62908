// Inclusive and exclusive prefix sums of the parts of an array, one block a part. The rounds through shared memory are
// lambdas: one publishes a value and fetches another work-item's, one is only the barrier.
#include <cstdio>
#include <numeric>
#include <vector>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t status = (call);                                            \
    if (status != cudaSuccess) {                                                  \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));        \
      return 1;                                                                   \
    }                                                                             \
  } while (0)

template <class T, int BLOCK, class Op>
__global__ void scan_parts(const T* __restrict__ in, T* __restrict__ inclusive, T* __restrict__ exclusive, T* __restrict__ totals,
                           int n, T identity) {
  __shared__ T lane_values[BLOCK];
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  const Op op{};

  const auto wait = [&] { __syncthreads(); };
  const auto exchange = [&](T mine, int from) {
    lane_values[t] = mine;
    wait();
    const T theirs = from >= 0 ? lane_values[from] : identity;
    wait();
    return theirs;
  };

  T sum = i < n ? in[i] : identity;
  for (int distance = 1; distance < BLOCK; distance *= 2) sum = op(exchange(sum, t - distance), sum);
  const T before = exchange(sum, t - 1);
  const T total = exchange(sum, BLOCK - 1);
  if (i < n) {
    inclusive[i] = sum;
    exclusive[i] = before;
  }
  if (t == 0) totals[blockIdx.x] = total;
}

struct Plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Larger {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <class T, class Op>
int try_one(const char* name, int n, T identity) {
  constexpr int kBlock = 128;
  const int blocks = (n + kBlock - 1) / kBlock;
  std::vector<T> host(n);
  std::iota(host.begin(), host.end(), T(1));
  T *in, *inclusive, *exclusive, *totals;
  CHECK(cudaMalloc(&in, n * sizeof(T)));
  CHECK(cudaMalloc(&inclusive, n * sizeof(T)));
  CHECK(cudaMalloc(&exclusive, n * sizeof(T)));
  CHECK(cudaMalloc(&totals, blocks * sizeof(T)));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  scan_parts<T, kBlock, Op><<<blocks, kBlock>>>(in, inclusive, exclusive, totals, n, identity);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host.data(), inclusive, n * sizeof(T), cudaMemcpyDeviceToHost));
  std::printf("%s: %g\n", name, double(host.back()));
  CHECK(cudaFree(in));
  CHECK(cudaFree(inclusive));
  CHECK(cudaFree(exclusive));
  return cudaFree(totals) != cudaSuccess;
}

int main() {
  return try_one<int, Plus>("sums", 1000, 0) + try_one<double, Larger>("maxima", 5000, -1e30);
}
