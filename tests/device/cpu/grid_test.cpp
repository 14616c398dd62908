// Cooperative launches: every block runs at the same time, the grid synchronises, and what cannot end is a
// fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "support/cpu_kernels.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

// ThreadSanitizer counts fibers as threads and ends at 8128 of them.
#if defined(__SANITIZE_THREAD__)
constexpr unsigned kManyBlocks = 1000, kBlockOfFibers = 8;
#else
constexpr unsigned kManyBlocks = 5000, kBlockOfFibers = 64;
#endif

/// Split at the syncs, or with a fiber for each work-item.
class CpuGrid : public ::testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static bool fibers() { return GetParam(); }
  DeviceFunction& build(const std::string& text) {
    Specialization specialization = kernels_.specialize(text, "k");
    if (fibers()) specialization.options = {"-DKILN_FIBERS"};
    DeviceFunction& k = kernels_.build(specialization);
    EXPECT_EQ(k.attributes().fibers_because.has_value(), fibers())
        << k.attributes().fibers_because.value_or("");
    return k;
  }
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
    DeviceFunction& k = build(text_of(body));
    return message_of(ErrorKind::kDeviceFault, [&] { kernels_.run(k, shape, a.data(), 0); });
  }

  CpuKernels kernels_{"", 2};
};

