#include <gmock/gmock.h>

#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using test::CliTest;
using testing::HasSubstr;
using testing::Not;

class WisdomCommandTest : public CliTest {
 protected:
  static std::string record(const std::string& n, const std::string& values, const std::string& time) {
    return "- key: {workload: babelstream, device: {name: \"NVIDIA A100\", backend: cuda, arch: sm_80}, "
           "types: {T: double, "
           "Sum: double}, size: {n: " +
           n + "}}\n  values: " + values + "\n  result: {time: " + time +
           ", default: 4 ms}\n  made: {date: 2026-11-20}\n";
  }
  std::string job() {
    return write("job.yaml", "workload: babelstream\ndevice: cpu\nset: {n: 1000, iterations: 2}\n");
  }
};

TEST_F(WisdomCommandTest, ListShowsPointsAgainstTheDefault) {
  write("a.wisdom.yaml",
        record("1000", "{block: 256, pack: 2}", "2 ms") + record("2000", "{block: 64}", "5 ms"));
  const CliResult list = kiln({"wisdom", "list", path("a.wisdom.yaml"), "--format", "markdown"});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("n=1000 | 1 | block=256 pack=2 | 2.00 ms | 2x | 2026-11-20"));
  EXPECT_THAT(list.out, HasSubstr("n=2000 | 1 | block=64 | 5.00 ms | 0.8x |"));
  EXPECT_EQ(kiln({"wisdom", "list", path("none.wisdom.yaml")}).code, 2);
  EXPECT_THAT(kiln({"wisdom", "lst"}).err, HasSubstr("did you mean 'list'?"));
}

TEST_F(WisdomCommandTest, MergeJoinsFilesAndIsIdempotent) {
  const std::string a = write("a.wisdom.yaml", record("1000", "{block: 256}", "2 ms"));
  const std::string b = write("b.wisdom.yaml", record("1000", "{block: 64}", "1 ms"));
  EXPECT_EQ(kiln({"wisdom", "merge", a, b, "-o", path("c.wisdom.yaml")}).code, 0);
  const std::string merged = files_->read_file(path("c.wisdom.yaml")).value();
  EXPECT_THAT(merged, HasSubstr("values: {block: 64}\n  result: {time: [1 ms], default: 4 ms, rank: 1}"));
  EXPECT_EQ(kiln({"wisdom", "merge", b, path("c.wisdom.yaml"), a}).out, merged);
}

TEST_F(WisdomCommandTest, WhatIsExportedIsImportedUnderOtherNames) {
  const std::string file =
      write("a.wisdom.yaml", record("1000", "{block: 256, pack: 2, loads: streaming}", "2 ms"));
  for (const std::string format : {"kernel-launcher", "kernel-tuner", "t4"}) {
    const std::string out = path(format + ".wisdom.yaml");
    EXPECT_EQ(kiln({"wisdom", "export", file, "--format", format, "--map", "block=block_size_x", "-o",
                    path(format)})
                  .code,
              0);
    EXPECT_THAT(files_->read_file(path(format)).value(), HasSubstr("block_size_x"));
    const std::vector<std::string> import_words{"wisdom", "import", job(),           path(format),
                                                "-o",     out,      "--device-name", "NVIDIA A100"};
    if (format != "t4") {
      EXPECT_THAT(kiln({"wisdom", "import", job(), path(format), "-o", out}).err,
                  HasSubstr("holds points of 'NVIDIA A100', and the job's device is "));
    }
    const CliResult refused = kiln(import_words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("has no parameter 'block_size_x'"));
    auto mapped = import_words;
    mapped.insert(mapped.end(), {"--map", "block_size_x=block"});
    const CliResult import = kiln(mapped);
    EXPECT_EQ(import.code, 0) << import.err;
    EXPECT_THAT(files_->read_file(out).value(), HasSubstr("values: {block: 256, loads: streaming, pack: 2}"));
    EXPECT_THAT(files_->read_file(out).value(), HasSubstr("size: {n: 1000}"));
  }
}

