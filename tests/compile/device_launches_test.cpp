// Kernels that launch kernels, on the cpu; the same by NVRTC: cuda/nvrtc_compiler_test.cpp.
#include "compile/device_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/unsupported.h"
#include "kiln/error.h"
#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string edited(const std::string& text) {
  const Outline outlined = outline(text);
  return apply_edits(
      text, device_launch_edits(outlined, [](const std::string& name) { return name == "waits<int,4>"; }));
}

TEST(DeviceLaunchEdits, NameTheKernelWithItsScopeAndArguments) {
  EXPECT_EQ(edited("k<<<1, 2>>>(a);"), "kiln::cpu::DeviceLaunch<&k, false>(\"k\", 1, 2)(a);");
  EXPECT_EQ(
      edited("if (x < y) ns::waits<int, 4><<<dim3(n >> 2, 1), b[i > 3], 0, s>>>(a, b);"),
      "if (x < y) kiln::cpu::DeviceLaunch<&ns::waits<int, 4>, false>(\"waits\", dim3(n >> 2, 1), b[i > 3], "
      "0, s)(a, b);");
  EXPECT_EQ(edited("waits<int, 4><<<g, b>>>();"),
            "kiln::cpu::DeviceLaunch<&waits<int, 4>, true>(\"waits\", g, b)();");
  EXPECT_EQ(edited("a = b << c; d < e; operator<<(f);"), "a = b << c; d < e; operator<<(f);");
}

TEST(LaunchesFromKernels, MacrosCountWhereTheyAreUsed) {
  const auto launches = [](const std::string& text, const std::string& header = "") {
    Specialization specialization;
    specialization.source_text = text;
    specialization.headers.push_back({});
    specialization.headers.back().text = header;
    return launches_from_kernels(specialization);
  };
  const std::string macro = "#\n#define RUN(k, n) k<<<n, 32>>>(n)\n";
  EXPECT_TRUE(launches("__global__ void k(int n) { if (n > 0) k<<<1, n>>>(n - 1); }"));
  EXPECT_TRUE(launches("", "__device__ void run() { k<<<1, 1>>>(); }"));
  EXPECT_TRUE(launches("__global__ void k(int n) { RUN(k, n); }", macro));
  EXPECT_FALSE(launches("__global__ void k(int n) {}", macro));
  EXPECT_FALSE(launches("// k<<<1, 1>>>()\n__device__ int a = 1 << 3;\n"));
}

class DeviceLaunchTest : public ::testing::Test {
 protected:
  /// `out` of a kernel k(int* out) of one block, the same where k is split at its barriers and where it runs
  /// as fibers.
  std::vector<int> run(const std::string& text, std::size_t count, unsigned block = 32) {
    std::vector<int> out(count, -1), as_fibers(count, -1);
    Specialization specialization = kernels_.specialize(text, "k");
    kernels_.run(kernels_.build(specialization), {{1, 1, 1}, {block, 1, 1}, 0}, out.data());
    specialization.options = {"-DKILN_FIBERS"};
    kernels_.run(kernels_.build(specialization), {{1, 1, 1}, {block, 1, 1}, 0}, as_fibers.data());
    EXPECT_EQ(out, as_fibers);
    return out;
  }

  std::string fault_of(const std::string& text) {
    try {
      run(text, 64);
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  }

  CpuKernels kernels_;
};

// A grid counts as ended when what it launched has ended, and a last launch comes behind all others.
TEST_F(DeviceLaunchTest, RunInOrderEachWithWhatItLaunches) {
  EXPECT_THAT(run(R"(
__device__ int next;
__global__ void note(int* out, int what) { out[next++] = what; }
template <int kDepth> __global__ void more(int* out, int what) {
  if constexpr (kDepth > 0) {
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(out, what + 5);
    more<kDepth - 1><<<1, 1>>>(out, what * 10);
  }
  note<<<1, 1>>>(out, what);
}
extern "C" __global__ void k(int* out) {
  if (threadIdx.x == 0) {
    next = 0;
    more<2><<<1, 1>>>(out, 1);
    note<<<1, 1>>>(out, 3);
  }
}
)",
                  7, 8),
              ElementsAre(100, 10, 15, 1, 6, 3, -1));
}

