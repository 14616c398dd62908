// What goes wrong while a kernel runs: a device fault from synchronize that says what and where, and nothing
// worse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/fault.h"
#include "kiln/error.h"
#include "support/cpu_kernels.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

class CpuFault : public ::testing::Test {
 protected:
  /// Builds `text`, whose kernel is "k", runs it on one array and returns the fault's text, "" for none.
  /// `split`: not as fibers, if it can be split at its barriers.
  std::string fault_of(const std::string& text, const LaunchShape& shape, bool split = false) {
    std::vector<int> a(4096);
    DeviceFunction& k = build(text, "k", split);
    try {
      kernels_.run(k, shape, a.data());
    } catch (const Error& fault) {
      EXPECT_EQ(fault.kind(), ErrorKind::kDeviceFault);
      return fault.what();
    }
    return "";
  }

  DeviceFunction& build(const std::string& text, const std::string& kernel, bool split = false) {
    Specialization specialization = kernels_.specialize(text, kernel);
    if (!split) specialization.options = {"-DKILN_FIBERS"};
    return kernels_.build(specialization);
  }

  CpuKernels kernels_;
};

TEST_F(CpuFault, NamesTheBarrierThatNotAllReach) {
  DeviceFunction& dot = build(R"(extern "C" __global__ void dot(int* a) {
  if (blockIdx.x == 3) {
    if (threadIdx.x >= 20) return;
    if (threadIdx.x >= 12) __syncwarp(0xffffffffu);
  }
  __syncthreads();
  a[blockIdx.x] = 1;
})",
                              "dot");
  std::vector<int> a(8);
  for (int again = 0; again < 4; ++again) {
    EXPECT_EQ(message_of(ErrorKind::kDeviceFault,
                         [&] {
                           kernels_.run(dot, {{8, 1, 1}, {64, 1, 1}, 0}, a.data());
                         }),
              "12 of 64 work-items wait at __syncthreads, 8 at a warp operation in block (3,0,0) of 'dot'; "
              "44 left the kernel");
  }
  a.assign(8, 0);
  kernels_.run(dot, {{3, 1, 1}, {64, 1, 1}, 0}, a.data());  // the device goes on
  EXPECT_EQ(a, (std::vector<int>{1, 1, 1, 0, 0, 0, 0, 0}));
}

TEST_F(CpuFault, TellsBarriersOfTwoBranchesApart) {
  EXPECT_EQ(fault_of(R"(extern "C" __global__ void k(int* a) {
  if (threadIdx.x % 4 == 0) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  a[threadIdx.x] = 1;
})",
                     {{1, 1, 1}, {8, 4, 1}, 0}),
            "8 of 32 work-items wait at __syncthreads in line 3, 24 at __syncthreads in line 5 in block "
            "(0,0,0) of 'k'");
}

TEST_F(CpuFault, SeesBarriersThatNotAllReachWithoutFibers) {
  const std::string diverged =
      "8 of 32 work-items go to a barrier by way of line 2, the others do not, in 'k'";
  const auto fault_behind = [&](const std::string& rest) {
    return fault_of(
        "extern \"C\" __global__ void k(int* a) {\n  if (threadIdx.x % 4 == 0 && threadIdx.y < 4) "
        "{\n    __syncthreads();\n    if (a[0] == 7) return;\n  }" +
            rest + "\n  a[threadIdx.x] = 1;\n}",
        {{1, 1, 1}, {8, 4, 1}, 0}, true);
  };
  EXPECT_EQ(fault_behind("\n  __syncthreads();"), diverged);
  // As fibers: warps may wait at barriers of different branches, lanes may not.
  EXPECT_EQ(
      fault_behind(" else {\n    __syncthreads();\n  }"),
      "8 of 32 work-items wait at __syncthreads in line 3, 24 at __syncthreads in line 6 in block (0,0,0) "
      "of 'k'");
  EXPECT_EQ(fault_behind("\n  if (a[1] == 0) __syncthreads();"), diverged);
  EXPECT_EQ(fault_behind("\n  if (a[1] == 5) __syncthreads();"), "");
  EXPECT_EQ(fault_behind(" else {\n    return;\n  }\n  if (a[1] == 0) __syncthreads();"), "");
  EXPECT_EQ(fault_behind(""), "");
  // In a loop: those that miss a barrier in a turn and come to one in the next.
  const auto fault_in_loop = [&](const std::string& body, const std::string& rest) {
    return fault_of("extern \"C\" __global__ void k(int* a) {\n  for (int i = 0; i < 3; ++i) {\n" + body +
                        "\n  }" + rest + "\n  a[threadIdx.x] = 1;\n}",
                    {{1, 1, 1}, {8, 4, 1}, 0}, true);
  };
  const std::string in_line_3 =
      "24 of 32 work-items go to a barrier by way of line 3, the others do not, in 'k'";
  EXPECT_EQ(fault_in_loop("if (threadIdx.x % 4 != i) __syncthreads();", ""), in_line_3);
  EXPECT_EQ(fault_in_loop("if (threadIdx.x % 4 != 1 || i < 2) __syncthreads();", ""), "");
  EXPECT_EQ(
      fault_in_loop("if (threadIdx.x % 4 != 1 || i < 2) __syncthreads();", "if (a[1] == 0) __syncthreads();"),
      in_line_3);
  EXPECT_EQ(fault_in_loop("if (threadIdx.x % 4 == i) continue;\n__syncthreads();", ""),
            "24 of 32 work-items go to a barrier by way of line 4, the others do not, in 'k'");
  EXPECT_EQ(fault_in_loop("if (threadIdx.x % 4 == 1 && i > 1) continue;\n__syncthreads();", ""), "");
  EXPECT_EQ(fault_in_loop(
                "for (int j = 0; j < 4; ++j) {\n__syncthreads();\nif (threadIdx.x % 4 == j) break; }", ""),
            "24 of 32 work-items go to a barrier by way of line 4, the others do not, in 'k'");
  EXPECT_EQ(fault_of(R"(extern "C" __global__ void k(int* a) {
  __syncthreads();
  assert(threadIdx.x != 9);
  a[0] = 1;
})",
                     {{2, 1, 1}, {32, 1, 1}, 0}, true),
            "assertion 'threadIdx.x != 9' failed at kernel.cu:3 in 'k'");
}

