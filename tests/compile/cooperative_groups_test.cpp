// Cooperative groups on the cpu, with exact results, for kernels that are split at their barriers and for
// those that run as fibers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/cpu_kernels.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CooperativeGroups : public ::testing::Test {
 protected:
  /// out[i] of work-item i of a block: the body may say `in` (in[i] = i) and `i`. `reason`: part of why the
  /// kernel runs as fibers; empty: it is split, and is run as fibers as well.
  std::vector<int> run(const std::string& body, unsigned block, const std::string& reason = "",
                       std::vector<std::string> options = {}, const std::string& before = "") {
    Specialization specialization = kernels_.specialize(
        "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
        "#include <cooperative_groups/scan.h>\n#include <cooperative_groups/memcpy_async.h>\n"
        "namespace cg = cooperative_groups;\n" +
            before +
            "extern \"C\" __global__ void k(int* out, const int* in) {\n  const int i = threadIdx.x;\n" +
            body + "\n}\n",
        "k");
    const bool fibers = options.empty() && reason.empty();
    specialization.options = options;
    DeviceFunction& k = kernels_.build(specialization);
    if (options.empty()) {
      const std::string because = k.attributes().fibers_because.value_or("");
      if (reason.empty())
        EXPECT_EQ(because, "");
      else
        EXPECT_THAT(because, HasSubstr(reason));
    }
    std::vector<int> out(block, -1), in(block);
    std::iota(in.begin(), in.end(), 0);
    kernels_.run(k, {{1, 1, 1}, {block, 1, 1}, 0}, out.data(), in.data());
    if (fibers) {
      EXPECT_EQ(run(body, block, reason, {"-DKILN_FIBERS"}, before), out);
    }
    return out;
  }

  template <class F>
  static std::vector<int> each(unsigned block, F value) {
    std::vector<int> result(block);
    for (unsigned i = 0; i < block; ++i) result[i] = static_cast<int>(value(static_cast<int>(i)));
    return result;
  }

  CpuKernels kernels_;
};

TEST_F(CooperativeGroups, TheBlock) {
  EXPECT_EQ(
      run("auto block = cg::this_thread_block();\n"
          "__shared__ int s[96];\ns[i] = in[i];\nblock.sync();\n"
          "out[i] = s[95 - block.thread_rank()] + 1000 * block.num_threads() + block.thread_index().x + "
          "block.group_index().x + block.group_dim().y;",
          96),
      each(96, [](int i) { return 95 - i + 96000 + i + 1; }));
}

TEST_F(CooperativeGroups, MembersWithoutAnObject) {
  EXPECT_EQ(run("out[i] = cg::grid_group::block_index().x + cg::grid_group::thread_index().x + "
                "100 * cg::grid_group::dim_threads().x + cg::grid_group::thread_rank() + "
                "cg::grid_group::num_blocks() + 100000 * cg::thread_block_tile<8>::thread_rank() + "
                "1000000 * cg::thread_block_tile<8>::meta_group_rank();",
                40),
            each(40, [](int i) { return 2 * i + 4000 + 1 + 100000 * (i % 8) + 1000000 * (i / 8); }));
}

TEST_F(CooperativeGroups, TilesOfASizeKnownAtRunTime) {
  EXPECT_EQ(run("auto block = cg::this_thread_block();\n"
                "auto tile = cg::tiled_partition(block, in[8]);\n"
                "out[i] = 1000 * tile.size() + 100 * tile.meta_group_rank() + tile.shfl(in[i], 3) + "
                "10 * tile.shfl_down(tile.thread_rank(), 2);",
                40, "tiled_partition"),
            each(40, [](int i) {
              const int rank = i % 8;
              return 8000 + 100 * (i / 8) + i / 8 * 8 + 3 + 10 * (rank < 6 ? rank + 2 : rank);
            }));
  EXPECT_EQ(run("cg::thread_group group = cg::this_thread_block();\n"
                "cg::thread_group quad = cg::tiled_partition(group, 4);\nquad.sync();\ngroup.sync();\n"
                "out[i] = 100 * group.size() + 10 * quad.size() + quad.thread_rank();",
                64, "thread_group"),
            each(64, [](int i) { return 6440 + i % 4; }));
}

/// The usual addition to a counter by one lane for all that are at it.
TEST_F(CooperativeGroups, CoalescedThreadsAreThoseOfTheBranch) {
  EXPECT_EQ(run("__shared__ int count;\nif (i == 0) count = 0;\n__syncthreads();\n"
                "out[i] = 0;\n"
                "if (in[i] % 3 == 1) {\n"
                "  auto active = cg::coalesced_threads();\n"
                "  int place = 0;\n"
                "  if (active.thread_rank() == 0) place = atomicAdd(&count, active.size());\n"
                "  place = active.shfl(place, 0) + active.thread_rank();\n"
                "  out[i] = 100 * active.size() + place;\n"
                "} else if (in[i] % 3 == 2) {\n"
                "  auto active = cg::coalesced_threads();\n"
                "  out[i] = -static_cast<int>(active.size()) - 100 * active.any(i == 2) - 1000 * "
                "__popc(active.ballot(i > 8));\n"
                "}",
                32),
            each(32, [](int i) { return i % 3 == 1   ? 1100 + i / 3
                                        : i % 3 == 2 ? -7110
                                                     : 0; }));
}