TEST_F(WisdomCommandTest, AFileForOneDeviceAndSizeNeedsAKey) {
  const std::string file =
      write("a.wisdom.yaml", record("1000", "{block: 256}", "2 ms") + record("2000", "{block: 64}", "5 ms"));
  EXPECT_THAT(kiln({"wisdom", "export", file, "--format", "t4"}).err,
              HasSubstr("choose one with --key, 1 to 2"));
  EXPECT_THAT(kiln({"wisdom", "export", file, "--format", "t4", "--key", "2"}).out,
              HasSubstr("\"block\": 64"));
  EXPECT_EQ(kiln({"wisdom", "export", file, "--key", "3"}).code, 2);
  EXPECT_THAT(kiln({"wisdom", "export", file, "--format", "kt4"}).err, HasSubstr("did you mean 't4'?"));
}

TEST_F(WisdomCommandTest, ImportLeavesOutWhatTheWorkloadDoesNotAllow) {
  const std::string wisdom = write(
      "k.wisdom", R"({"version": "1.0", "objective": "time", "tunable_parameters": ["pack"], "key": "k"})"
                  "\n"
                  R"({"config": [3], "problem_size": [500], "time": 1})"
                  "\n"
                  R"({"config": [4], "problem_size": [500], "time": 2})"
                  "\n");
  const CliResult import =
      kiln({"wisdom", "import", job(), wisdom, "--sizes", "n", "-o", path("o.wisdom.yaml")});
  EXPECT_EQ(import.code, 0) << import.err;
  EXPECT_THAT(import.out,
              HasSubstr("2 measured points, 1 taken, 1 faster ones that the workload does not allow"));
  const std::string text = files_->read_file(path("o.wisdom.yaml")).value();
  EXPECT_THAT(text, HasSubstr("size: {n: 500}"));
  EXPECT_THAT(text, Not(HasSubstr("pack: 3")));
}

TEST_F(WisdomCommandTest, CheckMeasuresAgainAndTakesOutWhatFails) {
  if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  write("ones/ones.yaml",
        "workload: ones\nparameters:\n  n: {type: int, default: 1024}\n"
        "  block: {type: int, default: 32, bind: compile}\n"
        "buffers: {x: {type: float, shape: [n]}}\n"
        "kernels: {ones: {source: ones.cu, grid: [\"ceil_div(n, block)\"], block: [block], args: [x]}}\n"
        "run: [ones]\nverify: {checks: [{name: ones, buffer: x, expected: 1}]}\ntune: {sizes_by: n}\n");
  write("ones/ones.cu",
        "#include \"kiln/params.h\"\nstatic_assert(Params::block != 64, \"too wide\");\n"
        "extern \"C\" __global__ void ones(float* x) { x[kiln::global_index_x()] = 1; }\n");
  write("job.yaml", "workload: ones\ndevice: cpu\nwisdom: w.wisdom.yaml\n");
  const std::vector<std::string> check{"wisdom", "check", path("job.yaml"), "-o", path("w.wisdom.yaml")};
  EXPECT_THAT(kiln(check).err, HasSubstr("w.wisdom.yaml"));  // is not there
  write("points", R"({"version": "1.0", "objective": "time", "tunable_parameters": ["block"], "key": "k"})"
                  "\n"
                  R"({"config": [64], "time": 1})"
                  "\n"
                  R"({"config": [256], "time": 2})"
                  "\n");
  const CliResult import =
      kiln({"wisdom", "import", path("job.yaml"), path("points"), "-o", path("w.wisdom.yaml")});
  ASSERT_EQ(import.code, 0) << import.err;
  const CliResult checked = kiln(check);
  EXPECT_EQ(checked.code, 1) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("defaults: "));
  EXPECT_THAT(checked.out, HasSubstr("rank 1: compile failed"));
  const std::string text = files_->read_file(path("w.wisdom.yaml")).value();
  EXPECT_THAT(text, Not(HasSubstr("block: 64")));
  EXPECT_THAT(text, HasSubstr("block: 256"));
  EXPECT_THAT(text, HasSubstr("default: "));
  EXPECT_THAT(text, HasSubstr("source: \"sha256:"));
  EXPECT_EQ(kiln(check).code, 0);
}

}  // namespace
}  // namespace kiln
