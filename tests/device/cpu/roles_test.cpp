// Blocks whose warps have roles: they wait at barriers of different branches, and at barriers by number.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "device/cpu/kernel_fixture.h"
#include "kiln/error.h"
#include "specialize/ptx_words.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class CpuRoles : public CpuKernel {
 protected:
  /// Runs kernel "k" with arguments `out` and `in` of 256 elements, the latter 1, 2, 3, ...; it has to run as
  /// fibers because of `because`.
  std::vector<int> run(const std::string& text, unsigned items, const std::string& because) {
    DeviceFunction& k = kernels_.build(
        "extern \"C\" __global__ void k(int* out, const int* in) " + without_simple_ptx(text), "k");
    EXPECT_THAT(k.attributes().fibers_because.value_or(""), HasSubstr(because));
    std::vector<int> out(256), in(256);
    std::iota(in.begin(), in.end(), 1);
    kernels_.run(k, {{2, 1, 1}, {items, 1, 1}, 0}, out.data(), in.data());
    return out;
  }
  std::string fault_of(const std::string& text, unsigned items) {
    try {
      run(text, items, "");
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  }

  const std::string branches_ = "barriers in several branches of a condition";
};
INSTANTIATE_TEST_SUITE_P(Compilers, CpuRoles, ::testing::Values("g++", "clang++"), compiler_label);

/// What the kernels below compute: 2 * in, in the first 128 elements of `out`.
std::vector<int> doubled() {
  std::vector<int> expected(256);
  for (int i = 0; i < 128; ++i) expected[static_cast<std::size_t>(i)] = 2 * (i + 1);
  return expected;
}

TEST_P(CpuRoles, ProducersAndConsumersInTwoBranches) {
  const std::string head = R"({
  __shared__ int s[2][32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
)";
  const std::string produce = R"(for (int i = 0; i < 4; ++i) {
      s[i % 2][lane] = in[i * 32 + lane];
      __syncthreads();
    })";
  const std::string consume = R"(for (int i = 0; i < 4; ++i) {
      __syncthreads();
      out[i * 32 + lane] = 2 * s[i % 2][lane];
    })";
  EXPECT_EQ(run(head + "if (warp == 0) {" + produce + "} else {" + consume + "}}", 64, branches_), doubled());
  EXPECT_EQ(run(head + "if (warp == 0) {" + produce + "return; }" + consume + "}", 64, branches_), doubled());
  EXPECT_EQ(run(head + "if (warp == 0) {" + produce + "}\nif (warp != 0) {" + consume + "}}", 64, branches_),
            doubled());
  EXPECT_EQ(run(head + "if (warp == 0) {" + produce + "}\nif (warp == 1) {" + consume + "}}", 64, branches_),
            doubled());
  EXPECT_EQ(
      run(head + "const bool first = warp < 1;\nif (first) {" + produce + "}\nif (!first) {" + consume + "}}",
          64, branches_),
      doubled());
  EXPECT_EQ(
      run(head + "switch (warp) { case 0: {" + produce + "} break; default: {" + consume + "} break; }}", 64,
          branches_),
      doubled());
}

TEST_P(CpuRoles, RolesInFunctions) {
  DeviceFunction& k = kernels_.build(R"(__device__ void produce(int* s, const int* in, int lane) {
  for (int i = 0; i < 4; ++i) {
    s[i % 2 * 32 + lane] = in[i * 32 + lane];
    __syncthreads();
  }
}
__device__ void consume(const int* s, int* out, int lane) {
  for (int i = 0; i < 4; ++i) {
    __syncthreads();
    out[i * 32 + lane] = 2 * s[i % 2 * 32 + lane];
  }
}
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ int s[64];
  if (threadIdx.y == 0) produce(s, in, threadIdx.x);
  else consume(s, out, threadIdx.x);
})",
                                     "k");
  std::vector<int> out(256), in(256);
  std::iota(in.begin(), in.end(), 1);
  kernels_.run(k, {{1, 1, 1}, {32, 2, 1}, 0}, out.data(), in.data());
  EXPECT_EQ(out, doubled());
}

