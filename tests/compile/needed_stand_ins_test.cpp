#include "compile/cpu/needed_stand_ins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cpu/embedded_shim.h"
#include "compile/cpu/unit.h"

namespace kiln::test {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

TEST(NeededStandIns, AreThoseThatTheTextAsksForAndWhatTheyInclude) {
  const auto needed =
      needed_stand_ins({"#include <vector>\n#include <cub/block/block_reduce.cuh>\n#include \"mine.h\"\n",
                        "#if __has_include(<cuda_fp16.h>)\n#endif\n"},
                       {"mine.h"}, {"cuda_bf16.h", "math.h"});
  EXPECT_THAT(needed, IsSupersetOf({"cub/block/block_reduce.cuh", "kiln/cub_block.h", "kiln/cub_common.h",
                                    "cuda_fp16.h", "kiln/small_float.h", "cuda_bf16.h"}));
  EXPECT_THAT(needed, Not(Contains(StartsWith("thrust/"))));
  EXPECT_THAT(needed, Not(Contains("curand_kernel.h")));
}

TEST(NeededStandIns, ThatTheStandardLibraryIncludesAreThereWithIt) {
  EXPECT_THAT(needed_stand_ins({"#include <algorithm>\n"}, {}, {}),
              UnorderedElementsAre("assert.h", "cassert"));
  EXPECT_THAT(needed_stand_ins({"#include \"mine.h\"\n"}, {"mine.h"}, {}), IsEmpty());
}

TEST(NeededStandIns, AreAllWhereAHeaderMayIncludeAny) {
  const std::size_t all = cpu_stand_in_headers().size();
  EXPECT_THAT(needed_stand_ins({"#define HEADER <cuda_fp16.h>\n#include HEADER\n"}, {}, {}), SizeIs(all));
  EXPECT_THAT(needed_stand_ins({"#include <Eigen/Dense>\n"}, {}, {}), SizeIs(all));
  EXPECT_THAT(needed_stand_ins({"#include \"theirs.h\"\n"}, {"mine.h"}, {}), SizeIs(all));
  EXPECT_THAT(needed_stand_ins({"#include_next <cuda_fp16.h>\n"}, {}, {}), SizeIs(all));
  EXPECT_THAT(needed_stand_ins({}, {}, {"boost/core.hpp"}), SizeIs(all));
}

TEST(NeededStandIns, AreAllThatAUnitHas) {
  Specialization specialization;
  specialization.source_name = "k.cu";
  specialization.source_text = "#include <cuda_fp16.h>\n__global__ void k(half* y) { y[0] = 1; }\n";
  specialization.entries.emplace_back().name_expression = "k";
  const CpuUnit unit = make_cpu_unit(specialization, true);
  EXPECT_THAT(unit.headers, Contains(Pair("cuda_fp16.h", HasSubstr("half"))));
  EXPECT_THAT(unit.headers, Each(Pair(Not(StartsWith("thrust/")), _)));
  specialization.options = {"-imacros", "cuda_bf16.h"};
  EXPECT_THAT(make_cpu_unit(specialization, true).headers, Contains(Pair(StartsWith("thrust/"), _)));
}

/// `namespace cg = cooperative_groups;` alone needs no header, and no parts of the shim.
TEST(NeededStandIns, OfASplitTextAreThoseThatItUses) {
  Specialization specialization;
  specialization.source_name = "k.cu";
  specialization.entries.emplace_back().name_expression = "k";
  const auto split = [&](const std::string& sync) {
    const SplitUnit made = make_split_unit(
        specialization,
        "#pragma kiln_text_begins\n# 1 \"/tmp/kiln/include/cooperative_groups.h\" 1\n# 2 \"k.cu\" 2\n"
        "namespace cg = cooperative_groups;\n__global__ void k(float* a) {\n  a[threadIdx.x] += 1;\n  " +
            sync + "\n  a[threadIdx.x] += a[threadIdx.x ^ 1];\n}\n",
        true);
    EXPECT_TRUE(made.splits) << sync;
    return made.unit;
  };
  const CpuUnit plain = split("__syncthreads();");
  EXPECT_THAT(plain.headers, IsEmpty());
  EXPECT_THAT(plain.text, AllOf(Not(HasSubstr("cooperative_groups")), Not(HasSubstr("kiln shim integers"))));
  const CpuUnit grouped = split("cg::this_thread_block().sync();");
  EXPECT_THAT(grouped.headers, Contains(Pair("cooperative_groups.h", HasSubstr("thread_block"))));
  EXPECT_THAT(grouped.text, HasSubstr("namespace cg = cooperative_groups;"));
  specialization.entries.front().name_expression = "k<cg::thread_block>";
  EXPECT_THAT(split("__syncthreads();").text, HasSubstr("namespace cg = cooperative_groups;"));
}

}  // namespace
}  // namespace kiln::test
