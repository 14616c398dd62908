// Cooperative launches: every block runs at the same time, the grid synchronises, and what cannot end is a
// fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/cpu_kernels.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class CpuGrid : public ::testing::Test {
 protected:
  static std::string text_of(const std::string& body) {
    return "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
           "extern \"C\" __global__ void k(int* a, int n) {\nauto grid = cg::this_grid();\n" +
           body + "\n}\n";
  }
  static LaunchShape grid_of(unsigned blocks, unsigned block, bool cooperative = true) {
    LaunchShape shape{{blocks, 1, 1}, {block, 1, 1}, 0};
    shape.cooperative = cooperative;
    return shape;
  }
  std::string fault_of(const std::string& body, const LaunchShape& shape) {
    std::vector<int> a(4096);
    DeviceFunction& k = kernels_.build(text_of(body), "k");
    return message_of(ErrorKind::kDeviceFault, [&] { kernels_.run(k, shape, a.data(), 0); });
  }

  CpuKernels kernels_{"", 2};
};

TEST_F(CpuGrid, KeepsVariablesAndSharedMemoryAcrossItsSyncs) {
  // Each step every block reads what the next block wrote in the step before.
  DeviceFunction& k = kernels_.build(text_of(R"(
  __shared__ int own[32];
  extern __shared__ int more[];
  const int blocks = gridDim.x, block = blockIdx.x, item = threadIdx.x;
  own[31 - item] = 1000 * block + item;
  more[item] = 7 * block + item;
  int value = block;
  for (int step = 0; step < n; ++step) {
    if (item == 0) a[block] = value;
    grid.sync();
    value = a[(block + 1) % blocks];
    cg::sync(grid);
  }
  const bool kept = own[item] == 1000 * block + 31 - item && more[31 - item] == 7 * block + 31 - item;
  if (!kept || item != static_cast<int>(threadIdx.x) || block != static_cast<int>(blockIdx.x)) value = -1;
  atomicAdd(&a[blocks + block], value);)"),
                                     "k");
  constexpr int kBlocks = 13, kSteps = 9;
  LaunchShape shape = grid_of(kBlocks, 32);
  shape.dynamic_shared_bytes = 32 * sizeof(int);
  for (int again = 0; again < 3; ++again) {
    std::vector<int> a(2 * kBlocks);
    kernels_.run(k, shape, a.data(), kSteps);
    for (int block = 0; block < kBlocks; ++block)
      EXPECT_EQ(a[static_cast<std::size_t>(kBlocks + block)], 32 * ((block + kSteps) % kBlocks)) << block;
  }
}

TEST_F(CpuGrid, HasTheMembersOfTheGroup) {
  DeviceFunction& k = kernels_.build(text_of(R"(
  auto token = grid.barrier_arrive();
  atomicAdd(&a[0], 1);
  grid.barrier_wait(static_cast<decltype(token)&&>(token));
  a[1 + grid.thread_rank()] = a[0] == static_cast<int>(grid.size()) && grid.is_valid() &&
      grid.num_blocks() == 6 && grid.dim_blocks().x == 3 && grid.dim_blocks().y == 2 &&
      grid.block_rank() == blockIdx.x + 3 * blockIdx.y;)"),
                                     "k");
  LaunchShape shape{{3, 2, 1}, {8, 2, 1}, 0};
  shape.cooperative = true;
  std::vector<int> a(1 + 96);
  kernels_.run(k, shape, a.data(), 0);
  EXPECT_EQ(a[0], 96);
  EXPECT_EQ(std::accumulate(a.begin() + 1, a.end(), 0), 96);
}

TEST_F(CpuGrid, RunsBlocksThatWaitForEachOtherWithoutASync) {
  DeviceFunction& k = kernels_.build(
      "extern \"C\" __global__ void k(int* a) {\n  atomicAdd(a, 1);\n"
      "  while (atomicAdd(a, 0) < static_cast<int>(gridDim.x)) {}\n  a[1 + blockIdx.x] = 5;\n}\n",
      "k");
  std::vector<int> a(1 + 7);
  kernels_.run(k, grid_of(7, 1), a.data());
  EXPECT_EQ(a, (std::vector<int>{7, 5, 5, 5, 5, 5, 5, 5}));
}

TEST_F(CpuGrid, NamesTheSyncOfALaunchThatIsNotCooperative) {
  for (const unsigned blocks : {1U, 2U}) {
    EXPECT_THAT(fault_of("\ngrid.sync();", grid_of(blocks, 32, false)),
                ::testing::AllOf(HasSubstr("a work-item calls the grid's sync in line 6 in block ("),
                                 HasSubstr("give the kernel 'cooperative: true' in the workload")));
  }
  EXPECT_THAT(fault_of("cg::sync(grid);", grid_of(2, 32, false)), HasSubstr("in line 5"));
}

TEST_F(CpuGrid, ASyncThatNotAllReachIsAFault) {
  EXPECT_THAT(fault_of("if (blockIdx.x != 2) grid.sync();", grid_of(4, 32)),
              ::testing::AllOf(HasSubstr(" of 4 blocks wait at the grid's sync in line 5 of 'k'; "),
                               HasSubstr("left the kernel")));
  EXPECT_EQ(
      fault_of("if (blockIdx.x == 1 && threadIdx.x >= 20) return;\ngrid.sync();", grid_of(3, 32)),
      "20 of 32 work-items wait at the grid's sync in line 6 in block (1,0,0) of 'k'; 12 left the kernel");
  EXPECT_THAT(fault_of("if (threadIdx.x < 8) grid.sync();\nelse __syncthreads();", grid_of(2, 32)),
              HasSubstr("of 32 work-items wait at"));
  EXPECT_THAT(fault_of("if (blockIdx.x == 3) assert(n == 1);\ngrid.sync();", grid_of(4, 32)),
              HasSubstr("assertion 'n == 1' failed"));
}

TEST_F(CpuGrid, ADeviceGoesOnAfterAFault) {
  EXPECT_NE(fault_of("if (blockIdx.x != 2) grid.sync();", grid_of(4, 32)), "");
  DeviceFunction& k = kernels_.build(text_of("atomicAdd(a, 1);\ngrid.sync();\na[1] = a[0];"), "k");
  std::vector<int> a(2);
  kernels_.run(k, grid_of(4, 32), a.data(), 0);
  EXPECT_EQ(a, (std::vector<int>{128, 128}));
}

TEST_F(CpuGrid, RefusesAGridThatDoesNotFit) {
  DeviceFunction& k = kernels_.build(text_of("atomicAdd(a, 1);\ngrid.sync();"), "k");
  int a[2] = {};
  EXPECT_EQ(
      message_of(ErrorKind::kBadInput, [&] { kernels_.run(k, grid_of(257, 32), &a[0], 0); }),
      "kernel 'k' is cooperative and is launched with 257 blocks of 32 work-items; the cpu runs at most 256 "
      "blocks and 16384 work-items at the same time");
  EXPECT_THAT(message_of(ErrorKind::kBadInput, [&] { kernels_.run(k, grid_of(17, 1024), &a[0], 0); }),
              HasSubstr("17 blocks of 1024 work-items"));
  EXPECT_EQ(a[0], 0);
  kernels_.run(k, grid_of(256, 64), &a[0], 0);
  EXPECT_EQ(a[0], 16384);
}

}  // namespace
}  // namespace kiln::test