TEST_F(CpuFault, SeesWarpOperationsThatLanesMiss) {
  const std::string fault = fault_of(R"(extern "C" __global__ void k(int* a) {
  if (threadIdx.x < 8) a[0] = __shfl_sync(0xffffffffu, 1, 0);
  else __syncthreads();
})",
                                     {{1, 1, 1}, {32, 1, 1}, 0});
  EXPECT_NE(fault.find("24 of 32 work-items wait at __syncthreads, 8 at a warp operation"), std::string::npos)
      << fault;
}

TEST_F(CpuFault, EarlyExitWithoutALaterBarrierIsFine) {
  EXPECT_EQ(fault_of(R"(extern "C" __global__ void k(int* a) {
  __syncthreads();
  if (threadIdx.x > 3) return;
  a[threadIdx.x] = 1;
})",
                     {{5, 1, 1}, {64, 1, 1}, 0}),
            "");
}

TEST_F(CpuFault, ReportsAssertions) {
  const std::string plain = fault_of(R"(extern "C" __global__ void k(int* a) {
  assert(threadIdx.x != 9);
})",
                                     {{2, 1, 1}, {32, 1, 1}, 0});
  EXPECT_EQ(plain, "assertion 'threadIdx.x != 9' failed at kernel.cu:2 in 'k'");
  const std::string waiting = fault_of(R"(#include <assert.h>
extern "C" __global__ void k(int* a) {
  __syncthreads();
  assert(blockIdx.x == 0 || threadIdx.x != 9);
  a[0] = 1;
})",
                                       {{2, 1, 1}, {32, 1, 1}, 0});
  EXPECT_EQ(
      waiting,
      "assertion 'blockIdx.x == 0 || threadIdx.x != 9' failed at kernel.cu:4 by work-item (9,0,0) in block "
      "(1,0,0) of 'k'");
}

TEST_F(CpuFault, ReportsABarrierThatTheTextHid) {
  Specialization specialization =
      kernels_.specialize(R"(extern "C" __global__ void k(int* a) { a[0] = 1; HIDDEN })", "k");
  specialization.options = {"-DHIDDEN=__syncthreads();"};  // behind Kiln's back
  DeviceFunction& k = kernels_.build(specialization);
  std::vector<int> a(1);
  EXPECT_THAT(message_of(ErrorKind::kDeviceFault,
                         [&] {
                           kernels_.run(k, {{1, 1, 1}, {4, 1, 1}, 0}, a.data());
                         }),
              ::testing::HasSubstr("'k' reached __syncthreads in line 1"));
}

TEST_F(CpuFault, WaitsForSynchronize) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k() { assert(false); })", "k");
  void* none = nullptr;
  k.launch(kernels_.stream(), {{1, 1, 1}, {1, 1, 1}, 0}, &none);
  const auto other = kernels_.device().create_stream();
  EXPECT_NO_THROW(other->synchronize());
  EXPECT_EQ(error_of([&] { kernels_.stream().synchronize(); }).kind(), ErrorKind::kDeviceFault);
  EXPECT_NO_THROW(kernels_.stream().synchronize());
}

TEST_F(CpuFault, RefusesBlocksThatAreTooLarge) {
  DeviceFunction& k = kernels_.build(R"(extern "C" __global__ void k() {})", "k");
  EXPECT_THROW(kernels_.run(k, {{1, 1, 1}, {1025, 1, 1}, 0}), Error);
}

}  // namespace
}  // namespace kiln::test
