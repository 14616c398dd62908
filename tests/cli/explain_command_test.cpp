#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kEnvironment = 3;

class ExplainCommand : public CliTest {
 protected:
  ExplainCommand() {
    write(
        "fill.yaml",
        "workload: fill\nparameters:\n  n: {type: int, default: 64}\nbuffers: {x: {type: int, shape: [n]}}\n"
        "kernels:\n  fill: {source: fill.cu, block: [64], grid: [1], args: [x, params]}\nrun: [fill]\n");
    write("fill.cu",
          "#include \"kiln/params.h\"\n#include \"value.h\"\n"
          "extern \"C\" __global__ void fill(int* x, const Params p) {\n"
          "  if (threadIdx.x < p.n) x[threadIdx.x] = VALUE;\n}\n");
    write("value.h", "#define VALUE 1\n");
    job_ = write("job.yaml", "workload: fill.yaml\ndevice: cpu\n");
  }

  CliResult explain(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"cache", "explain", job_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kiln(arguments);
  }

  std::string job_;
};

TEST_F(ExplainCommand, AnEmptyCacheHasNothingAndStaysAway) {
  const CliResult result = explain();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("no entry of this kernel"));
  EXPECT_THAT(result.out, HasSubstr("0 hits, 1 miss"));
  EXPECT_FALSE(exists("cache"));
}

TEST_F(ExplainCommand, SaysWhatIsThereAndWhatDiffers) {
  ASSERT_EQ(kiln({"compile", job_}).code, 0);
  EXPECT_THAT(explain().out, HasSubstr("1 hit, 0 misses"));
  EXPECT_THAT(explain().out, HasSubstr("in " + path("cache")));
  EXPECT_THAT(explain({"--set", "n=32"}).out, HasSubstr("kiln/params.h: n 64 -> 32"));
  EXPECT_THAT(explain({"--set", "fast_math=true"}).out, HasSubstr("fast_math off -> on"));
  write("value.h", "#define VALUE 2\n");
  EXPECT_THAT(explain().out, HasSubstr("header value.h changed (line 1)"));
  EXPECT_THAT(explain().out, HasSubstr("0 hits, 1 miss"));
  EXPECT_THAT(kiln({"cache", "stats"}).out, HasSubstr("entries        1\n"));
}

TEST_F(ExplainCommand, JsonNamesEachIngredient) {
  ASSERT_EQ(kiln({"compile", job_}).code, 0);
  const auto hit = nlohmann::json::parse(explain({"--json"}).out).at(0);
  EXPECT_EQ(hit.at("answer"), "hit");
  EXPECT_EQ(hit.at("layer"), path("cache"));
  EXPECT_EQ(hit.at("entries").at(0), "fill");
  const auto miss = nlohmann::json::parse(explain({"--json", "--set", "n=32"}).out).at(0);
  EXPECT_EQ(miss.at("answer"), "miss");
  EXPECT_EQ(miss.at("nearest").at("key"), hit.at("key"));
  const auto difference = miss.at("nearest").at("differences").at(0);
  EXPECT_EQ(difference.at("ingredient"), "params.h");
  EXPECT_EQ(difference.at("name"), "n");
  EXPECT_EQ(difference.at("from"), "64");
  EXPECT_EQ(difference.at("to"), "32");
}

TEST_F(ExplainCommand, CodeThatIsNeverKeptHasAReason) {
  write("fill.cu",
        "#include \"kiln/params.h\"\n#include QUOTE(value.h)\n__global__ void fill(int* x, Params p) {}\n");
  EXPECT_THAT(explain().out, HasSubstr("fill.cu:2: the header's name is computed"));
}

TEST_F(ExplainCommand, LooksForWhatTheJobsDeviceChooses) {
  write("fill.yaml",
        "workload: fill\nparameters:\n  n: {type: int, default: \"compute_units > 0 ? 64 : 32\"}\n"
        "buffers: {x: {type: int, shape: [n]}}\n"
        "kernels:\n  fill: {source: fill.cu, block: [64], grid: [1], args: [x, params]}\nrun: [fill]\n");
  write("job.yaml", "workload: fill.yaml\ndevice: cpu\n");
  EXPECT_EQ(kiln({"run", job_}).code, 0);
  EXPECT_THAT(explain().out, HasSubstr("1 hit, 0 misses"));
  EXPECT_THAT(explain({"--arch", "native"}).out, HasSubstr("0 hits, 1 miss"));  // which knows no device
}

TEST_F(ExplainCommand, NeedsNoGpu) {
  for (const char* archs : {"sm_90,sm_80", "gfx90a"}) {
    const CliResult result = explain({"--arch", archs});
    if (result.code == kEnvironment) continue;  // no NVRTC or hipRTC on this machine
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("no entry of this kernel"));
  }
  const CliResult compiled = kiln({"compile", job_, "--arch", "sm_90"});
  if (compiled.code == kEnvironment) GTEST_SKIP() << compiled.err;
  EXPECT_THAT(explain({"--arch", "sm_90"}).out, HasSubstr("1 hit, 0 misses"));
  EXPECT_THAT(explain({"--arch", "sm_80"}).out, HasSubstr("target sm_90 -> sm_80"));
  EXPECT_THAT(explain({"--arch", "sm_80"}).out, Not(HasSubstr("cpu:")));
}

TEST_F(ExplainCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(kiln({"cache", "explain"}).code, 2);
  EXPECT_EQ(explain({"--arch", "sm_9x"}).code == 2 || explain({"--arch", "sm_9x"}).code == kEnvironment,
            true);
  EXPECT_EQ(explain({"--set", "m=1"}).code, 2);
}

}  // namespace
}  // namespace kiln::test
