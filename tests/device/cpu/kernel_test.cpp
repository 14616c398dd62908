// Kernel texts through the real compiler and device: what the CUDA dialect promises, on the host.
#include <gtest/gtest.h>

#include <numeric>

#include "device/cpu/kernel_fixture.h"
#include "kiln/error.h"

namespace kiln::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Compilers, CpuKernel, ::testing::Values("g++", "clang++"), compiler_label);

TEST_P(CpuKernel, RunsEveryWorkItemOfAGuardedOneDimensionalGridOnce) {
  DeviceFunction& add = kernels_.build(R"(extern "C" __global__ void add(int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += i + 1;
})",
                                       "add");
  std::vector<int> a(10007, 5);
  const int guarded = 10000;
  kernels_.run(add, {{79, 1, 1}, {128, 1, 1}, 0}, a.data(), guarded);
  for (int i = 0; i < 10007; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], i < guarded ? 6 + i : 5) << i;
}

TEST_P(CpuKernel, CountsThreeDimensionalGridsAndBlocksAsCudaDoes) {
  DeviceFunction& mark = kernels_.build(R"(__global__ void mark(unsigned* a) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  a[block * blockDim.x * blockDim.y * blockDim.z + thread] += block * 1000 + thread;
})",
                                        "mark");
  std::vector<unsigned> a(2520, 1);
  kernels_.run(mark, {{3, 4, 5}, {7, 3, 2}, 0}, a.data());
  for (unsigned i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], 1 + i / 42 * 1000 + i % 42);
}

TEST_P(CpuKernel, ReversesThroughStaticSharedMemory) {
  DeviceFunction& reverse = kernels_.build(R"(extern "C" __global__ void reverse(int* a) {
  __shared__ int tile[64];
  tile[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  a[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
})",
                                           "reverse");
  std::vector<int> a(3200);
  std::iota(a.begin(), a.end(), 0);
  kernels_.run(reverse, {{50, 1, 1}, {64, 1, 1}, 0}, a.data());
  for (int i = 0; i < 64 * 50; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], i / 64 * 64 + 63 - i % 64);
}

TEST_P(CpuKernel, GivesDynamicSharedMemoryToBlockAndNamespaceScopeArrays) {
  const std::string at_block = R"(template <class T> __global__ void k(T* a) {
  extern __shared__ __align__(16) unsigned char bytes[];
  T* tile = reinterpret_cast<T*>(bytes);
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
})";
  const std::string at_namespace = R"(extern __shared__ float whole[];
namespace inner { extern __shared__ double rows[][4]; }
__device__ void put(int i, float v) { whole[i] = v; }
extern "C" __global__ void k(float* a) {
  put(threadIdx.x, a[threadIdx.x]);
  __syncthreads();
  a[threadIdx.x] = reinterpret_cast<float*>(&inner::rows[0][0])[blockDim.x - 1 - threadIdx.x];
})";
  const std::pair<std::string, std::string> cases[] = {{at_block, "k<float>"}, {at_namespace, "k"}};
  for (const auto& [text, entry] : cases) {
    DeviceFunction& k = kernels_.build(text, entry);
    std::vector<float> a(96);
    std::iota(a.begin(), a.end(), 0.0F);
    kernels_.run(k, {{1, 1, 1}, {96, 1, 1}, 96 * sizeof(float)}, a.data());
    for (int i = 0; i < 96; ++i)
      EXPECT_EQ(a[static_cast<std::size_t>(i)], static_cast<float>(95 - i)) << entry;
  }
}

TEST_P(CpuKernel, KeepsSharedMemoryOfBlocksOnDifferentThreadsApart) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k(int* a) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, blockIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) a[blockIdx.x] = total;
})",
                                     "k");
  std::vector<int> a(500);
  kernels_.run(k, {{500, 1, 1}, {33, 1, 1}, 0}, a.data());
  for (int i = 0; i < 500; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], 33 * i);
}

TEST_P(CpuKernel, InstantiatesTemplatesByNameExpression) {
  Specialization specialization = kernels_.specialize(R"(namespace la {
template <class T, int Width> __global__ void axpy(T* y, const T* x, T a) {
  for (int k = 0; k < Width; ++k) y[threadIdx.x * Width + k] += a * x[threadIdx.x * Width + k];
}
template __global__ void axpy<int, 2>(int*, const int*, int);
}
)",
                                                      "la::axpy<float, 4>");
  specialization.entries.push_back({"la::axpy<int, 2>", Dim3{8, 1, 1}, ""});
  const CodeObject object = kernels_.compile(specialization);
  const auto module = kernels_.device().load(object.binary);
  DeviceFunction* floats = module->function(object.lowered_names.at("la::axpy<float, 4>"));
  DeviceFunction* ints = module->function(object.lowered_names.at("la::axpy<int, 2>"));
  ASSERT_NE(floats, nullptr);
  ASSERT_NE(ints, nullptr);
  EXPECT_EQ(module->function("another"), nullptr);
  std::vector<float> y(32, 1.0F), x(32, 2.0F);
  kernels_.run(*floats, {{1, 1, 1}, {8, 1, 1}, 0}, y.data(), x.data(), 3.0F);
  EXPECT_EQ(y, std::vector<float>(32, 7.0F));
  EXPECT_EQ(floats->attributes().parameter_bytes, (std::vector<std::size_t>{8, 8, 4}));
  int* none = nullptr;
  EXPECT_THROW(kernels_.run(*ints, {{1, 1, 1}, {4, 1, 1}, 0}, none, none, 1), Error);  // compiled for 8
}

