// Clusters of several blocks on the cpu: their barrier, each other's shared memory, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "gpu/launch_kernels.h"
#include "specialize/ptx_words.h"
#include "support/cpu_kernels.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CpuCluster : public ::testing::Test {
 protected:
  DeviceFunction& build(const std::string& text, const std::string& entry = "k") {
    return kernels_.build(kernels_.specialize(text, entry));
  }
  static std::string text_of(const std::string& body, const std::string& attribute = "") {
    return "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
           "extern \"C\" __global__ void " +
           attribute + " k(int* out, int n) {\nauto cluster = cg::this_cluster();\n" + body + "\n}\n";
  }
  static LaunchShape clusters_of(Dim3 cluster, Dim3 grid, unsigned block, std::size_t dynamic = 0) {
    LaunchShape shape{grid, {block, 1, 1}, dynamic};
    shape.cluster = cluster;
    return shape;
  }

  CpuKernels kernels_{"", 2};
};

TEST_F(CpuCluster, BlocksReachEachOthersSharedMemory) {
  DeviceFunction& k = build(text_of(R"(
  __shared__ int fixed[16];
  extern __shared__ int dynamic[];
  const int item = threadIdx.x, block = blockIdx.x;
  int* const next = cluster.map_shared_rank(dynamic, (cluster.block_rank() + 1) % cluster.num_blocks());
  for (int step = 0; step < n; ++step) {
    fixed[item] = 1000 * block + item + step;
    dynamic[item] = 0;
    cluster.sync();
    atomicAdd(&next[15 - item], cluster.map_shared_rank(fixed, 0)[item]);
    cluster.sync();
    out[block * 16 + item] = dynamic[item];
    cluster.sync();
  })"));
  constexpr int kBlocks = 12, kSteps = 3;
  for (const unsigned size : {1u, 2u, 3u, 4u, 6u, 12u}) {
    std::vector<int> out(kBlocks * 16, -1);
    kernels_.run(k, clusters_of({size, 1, 1}, {kBlocks, 1, 1}, 16, 16 * sizeof(int)), out.data(), kSteps);
    for (int i = 0; i < kBlocks * 16; ++i) {
      const int first = i / 16 / static_cast<int>(size) * static_cast<int>(size);
      EXPECT_EQ(out[static_cast<std::size_t>(i)], 1000 * first + 15 - i % 16 + kSteps - 1)
          << size << ' ' << i;
    }
  }
}

TEST_F(CpuCluster, RanksAndExtentsAlongThreeAxes) {
  DeviceFunction& k = build(text_of(R"(
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const dim3 own = cluster.block_index(), extent = cluster.dim_blocks(), items = cluster.dim_threads();
  const dim3 index = cluster.thread_index(), number = __clusterIdx(), all = __clusterGridDimInClusters();
  const auto grid = cg::this_grid();
  const bool right = cluster.block_rank() == own.x + extent.x * (own.y + extent.y * own.z) &&
                     cluster.thread_rank() == cluster.block_rank() * 4 + threadIdx.x &&
                     cluster.num_threads() == cluster.num_blocks() * 4 && items.x == 4 * extent.x &&
                     index.x == 4 * own.x + threadIdx.x && index.y == own.y && index.z == own.z &&
                     number.x * extent.x + own.x == blockIdx.x && number.y * extent.y + own.y == blockIdx.y &&
                     all.x * extent.x == gridDim.x && grid.num_clusters() == all.x * all.y * all.z &&
                     grid.cluster_rank() == number.x + all.x * (number.y + all.y * number.z);
  __shared__ int mine;
  if (threadIdx.x == 0) mine = block;
  cluster.sync();
  const unsigned last = cluster.num_blocks() - 1;
  int* const there = cluster.map_shared_rank(&mine, last);
  const bool found = cluster.query_shared_rank(there) == last &&
                     cluster.query_shared_rank(&mine) == cluster.block_rank() &&
                     __cluster_query_shared_rank(there) == last;
  if (threadIdx.x == 0) out[block] = right && found ? *there : -1;
  cluster.sync();)"));
  std::vector<int> out(4 * 6 * 2, -2);
  kernels_.run(k, clusters_of({2, 3, 1}, {4, 6, 2}, 4), out.data(), 0);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 6; ++y)
      for (int x = 0; x < 4; ++x)
        EXPECT_EQ(out[static_cast<std::size_t>(x + 4 * (y + 6 * z))],
                  x / 2 * 2 + 1 + 4 * (y / 3 * 3 + 2 + 6 * z));
}

/// The text that the GPU's test has: special registers, `mapa`, and loads by 32-bit addresses.
TEST_F(CpuCluster, ByInstructions) {
  DeviceFunction& sum = build(without_simple_ptx(kClusterSum), "cluster_sum");
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    std::vector<int> out(16);
    LaunchShape shape = clusters_of({size, 1, 1}, {16, 1, 1}, 32);
    int* data = out.data();
    kernels_.run(sum, shape, data);
    EXPECT_THAT(out, Each(static_cast<int>(size * (size + 1) / 2))) << size;
  }
}