// The launches see what the block wrote before; barriers, dynamic shared memory, classes as arguments.
TEST_F(DeviceLaunchTest, TakesKernelsWithBarriersAndArgumentsOfAnyType) {
  std::vector<int> out = run(R"(
struct Scale { float by; double more[3]; };
namespace deep {
template <class T> __global__ void sums(int* out, T scale, const short add) {
  extern __shared__ int part[];
  part[threadIdx.x] = out[threadIdx.x + 4];
  __syncthreads();
  for (int w = blockDim.x / 2; w > 0; w /= 2) {
    if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = int(part[0] * scale.by + scale.more[2]) + add;
}
}
extern "C" __global__ void k(int* out) {
  out[threadIdx.x + 4] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 31) {
    const Scale scale = {2, {0, 0, 7}};
    deep::sums<Scale><<<dim3(2, 1), 32, 32 * sizeof(int)>>>(out, scale, 1000);
  }
}
)",
                             36);
  out.resize(4);
  EXPECT_THAT(out, ElementsAre(1999, 1999, -1, -1));
}

TEST_F(DeviceLaunchTest, AreAwaitedByTheKernelAndCopiesAreInOrder) {
  EXPECT_THAT(run(R"(
__global__ void fill(int* out, int value) { out[threadIdx.x] = value + threadIdx.x; }
extern "C" __global__ void k(int* out) {
  __shared__ int seen;
  if (threadIdx.x == 0) {
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    fill<<<1, 3, 0, stream>>>(out, 10);
    cudaMemcpyAsync(out + 3, out, 2 * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    cudaMemsetAsync(out, 0, sizeof(int), stream);
    cudaDeviceSynchronize();
    seen = out[4];
    cudaStreamDestroy(stream);
    fill<<<1, 1>>>(out + 6, 30);
  }
  __syncthreads();
  if (threadIdx.x == 5) out[5] = seen + out[0];
}
)",
                  7, 8),
              ElementsAre(0, 11, 12, 10, 11, 11, 30));
}

TEST_F(DeviceLaunchTest, FaultsOfLaunchesEndTheLaunch) {
  EXPECT_THAT(
      fault_of(R"(
__global__ void child(int* out) { out[0] = 1; }
extern "C" __global__ void k(int* out) { if (threadIdx.x == 0) child<<<3, 2000>>>(out); }
)"),
      HasSubstr("a kernel launches 'child' with 3 blocks of 2000 work-items; the cpu takes at least one "
                "block of 1 to 1024"));
  const std::string asserting = R"(#include <cassert>
__global__ void child(int* out) { assert(out[0] == 5); }
extern "C" __global__ void k(int* out) {
  if (threadIdx.x == 0) {
    child<<<1, 1>>>(out);
    child<<<1, 1>>>(out);
  }
)";
  EXPECT_THAT(fault_of(asserting + "}\n"), HasSubstr("assertion 'out[0] == 5' failed"));
  EXPECT_THAT(fault_of(asserting + "  cudaDeviceSynchronize();\n}\n"), HasSubstr("in 'child'"));
}

TEST(AdviceOnUnsupported, HipHasNoLaunchesByKernels) {
  Specialization specialization;
  specialization.source_name = "k.cu";
  specialization.source_text = "__global__ void k(int* a) {\n  if (a[0] > 0) k<<<1, 1>>>(a);\n}\n";
  const std::string log = "k.cu:2:17: error: use of undeclared identifier __hipPushCallConfiguration\n";
  specialization.target.backend = "hip";
  EXPECT_EQ(advice_on_unsupported(specialization, log),
            "k.cu:2 launches a kernel from a kernel (dynamic parallelism), which HIP does not have");
  specialization.target.backend = "cpu";
  EXPECT_EQ(advice_on_unsupported(specialization, log), "");
}

}  // namespace
}  // namespace kiln::test