TEST_F(CooperativeGroups, ActiveMaskIsThatOfTheBranch) {
  EXPECT_EQ(run("goto next;\nnext:\nunsigned mask = 0;\nif (i < 5) {\n  mask = __activemask();\n"
                "  out[i] = __popc(mask) + 10 * __shfl_sync(mask, i, 4);\n} else {\n"
                "  out[i] = -__popc(__activemask());\n}",
                20, "goto"),
            each(20, [](int i) { return i < 5 ? 45 : -15; }));
}

TEST_F(CooperativeGroups, Partitions) {
  EXPECT_EQ(run("auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n"
                "auto part = cg::labeled_partition(warp, (i * 7) % 5);\n"
                "out[i] = 1000 * part.meta_group_rank() + 100 * part.meta_group_size() + 10 * part.size() + "
                "part.thread_rank();",
                32, "labeled_partition"),
            each(32, [](int i) {
              const int label = i * 7 % 5;
              const int first = label == 0 ? 0 : label == 2 ? 1 : label == 4 ? 2 : label == 1 ? 3 : 4;
              return 1000 * label + 500 + 10 * (first < 2 ? 7 : 6) + (i - first) / 5;
            }));
  EXPECT_EQ(run("auto warp = cg::tiled_partition<16>(cg::this_thread_block());\n"
                "auto part = cg::binary_partition(warp, i % 16 < 3);\n"
                "out[i] = 100 * part.size() + part.thread_rank() + 1000 * cg::reduce(part, i % 16, "
                "cg::plus<int>());",
                32, "binary_partition"),
            each(32, [](int i) { return i % 16 < 3 ? 300 + i % 16 + 3000 : 1300 + i % 16 - 3 + 117000; }));
}

TEST_F(CooperativeGroups, Reductions) {
  EXPECT_EQ(run("auto tile = cg::tiled_partition<8>(cg::this_thread_block());\n"
                "out[i] = cg::reduce(tile, in[i], cg::plus<int>()) + 1000 * cg::reduce(tile, in[i], "
                "cg::greater<int>());",
                64),
            each(64, [](int i) { return 8 * (i / 8 * 8) + 28 + 1000 * (i / 8 * 8 + 7); }));
}

TEST_F(CooperativeGroups, Scans) {
  EXPECT_EQ(run("auto tile = cg::tiled_partition<16>(cg::this_thread_block());\n"
                "out[i] = cg::inclusive_scan(tile, in[i]) + 1000 * cg::exclusive_scan(tile, i % 16, "
                "cg::plus<int>());",
                48, "scan"),
            each(48, [](int i) {
              const int first = i / 16 * 16, rank = i % 16;
              return first * (rank + 1) + rank * (rank + 1) / 2 + 1000 * (rank * (rank - 1) / 2);
            }));
}

/// A text's own function of that name is no reason for fibers.
TEST_F(CooperativeGroups, AScanOfTheText) {
  EXPECT_EQ(run("auto block = cg::this_thread_block();\n__shared__ int s[32];\ns[i] = in[i];\nblock.sync();\n"
                "out[i] = inclusive_scan(s, i);",
                32, "", {},
                "__device__ int inclusive_scan(const int* s, int n) {\n  int sum = 0;\n"
                "  for (int j = 0; j <= n; ++j) sum += s[j];\n  return sum;\n}\n"),
            each(32, [](int i) { return i * (i + 1) / 2; }));
}

TEST_F(CooperativeGroups, CopiesByAGroup) {
  EXPECT_EQ(run("auto block = cg::this_thread_block();\n__shared__ int s[64];\n"
                "cg::memcpy_async(block, s, in, sizeof(int) * 64);\ncg::wait(block);\n"
                "out[i] = s[63 - i];",
                64),
            each(64, [](int i) { return 63 - i; }));
}

TEST_F(CooperativeGroups, ShufflesOfLargeTypes) {
  EXPECT_EQ(run("auto part = cg::tiled_partition(cg::this_thread_block(), 32);\n"
                "struct Three { double a, b; int c; } three = {1.0 * i, 2.0, i};\n"
                "const Three other = part.shfl_xor(three, 5);\n"
                "out[i] = static_cast<int>(other.a + other.b) + other.c;",
                32, "tiled_partition"),
            each(32, [](int i) { return 2 * (i ^ 5) + 2; }));
}