TEST_P(CpuGrid, KeepsVariablesAndSharedMemoryAcrossItsSyncs) {
  // Each step every block reads what the next block wrote in the step before.
  DeviceFunction& k = build(text_of(R"(
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
  atomicAdd(&a[blocks + block], value);)"));
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

TEST_P(CpuGrid, SyncsByTheFunctionOfThatName) {
  DeviceFunction& k = build(text_of(R"(
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;
  cg::sync(cg::this_grid());
  const int other = a[n - 1 - i];
  cooperative_groups::sync(cooperative_groups::this_grid());
  a[i] = other;
  cg::sync(cg::this_thread_block());
  const int beside = a[i ^ 1];
  cg::sync(grid);
  a[i] += 1000 * beside;)"));
  std::vector<int> a(512);
  kernels_.run(k, grid_of(8, 64), a.data(), 512);
  for (int i = 0; i < 512; ++i)
    ASSERT_EQ(a[static_cast<std::size_t>(i)], 511 - i + 1000 * (511 - (i ^ 1))) << i;
}

TEST_P(CpuGrid, HasTheMembersOfTheGroup) {
  DeviceFunction& k = build(text_of(R"(
  auto token = grid.barrier_arrive();
  atomicAdd(&a[0], 1);
  grid.barrier_wait(static_cast<decltype(token)&&>(token));
  a[1 + grid.thread_rank()] = a[0] == static_cast<int>(grid.size()) && grid.is_valid() &&
      grid.num_blocks() == 6 && grid.dim_blocks().x == 3 && grid.dim_blocks().y == 2 &&
      grid.block_rank() == blockIdx.x + 3 * blockIdx.y;)"));
  LaunchShape shape{{3, 2, 1}, {8, 2, 1}, 0};
  shape.cooperative = true;
  std::vector<int> a(1 + 96);
  kernels_.run(k, shape, a.data(), 0);
  EXPECT_EQ(a[0], 96);
  EXPECT_EQ(std::accumulate(a.begin() + 1, a.end(), 0), 96);
}

TEST_P(CpuGrid, RunsBlocksThatWaitForEachOtherWithoutASync) {
  DeviceFunction& k = kernels_.build(
      "extern \"C\" __global__ void k(int* a) {\n  atomicAdd(a, 1);\n"
      "  while (atomicAdd(a, 0) < static_cast<int>(gridDim.x)) {}\n  a[1 + blockIdx.x] = 5;\n}\n",
      "k");
  std::vector<int> a(1 + 7);
  kernels_.run(k, grid_of(7, 1), a.data());
  EXPECT_EQ(a, (std::vector<int>{7, 5, 5, 5, 5, 5, 5, 5}));
}

TEST_P(CpuGrid, NamesTheSyncOfALaunchThatIsNotCooperative) {
  for (const unsigned blocks : {1U, 2U}) {
    EXPECT_THAT(fault_of("\ngrid.sync();", grid_of(blocks, 32, false)),
                ::testing::AllOf(HasSubstr("a work-item calls the grid's sync in line 6 in block ("),
                                 HasSubstr("give the kernel 'cooperative: true' in the workload")));
  }
  EXPECT_THAT(fault_of("cg::sync(grid);", grid_of(2, 32, false)), HasSubstr("in line 5"));
}

TEST_P(CpuGrid, ASyncThatNotAllReachIsAFault) {
  EXPECT_THAT(fault_of("if (blockIdx.x != 2) grid.sync();", grid_of(4, 32)),
              ::testing::AllOf(HasSubstr(" of 4 blocks wait at the grid's sync in line 5 of 'k'; "),
                               HasSubstr("left the kernel")));
  EXPECT_EQ(
      fault_of("if (blockIdx.x == 1 && threadIdx.x >= 20) return;\ngrid.sync();", grid_of(3, 32)),
      "20 of 32 work-items wait at the grid's sync in line 6 in block (1,0,0) of 'k'; 12 left the kernel");
  EXPECT_THAT(fault_of("if (threadIdx.x < 8) grid.sync();\nelse __syncthreads();", grid_of(2, 32)),
              HasSubstr(fibers() ? "of 32 work-items wait at"
                                 : "8 of 32 work-items go to a barrier by way of line 5"));
  EXPECT_THAT(fault_of("if (blockIdx.x == 3) assert(n == 1);\ngrid.sync();", grid_of(4, 32)),
              HasSubstr("assertion 'n == 1' failed"));
}

TEST_P(CpuGrid, ADeviceGoesOnAfterAFault) {
  EXPECT_NE(fault_of("if (blockIdx.x != 2) grid.sync();", grid_of(4, 32)), "");
  DeviceFunction& k = build(text_of("atomicAdd(a, 1);\ngrid.sync();\na[1] = a[0];"));
  std::vector<int> a(2);
  kernels_.run(k, grid_of(4, 32), a.data(), 0);
  EXPECT_EQ(a, (std::vector<int>{128, 128}));
}

TEST_P(CpuGrid, RefusesAGridThatDoesNotFit) {
  DeviceFunction& k = build(text_of("atomicAdd(a, 1);\ngrid.sync();"));
  int a[2] = {};
  const auto refusal = [&](unsigned blocks, unsigned block) {
    return message_of(ErrorKind::kBadInput, [&] { kernels_.run(k, grid_of(blocks, block), &a[0], 0); });
  };
  if (fibers()) {
    EXPECT_EQ(
        refusal(257, 32),
        "kernel 'k' is cooperative and is launched with 257 blocks of 32 work-items; the cpu runs at most "
        "256 blocks and 16384 work-items at the same time");
    EXPECT_THAT(refusal(17, 1024), HasSubstr("17 blocks of 1024 work-items"));
    EXPECT_EQ(a[0], 0);
    kernels_.run(k, grid_of(256, kBlockOfFibers), &a[0], 0);
    EXPECT_EQ(a[0], static_cast<int>(256 * kBlockOfFibers));
  } else {
    EXPECT_EQ(
        refusal(16385, 32),
        "kernel 'k' is cooperative and is launched with 16385 blocks; the cpu runs at most 16384 at the "
        "same time");
    EXPECT_EQ(a[0], 0);
    kernels_.run(k, grid_of(kManyBlocks, 64), &a[0], 0);
    EXPECT_EQ(a[0], static_cast<int>(kManyBlocks * 64));
  }
}

/// A sum of the grid by shuffles, blocks and steps of the grid, whose result decides a loop around a sync.
TEST_P(CpuGrid, AddsUpTheGridUntilTheSumSettles) {
  DeviceFunction& k = build(R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ int block_sum(cg::thread_block block, int* parts, int value) {
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  value = cg::reduce(warp, value, cg::plus<int>());
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = value;
  block.sync();
  int sum = 0;
  for (unsigned w = 0; w < warp.meta_group_size(); ++w) sum += parts[w];
  block.sync();
  return sum;
}
__device__ void halve(cg::grid_group grid, int* a, int n) {
  for (int i = grid.thread_rank(); i < n; i += grid.size()) a[i] /= 2;
  grid.sync();
}
extern "C" __global__ void k(int* a, int n) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int parts[32];
  int* total = a + n;
  int steps = 0;
  while (true) {
    if (grid.thread_rank() == 0) *total = 0;
    grid.sync();
    int mine = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += a[i];
    const int sum = block_sum(cg::this_thread_block(), parts, mine);
    if (threadIdx.x == 0) atomicAdd(total, sum);
    cg::this_grid().sync();
    if (*total < 100) break;
    ++steps;
    grid.sync();
    halve(grid, a, n);
  }
  if (threadIdx.x == 0) a[n + 1 + grid.block_rank()] = steps;
})");
  constexpr int kCount = 3001;
  constexpr unsigned kBlocks = 7;
  std::vector<int> a(kCount + 1 + kBlocks), expected(kCount);
  for (int i = 0; i < kCount; ++i)
    expected[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>(i)] = i % 97;
  int steps = 0;
  while (std::accumulate(expected.begin(), expected.end(), 0) >= 100) {
    for (int& value : expected) value /= 2;
    ++steps;
  }
  kernels_.run(k, grid_of(kBlocks, 96), a.data(), kCount);
  EXPECT_EQ(std::vector<int>(a.begin(), a.begin() + kCount), expected);
  EXPECT_EQ(std::vector<int>(a.begin() + kCount + 1, a.end()), std::vector<int>(kBlocks, steps));
  EXPECT_GT(steps, 4);
}

/// Variables of each work-item and arrays of it live across a sync; work-items of whole blocks have left.
TEST_P(CpuGrid, KeepsWhatEachWorkItemHas) {
  DeviceFunction& k = build(text_of(R"(
  const int rank = grid.thread_rank(), count = grid.size();
  int last[3] = {rank, 2 * rank, 3 * rank};
  float scale = 0.5f * rank;
  for (int step = 0; step < n; ++step) {
    a[rank] = last[step % 3];
    grid.sync();
    last[(step + 1) % 3] += a[(rank + 1) % count];
    scale += 1.0f;
    grid.sync();
  }
  a[rank] = last[0] + last[1] + last[2] + static_cast<int>(2.0f * scale);)"));
  constexpr int kItems = 5 * 48, kSteps = 4;
  std::vector<int> a(kItems);
  kernels_.run(k, grid_of(5, 48), a.data(), kSteps);
  std::vector<std::array<int, 3>> last(kItems);
  for (int rank = 0; rank < kItems; ++rank) last[static_cast<std::size_t>(rank)] = {rank, 2 * rank, 3 * rank};
  for (std::size_t step = 0; step < kSteps; ++step) {
    const std::vector<std::array<int, 3>> before = last;
    for (std::size_t rank = 0; rank < kItems; ++rank)
      last[rank][(step + 1) % 3] += before[(rank + 1) % kItems][step % 3];
  }
  for (std::size_t rank = 0; rank < kItems; ++rank)
    EXPECT_EQ(a[rank], last[rank][0] + last[rank][1] + last[rank][2] + static_cast<int>(rank) + 2 * kSteps)
        << rank;
}

INSTANTIATE_TEST_SUITE_P(Ways, CpuGrid, ::testing::Bool(),
                         [](const auto& variant) { return variant.param ? "Fibers" : "Split"; });

/// Blocks of these kernels wait for each other in other ways than the sync, or share what a thread has once.
TEST(CpuGridFibers, RunWhatCannotTakeTurns) {
  CpuKernels kernels("", 2);
  const auto reason = [&](const std::string& body) {
    const std::string text =
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        "__device__ int kept(int i) { __shared__ int s[64]; s[i] = i; return s[i]; }\n"
        "extern \"C\" __global__ void k(int* a, int n) {\nauto grid = cg::this_grid();\n" +
        body + "\n}\n";
    return kernels.build(text, "k").attributes().fibers_because.value_or("");
  };
  for (const char* wait :
       {"while (atomicAdd(a, 0) == 0) {}", "do { n = atomicCAS(a, 0, 0); } while (n == 0);",
        "for (;;) { if (atomicOr(a, 0) != 0) break; }", "volatile int* flag = a; while (*flag == 0) {}",
        "while (a[0] != n) __threadfence();", "while (a[0] == 0 || a[1] == 0) { __threadfence(); }",
        "do { __threadfence(); } while (a[0] == 0);",
        "for (;;) { if (a[0] != 0) break; __threadfence(); }"}) {
    EXPECT_THAT(reason(std::string("grid.sync();\n") + wait),
                HasSubstr("the grid's sync, and a wait for what another block writes"))
        << wait;
  }
  EXPECT_THAT(reason("a[0] = kept(n);\ngrid.sync();"), HasSubstr("'__shared__' of a function"));
  EXPECT_EQ(reason("for (int i = 0; i < n; ++i) if (i > 3) atomicAdd(a, 1);\ngrid.sync();"), "");
  EXPECT_EQ(reason("if (atomicAdd(a, 1) == n) a[1] = 1;\ngrid.sync();"), "");
  for (const char* loop :
       {"do { a[n] = 0; grid.sync(); } while (a[1] == 0);", "do --n; while (n > 0);\ngrid.sync();",
        "while (a[n] > 0) { n = a[n]; __threadfence(); }\ngrid.sync();",
        "while (a[1] == 0) { a[1] = 1; __threadfence(); }\ngrid.sync();",
        "while (a[1] == 0) { atomicAdd(a + 1, 1); }\ngrid.sync();"})
    EXPECT_EQ(reason(loop), "") << loop;
}

/// The first blocks wait for the last, by loads that are not volatile.
TEST(CpuGridFibers, WaitForAFlagThatIsReadPlainly) {
  CpuKernels kernels("", 2);
  DeviceFunction& k = kernels.build(R"(#include <cooperative_groups.h>
extern "C" __global__ void k(int* a) {
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) {
    a[0] = 7;
    __threadfence();
    atomicExch(a + 1, 1);
  }
  while (a[1] == 0) __threadfence();
  cooperative_groups::this_grid().sync();
  a[2 + blockIdx.x * blockDim.x + threadIdx.x] = a[0] + blockIdx.x;
})",
                                    "k");
  std::vector<int> a(2 + 5 * 32, 0);
  LaunchShape shape{{5, 1, 1}, {32, 1, 1}, 0};
  shape.cooperative = true;
  kernels.run(k, shape, a.data());
  for (std::size_t i = 2; i < a.size(); ++i) EXPECT_EQ(a[i], 7 + static_cast<int>((i - 2) / 32)) << i;
}

}  // namespace
}  // namespace kiln::test
