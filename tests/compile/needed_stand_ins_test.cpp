#include "compile/cpu/needed_stand_ins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cpu/embedded_shim.h"
#include "compile/cpu/unit.h"

namespace kiln::test {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
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

TEST(NeededStandIns, ThatTheStandardLibraryIncludesAreAlwaysThere) {
  EXPECT_THAT(needed_stand_ins({"#include <algorithm>\n"}, {}, {}),
              UnorderedElementsAre("assert.h", "cassert"));
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

}  // namespace
}  // namespace kiln::test