/// A sum by a function that takes any group, whose size it learns when it runs.
TEST_F(CooperativeGroups, AnyGroupAsAnArgument) {
  const std::string sum =
      "__device__ int sum(const cg::thread_group& g, int* s, int value) {\n"
      "  const int rank = g.thread_rank();\n  for (int n = g.size() / 2; n > 0; n /= 2) {\n"
      "    s[rank] = value;\n    g.sync();\n    if (rank < n) value += s[rank + n];\n    g.sync();\n  }\n"
      "  return value;\n}\n";
  EXPECT_EQ(run("__shared__ int s[64];\nauto block = cg::this_thread_block();\n"
                "auto tile = cg::tiled_partition<8>(block);\n"
                "const int of_block = sum(block, s, in[i]), of_tile = sum(tile, s + i / 8 * 8, in[i]);\n"
                "const int of_cluster = sum(cg::this_cluster(), s, 1);\n"
                "out[i] = (i == 0 ? of_block + 10000 * of_cluster : 0) + (i % 8 == 0 ? of_tile : 0);",
                64, "'sum', which waits in a way", {}, sum),
            each(64, [](int i) { return (i == 0 ? 2016 + 640000 : 0) + (i % 8 == 0 ? 8 * i + 28 : 0); }));
}

/// Of one block, which is all of the cluster.
TEST_F(CooperativeGroups, AClusterOfOneBlock) {
  EXPECT_EQ(run("__shared__ int s[96];\nauto cluster = cg::this_cluster();\ns[i] = in[i];\ncluster.sync();\n"
                "const int* other = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % "
                "cluster.num_blocks());\n"
                "out[i] = other[95 - cluster.thread_rank()] + 1000 * cluster.num_threads() + "
                "cluster.dim_blocks().x + cluster.query_shared_rank(s);",
                96, "this_cluster"),
            each(96, [](int i) { return 95 - i + 96000 + 1; }));
  EXPECT_EQ(
      run("__shared__ int s[40];\ns[i] = in[i];\n__cluster_barrier_arrive();\n__cluster_barrier_wait();\n"
          "out[i] = s[39 - i] + __clusterSizeInBlocks() + 10 * __clusterDim().x + "
          "100 * __clusterRelativeBlockRank();",
          40, "__cluster"),
      each(40, [](int i) { return 39 - i + 11; }));
  EXPECT_THAT(([&] {
                run("__shared__ int s[32];\nout[i] = *cg::this_cluster().map_shared_rank(s, 1);", 32,
                    "this_cluster");
              }),
              ::testing::ThrowsMessage<std::exception>(HasSubstr("rank of a block < blocks of the cluster")));
}

TEST_F(CooperativeGroups, TilesOfSeveralWarps) {
  for (const char* const size : {"64", "kTile"}) {
    EXPECT_EQ(
        run("__shared__ cg::block_tile_memory<128> memory;\n__shared__ int s[128], t[128];\n"
            "auto block = cg::this_thread_block(memory);\nauto tile = cg::tiled_partition<" +
                std::string(size) +
                ">(block);\n"
                "if (tile.meta_group_rank() == 1) {\n  s[i] = i;\n  tile.sync();\n"
                "  t[i] = s[i] + s[127 - tile.thread_rank()];\n}\nblock.sync();\n"
                "const int sum = cg::reduce(tile, in[i], cg::plus<int>());\n"
                "const int most = cg::reduce(tile, (in[i] * 37) % 101, cg::greater<int>());\n"
                "const int scan = cg::inclusive_scan(tile, 1) + 100 * cg::exclusive_scan(tile, 1);\n"
                "const int votes = tile.any(i == 70) + 2 * tile.all(i < 64);\n"
                "out[i] = (sum == (i < 64 ? 2016 : 6112)) + 2 * (scan == 101 * (i % 64) + 1) + "
                "4 * (votes == (i < 64 ? 2 : 1)) + 8 * (tile.shfl(i, 5) == i / 64 * 64 + 5) + "
                "16 * (i < 64 || t[i] == 191) + 32 * (tile.size() == 64 && tile.meta_group_size() == 2) + "
                "1000 * most;",
            128, "block_tile_memory", {}, "constexpr int kTile = 64;\n"),
        each(128, [](int i) {
          int most = 0;
          for (int j = i / 64 * 64; j < i / 64 * 64 + 64; ++j) most = std::max(most, j * 37 % 101);
          return 63 + 1000 * most;
        }));
  }
  for (const char* const size : {"64", "kTile"}) {  // newer GPUs do not need the memory
    EXPECT_EQ(run("__shared__ int s[128];\nauto tile = cg::tiled_partition<" + std::string(size) +
                      ">(cg::this_thread_block());\ns[i] = in[i];\ntile.sync();\n"
                      "out[i] = s[i / 64 * 64 + 63 - tile.thread_rank()];",
                  128, size[0] == '6' ? "more than 32 lanes" : "", {"-O1"}, "constexpr int kTile = 64;\n"),
              each(128, [](int i) { return i / 64 * 64 + 63 - i % 64; }));
  }
}

}  // namespace
}  // namespace kiln::test