TEST_F(CpuCluster, ExtentsOfTheText) {
  const std::string body =
      "__shared__ int s; s = blockIdx.x; cluster.sync();\n"
      "out[blockIdx.x] = *cluster.map_shared_rank(&s, cluster.num_blocks() - 1) + "
      "100 * cluster.num_blocks();\ncluster.sync();";
  std::vector<int> out(6);
  kernels_.run(build(text_of(body, "__cluster_dims__(3, 1, 1)")), {{6, 1, 1}, {8, 1, 1}, 0}, out.data(), 0);
  EXPECT_THAT(out, ElementsAre(302, 302, 302, 305, 305, 305));
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [&] {
                           kernels_.run(build(text_of(body, "__cluster_dims__(3)")),
                                        clusters_of({2, 1, 1}, {6, 1, 1}, 8), out.data(), 0);
                         }),
              HasSubstr("has __cluster_dims__(3,1,1) and is launched in clusters of (2,1,1)"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [&] {
                           kernels_.run(build(text_of(body, "__cluster_dims__(4)")),
                                        {{6, 1, 1}, {8, 1, 1}, 0}, out.data(), 0);
                         }),
              HasSubstr("a grid of (6,1,1), which is no multiple of its cluster of (4,1,1)"));
  // Of a template's parameter, and of a constant of the kernel's namespace.
  const std::string text =
      "#include <cooperative_groups.h>\nnamespace a { constexpr int kTwo = 2;\n"
      "template <class T, int N> __global__ __cluster_dims__(N * kTwo, 1) void k(T* out, int n) {\n"
      "  auto cluster = cooperative_groups::this_cluster();\n" +
      body + "\n}\n}\n";
  std::vector<int> four(8);
  kernels_.run(build(text, "a::k<int, 2>"), {{8, 1, 1}, {8, 1, 1}, 0}, four.data(), 0);
  EXPECT_THAT(four, ElementsAre(403, 403, 403, 403, 407, 407, 407, 407));
}

