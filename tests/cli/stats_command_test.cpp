#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StatsCommand : public CliTest {
 protected:
  StatsCommand() {
    write(
        "fill.yaml",
        "workload: fill\nparameters:\n  n: {type: int, default: 64}\nbuffers: {x: {type: int, shape: [n]}}\n"
        "kernels:\n  fill: {source: fill.cu, block: [64], grid: [1], args: [x, params]}\nrun: [fill]\n"
        "verify: {checks: [{buffer: x, expected: 7}]}\n");
    write("fill.cu",
          "#include \"kiln/params.h\"\nextern \"C\" __global__ void fill(int* x, const Params p) {\n"
          "  if (threadIdx.x < p.n) x[threadIdx.x] = 7;\n}\n");
    job_ =
        write("job.yaml", "workload: fill.yaml\ndevice: cpu\nmeasure: {min_time: 1 ms, max_time: 10 ms}\n");
  }

  nlohmann::json stats() {
    const CliResult result = kiln({"cache", "stats", "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  std::string job_;
};

TEST_F(StatsCommand, AddsUpOverRuns) {
  EXPECT_EQ(stats().at("runs"), 0);
  const CliResult first = kiln({"run", job_});
  ASSERT_EQ(first.code, 0) << first.out << first.err;
  EXPECT_THAT(first.out, HasSubstr("code: 1 compiled in "));
  EXPECT_THAT(first.out, HasSubstr(" written in "));
  EXPECT_THAT(kiln({"run", job_, "--sweep", "bind.n=compile,run"}).out, HasSubstr("code: 1 compiled in "));
  EXPECT_THAT(kiln({"compile", job_}).out, HasSubstr("code: 1 from disk in "));
  const nlohmann::json sum = stats();
  EXPECT_EQ(sum.at("runs"), 3);
  EXPECT_EQ(sum.at("entries"), 2);
  EXPECT_EQ(sum.at("compiled"), 2);
  EXPECT_EQ(sum.at("disk_hits"), 2);
  EXPECT_EQ(sum.at("failed"), 0);
  EXPECT_GT(sum.at("compile_seconds"), 0);
  EXPECT_GT(sum.at("bytes_read"), 0);
  EXPECT_GT(sum.at("bytes_written"), 0);
  EXPECT_THAT(kiln({"cache", "stats"}).out, HasSubstr("runs           3 since "));
}

TEST_F(StatsCommand, CountsFailures) {
  write("fill.cu", "#include \"kiln/params.h\"\n__global__ void fill(int* x, const Params p) { oops; }\n");
  const CliResult result = kiln({"compile", job_});
  EXPECT_EQ(result.code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 failed in "));
}

TEST_F(StatsCommand, ResetForgetsAndDamageIsPassedOver) {
  ASSERT_EQ(kiln({"compile", job_}).code, 0);
  EXPECT_EQ(kiln({"cache", "stats", "--reset"}).code, 0);
  EXPECT_EQ(stats().at("runs"), 0);
  EXPECT_EQ(stats().at("entries"), 1);
  write("cache/statistics", "nonsense\n\xff\xfe");
  ASSERT_EQ(kiln({"compile", job_}).code, 0);
  EXPECT_EQ(stats().at("runs"), 1);
  EXPECT_EQ(stats().at("unreadable"), 2);
  EXPECT_THAT(kiln({"cache", "stats"}).out, HasSubstr("passed over    2 damaged lines"));
  EXPECT_EQ(kiln({"cache", "stats", "--reset", "--json"}).code, 2);
}

TEST_F(StatsCommand, NothingIsCountedWithoutTheCache) {
  ASSERT_EQ(kiln({"compile", job_, "--cache=off"}).code, 0);
  EXPECT_FALSE(exists("cache"));
}

}  // namespace
}  // namespace kiln::test