TEST_P(CpuRoles, ConditionsOfTheWholeBlockStaySplit) {
  DeviceFunction& k = kernels_.build(R"(struct Mode { static constexpr bool kTwice = true; };
template <class M>
__device__ int exchanged(M mode, int* s, int value) {
  s[threadIdx.x] = value;
  if constexpr (mode.kTwice) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  return s[63 - threadIdx.x];
}
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ int s[64];
  const Mode mode = {};
  out[threadIdx.x] = exchanged(mode, s, in[threadIdx.x]);
  __syncthreads();
  if (blockIdx.x == 0) {
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
  } else {
    s[63 - threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[64 + threadIdx.x] = s[threadIdx.x];
  }
})",
                                     "k");
  EXPECT_EQ(k.attributes().fibers_because.value_or(""), "");
  std::vector<int> out(128), in(64), expected(128);
  std::iota(in.begin(), in.end(), 0);
  for (int i = 0; i < 128; ++i) expected[static_cast<std::size_t>(i)] = 63 - i % 64;
  kernels_.run(k, {{2, 1, 1}, {64, 1, 1}, 0}, out.data(), in.data());
  EXPECT_EQ(out, expected);
}

/// Two warps produce and one consumes by barriers 1 (full) and 2 (empty) of 96 work-items; the fourth warp
/// and the whole block's barriers have no part in them.
TEST_P(CpuRoles, BarriersByNumber) {
  const std::vector<int> out = run(R"({
  __shared__ int s[64];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  __syncthreads();
  if (warp < 2) {
    for (int i = 0; i < 2; ++i) {
      if (i > 0) asm volatile("bar.sync 2, 96;" ::: "memory");
      s[threadIdx.x] = in[i * 64 + threadIdx.x];
      asm volatile("bar.arrive %0, %1;" : : "r"(1), "r"(96) : "memory");
    }
  } else if (warp == 2) {
    for (int i = 0; i < 2; ++i) {
      asm volatile("barrier.cta.sync.aligned 1, 96;");
      out[i * 64 + lane] = 2 * s[lane];
      out[i * 64 + 32 + lane] = 2 * s[lane + 32];
      if (i < 1) asm volatile("barrier.arrive 2, 96;" ::: "memory");
    }
  }
  __syncthreads();
})",
                                   128, "kiln_named_barrier");
  EXPECT_EQ(out, doubled());
}

TEST_P(CpuRoles, BarriersByNumberOfFunctions) {
  const std::vector<int> out = run(R"({
  __shared__ int s[2][32];
  const int half = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = 0; i < 2; ++i) {
    s[half][31 - lane] = in[(2 * i + half) * 32 + lane];
    __barrier_sync_count(1 + half, 32);
    const int value = s[half][31 - lane];
    out[(2 * i + half) * 32 + lane] = 2 * value;
    __barrier_sync(5);
  }
})",
                                   64, "__barrier_sync");
  EXPECT_EQ(out, doubled());
}

/// Of a warp whose lanes do not come together the barriers are two, of which no GPU promises anything.
TEST_P(CpuRoles, LanesOfAWarpAtDifferentBarriersAreAFault) {
  EXPECT_THAT(
      fault_of("{\n  if (threadIdx.x < 8) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }\n"
               "  out[threadIdx.x] = in[0];\n}",
               64),
      HasSubstr("8 of 64 work-items wait at __syncthreads in line 3, 56 at __syncthreads in line 5"));
  EXPECT_THAT(fault_of("{\n  if (threadIdx.x < 32) asm(\"bar.sync 1, 64;\");\n  out[0] = in[0];\n}", 64),
              HasSubstr("32 of 64 work-items wait at a cuda::barrier, a cuda::pipeline or a named barrier in "
                        "line 2"));
  EXPECT_THAT(fault_of("{\n  asm(\"bar.sync %0, 64;\" :: \"r\"(in[15]));\n  out[0] = in[0];\n}", 64),
              HasSubstr("the number of a barrier is below 16"));
}

/// A count that a block leaves behind is not the next block's.
TEST_P(CpuRoles, EachBlockCountsAnew) {
  DeviceFunction& k = kernels_.build(without_simple_ptx(R"(extern "C" __global__ void k(int* out) {
  __shared__ int s;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) s = 7 + blockIdx.x;
    asm("bar.sync 3, 64;");
  } else {
    asm("bar.sync 3, 64;");
    out[blockIdx.x * 32 + threadIdx.x - 32] = s;
    asm("bar.arrive 3, 64;");
  }
})"),
                                     "k");
  std::vector<int> out(256), expected(256);
  for (int i = 0; i < 256; ++i) expected[static_cast<std::size_t>(i)] = 7 + i / 32;
  kernels_.run(k, {{8, 1, 1}, {64, 1, 1}, 0}, out.data());
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace kiln::test