TEST_F(CpuCluster, ExtentsOfTheTextAreTheKernelsOwn) {
  const std::string body =
      "int* out, int n) { out[blockIdx.x] = cooperative_groups::this_cluster().num_blocks(); }\n";
  const std::string text =
      "#include <cooperative_groups.h>\nstruct Two { static constexpr int kN = 2; };\n"
      "namespace b { __global__ void __cluster_dims__(3, 1, 1) k(" +
      body + "}\nnamespace a { __global__ void k(" + body +
      "template <class C> __global__ void __cluster_dims__(C::kN) t(" + body + "}\n";
  std::vector<int> out(4);
  kernels_.run(build(text, "a::k"), {{4, 1, 1}, {1, 1, 1}, 0}, out.data(), 0);
  EXPECT_THAT(out, Each(1));
  kernels_.run(build(text, "a::t<Two>"), {{4, 1, 1}, {1, 1, 1}, 0}, out.data(), 0);
  EXPECT_THAT(out, Each(2));
  // Without an operation of clusters such a kernel is split as any other.
  DeviceFunction& split = build(
      "#include <algorithm>\nextern \"C\" __global__ void __cluster_dims__(2) k(int* out, int n) {\n"
      "  __shared__ int s[8];\n  s[threadIdx.x] = std::max(n, 0) + threadIdx.x;\n  __syncthreads();\n"
      "  out[blockIdx.x] = s[7 - blockIdx.x];\n}\n");
  EXPECT_EQ(split.attributes().fibers_because.value_or(""), "");
  kernels_.run(split, {{4, 1, 1}, {8, 1, 1}, 0}, out.data(), 5);
  EXPECT_THAT(out, ElementsAre(12, 11, 10, 9));
}

/// As on a GPU, those that have left are not waited for.
TEST_F(CpuCluster, BlocksAndWorkItemsMayLeave) {
  DeviceFunction& k = build(text_of(R"(
  if (cluster.block_rank() == 1 || threadIdx.x > 4) return;
  for (int step = 0; step < 50; ++step) cluster.sync();
  out[blockIdx.x] = 1;)"));
  std::vector<int> out(8);
  kernels_.run(k, clusters_of({4, 1, 1}, {8, 1, 1}, 8), out.data(), 0);
  EXPECT_THAT(out, ElementsAre(1, 0, 1, 1, 1, 0, 1, 1));
}

TEST_F(CpuCluster, WithASyncOfTheGrid) {
  DeviceFunction& k = build(text_of(R"(
  __shared__ int s;
  if (threadIdx.x == 0) { s = blockIdx.x; out[blockIdx.x] = s; }
  cluster.sync();
  const int other = *cluster.map_shared_rank(&s, 1 - cluster.block_rank());
  cg::this_grid().sync();
  const int far = out[(blockIdx.x + 4) % gridDim.x];
  cg::this_grid().sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 10 * other + far;)"));
  std::vector<int> out(8);
  LaunchShape shape = clusters_of({2, 1, 1}, {8, 1, 1}, 8);
  shape.cooperative = true;
  kernels_.run(k, shape, out.data(), 0);
  EXPECT_THAT(out, ElementsAre(14, 5, 36, 27, 50, 41, 72, 63));
}

TEST_F(CpuCluster, FaultsEndTheLaunch) {
  std::vector<int> out(8);
  DeviceFunction& far =
      build(text_of("__shared__ int s; cluster.sync();\n"
                    "out[0] = *cluster.map_shared_rank(&s, 2); cluster.sync();"));
  EXPECT_THAT(message_of(ErrorKind::kDeviceFault,
                         [&] {
                           kernels_.run(far, clusters_of({2, 1, 1}, {8, 1, 1}, 8), out.data(), 0);
                         }),
              HasSubstr("'rank of a block < blocks of the cluster' failed"));
  DeviceFunction& apart =
      build(text_of("if (threadIdx.x < 3) cluster.sync(); else __syncthreads();\n"
                    "cluster.sync();"));
  EXPECT_THAT(message_of(ErrorKind::kDeviceFault,
                         [&] {
                           kernels_.run(apart, clusters_of({2, 1, 1}, {8, 1, 1}, 8), out.data(), 0);
                         }),
              HasSubstr("work-items wait"));
  EXPECT_THAT(message_of(ErrorKind::kBadInput,
                         [&] {
                           kernels_.run(far, clusters_of({32, 1, 1}, {64, 1, 1}, 8), out.data(), 0);
                         }),
              HasSubstr("clusters of (32,1,1); the cpu takes at most 16 blocks"));
}

}  // namespace
}  // namespace kiln::test
