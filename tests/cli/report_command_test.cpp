#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/cli_fixture.h"
#include "cli/exit_code.h"

namespace kiln {
namespace {

using test::CliResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kJob =
    "workload: stencil7\n"
    "device: cpu\n"
    "set: {nx: 24, ny: 20, nz: 16, bind.all: run}\n"
    "sweep: {block_x: [4, 8], block_y: [1, 2]}\n"
    "measure: {min_time: 1 ms, max_time: 20 ms, min_samples: 3}\n";

class ReportCommand : public test::CliTest {
 protected:
  /// Results of a run on this machine's CPU.
  std::string measured() {
    const CliResult run = kiln({"run", write("job.yaml", kJob), "--output", path("results"), "--quiet"});
    EXPECT_EQ(run.code, kExitDone) << run.err;
    return path("results");
  }
};

TEST_F(ReportCommand, ReadsWhatRunWrote) {
  const std::string results = measured();
  const CliResult json = kiln({"report", results, "--format", "json"});
  ASSERT_EQ(json.code, kExitDone) << json.err;
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["devices"].size(), 1U);
  EXPECT_EQ(report["results"].size(), 2U * 5) << "two metrics: the best, and four variants";
  EXPECT_EQ(report["results"][0]["harmonic_mean"], 1.0);
  EXPECT_THAT(kiln({"report", results}).out, HasSubstr("block_x=4 block_y=2"));
  EXPECT_THAT(kiln({"report", results, "--format", "paper"}).out, HasSubstr(",float64,24,8,2,1,"));
  EXPECT_THAT(kiln({"report", results, "--format", "csv", "--metric", "time"}).out,
              HasSubstr(",time,s,worse,"));
}

TEST_F(ReportCommand, AgainstItselfAsReferenceTheBestIsOne) {
  const std::string results = measured();
  const CliResult json =
      kiln({"report", results, "--reference", results + "/records.jsonl", "--format", "json"});
  ASSERT_EQ(json.code, kExitDone) << json.err;
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["baseline"], "reference");
  EXPECT_EQ(report["results"][0]["arithmetic_mean"], 1.0);
}

TEST_F(ReportCommand, WritesAFile) {
  const CliResult result = kiln({"report", measured(), "--format", "markdown", "-o", path("report.md")});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(*files_->read_file(path("report.md")), HasSubstr("### stencil7"));
  const CliResult refused = kiln({"report", path("results"), "-o", path("nowhere/report.md")});
  EXPECT_EQ(refused.code, kExitBadInput);
  EXPECT_THAT(refused.err, HasSubstr("nowhere/report.md' cannot be written"));
}

TEST_F(ReportCommand, DamagedAndForeignFilesAreBadInput) {
  const std::string foreign = write("foreign.jsonl", "{\"benchmark\": \"someone else's\"}\n");
  CliResult result = kiln({"report", foreign});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("foreign.jsonl:1: expected a member 'format'"));
  result = kiln({"report", write("cut/records.jsonl", "{\"format\":1,\"run_id\":\"")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("cut/records.jsonl:1:"));
  result = kiln({"report", write("empty.jsonl", "")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("hold no records"));
  result = kiln({"report", path("absent")});
  EXPECT_EQ(result.code, kExitBadInput);
  result = kiln({"report", measured(), "--format", "xml"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("--format: 'xml' is not known"));
  result = kiln({"report", path("results"), "--workload", "stencil"});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("did you mean 'stencil7'?"));
}

}  // namespace
}  // namespace kiln