TEST_P(CpuKernel, KeepsLoopsAndFibersOfOneUnitApart) {
  Specialization specialization = kernels_.specialize(R"(#include "kiln/params.h"
__device__ int where() { return blockIdx.x * blockDim.x + threadIdx.x; }
extern "C" __global__ void plain(int* a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = where(); }
extern "C" __global__ void waiting(int* a) { __syncthreads(); a[kiln::global_index_x()] += where(); })",
                                                      "plain");
  specialization.entries.push_back({"waiting", Dim3{32, 1, 1}, ""});
  const CodeObject object = kernels_.compile(specialization);
  const auto module = kernels_.device().load(object.binary);
  std::vector<int> a(96);
  for (int again = 1; again <= 3; ++again) {
    kernels_.run(*module->function(object.lowered_names.at("plain")), {{2, 1, 1}, {48, 1, 1}, 0}, a.data(),
                 96);
    kernels_.run(*module->function(object.lowered_names.at("waiting")), {{3, 1, 1}, {32, 1, 1}, 0}, a.data());
    for (int i = 0; i < 96; ++i) EXPECT_EQ(a[static_cast<std::size_t>(i)], 2 * i);
  }
}

TEST_P(CpuKernel, FindsConstantAndDeviceVariables) {
  DeviceFunction& k = kernels_.build(R"(__constant__ double table[4];
namespace inner { __device__ int counter = 7; }
__device__ float helper(float x);
extern "C" __global__ void k(double* a) {
  a[threadIdx.x] = table[threadIdx.x] + inner::counter;
  atomicAdd(&inner::counter, 0);
}
__device__ float helper(float x) { return x; })",
                                     "k");
  const auto table = kernels_.last_module().symbol("table");
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->second, 4 * sizeof(double));
  const double values[4] = {1, 2, 3, 4};
  kernels_.device().copy_to_device(kernels_.stream(), table->first, values, sizeof values);
  ASSERT_TRUE(kernels_.last_module().symbol("inner::counter").has_value());
  EXPECT_FALSE(kernels_.last_module().symbol("helper").has_value());
  double a[4] = {};
  kernels_.run(k, {{1, 1, 1}, {4, 1, 1}, 0}, &a[0]);
  EXPECT_EQ(a[3], 11.0);
}

TEST_P(CpuKernel, PrintsAndPacksStructures) {
  DeviceFunction& k = kernels_.build(R"(struct Params { int n; double scale; };
extern "C" __global__ void k(Params p, const char c) {
  if (threadIdx.x == 1) printf("work-item %u of %d: %.2f %c\n", threadIdx.x, p.n, p.scale, c);
})",
                                     "k");
  struct Params {
    int n = 3;
    double scale = 0.25;
  };
  ::testing::internal::CaptureStdout();
  kernels_.run(k, {{1, 1, 1}, {3, 1, 1}, 0}, Params{}, 'x');
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "work-item 1 of 3: 0.25 x\n");
  EXPECT_EQ(k.attributes().parameter_bytes, (std::vector<std::size_t>{16, 1}));
}

TEST_P(CpuKernel, CountsBeyondThirtyTwoBits) {
  DeviceFunction& k = kernels_.build(R"(#include "kiln/params.h"
extern "C" __global__ void k(unsigned long long* sum, long long* last) {
  long long i = kiln::global_index_x();
  unsigned long long j = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i != (long long)j) atomicAdd(sum, 1ull << 60);
  if (i % 1048576 == 1048575) atomicAdd(sum, 1ull);
  if (i == 2305843008139952127ll || i == 4294967295ll) *last = i;
})",
                                     "k");
  unsigned long long sum = 0;
  long long last = 0;
  kernels_.run(k, {{4194304, 1, 1}, {1024, 1, 1}, 0}, &sum, &last);
  EXPECT_EQ(sum, 4096ULL);
  EXPECT_EQ(last, 4294967295LL);
}

}  // namespace
}  // namespace kiln::test
