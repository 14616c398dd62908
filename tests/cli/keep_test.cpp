// Results that a run keeps in files, on the cpu.
#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;

class Keep : public test::CliTest {
 protected:
  Keep() { test::write_small_workload(*files_, folder_); }
  CliResult run(const std::string& job, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "run", write("job.yaml", "workload: scale\nmeasure: false\n" + job), "--device", "cpu", "--format",
        "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kiln(arguments);
  }
  std::string content(const std::string& name) { return files_->read_file(path(name)).value_or(""); }
};

TEST_F(Keep, WritesFilesThatTheRecordsName) {
  const CliResult result =
      run("set: {n: 3}\nsweep: {block: [32, 64]}\nkeep: {y: \"" + path("y-{block}.txt") + "\"}\n",
          {"--keep", "x=" + path("x{variant}.npy")});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_EQ(content("y-32.txt"), "3\n6\n9\n");
  EXPECT_EQ(content("y-64.txt"), "3\n6\n9\n");
  EXPECT_EQ(content("x2.npy").size(), 128U + 24U);
  EXPECT_THAT(result.out,
              HasSubstr(R"("kept":[{"buffer":"y","file":")" + path("y-32.txt") + R"(","shape":[3]})"));
}

TEST_F(Keep, ReplacesAFileInOneStepAndLeavesNothingBeside) {
  write("out/y.txt", "old");
  const CliResult result = run("set: {n: 2}\n", {"--keep", "y=" + path("out/y.txt")});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_EQ(content("out/y.txt"), "3\n6\n");
  EXPECT_THAT(files_->list(path("out")), testing::ElementsAre("y.txt"));
}

TEST_F(Keep, RefusesBeforeAnythingRuns) {
  const CliResult twice = run("sweep: {block: [32, 64]}\n", {"--keep", "y=" + path("y.npy")});
  EXPECT_EQ(twice.code, kExitBadInput);
  EXPECT_THAT(twice.err, HasSubstr("is written by the variant 'block=32', too"));
  EXPECT_FALSE(exists("y.npy"));
  EXPECT_THAT(run("", {"--keep", "yy=a.npy"}).err, HasSubstr("there is no buffer 'yy'"));
  const CliResult nowhere = run("", {"--keep", "y=" + path("no/y.npy")});
  EXPECT_EQ(nowhere.code, kExitBadInput);
  EXPECT_THAT(nowhere.err, HasSubstr("no/y.npy' cannot be written: there is no folder"));
}

}  // namespace
}  // namespace kiln
