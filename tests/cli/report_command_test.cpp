#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"
#include "record/record_json.h"
#include "report/device_records.h"

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

/// Both metrics by hand, over files of three machines.
TEST_F(ReportCommand, MeansOverTheFilesOfSeveralMachines) {
  const auto file = [&](const std::string& name, const std::vector<Record>& records) {
    std::string text;
    for (const Record& record : records) text += record_to_json(record) + "\n";
    return write(name + "/records.jsonl", text);
  };
  const std::string a = file("a", {test::result("v=1", "A", 100), test::result("v=2", "A", 80)});
  const std::string b =
      file("b", {test::result("v=1", "B", 50, "hip"), test::result("v=2", "B", 200, "hip")});
  const std::string c = file("c", {test::result("v=1", "C", 30, "cpu"), test::result("v=3", "C", 60, "cpu"),
                                   test::on_device(test::uncompiled_record("v=2"), "C", "cpu", 0)});
  const auto rows = nlohmann::json::parse(kiln({"report", a, b, c, "--format", "json"}).out)["results"];
  ASSERT_EQ(rows.size(), 4U) << "the best of each, and three variants";
  // v=1: 100/100, 50/200 and 30/60, so 3 / (1 + 4 + 2) and (1 + 1/4 + 1/2) / 3.
  EXPECT_EQ(rows[1]["application"], "v=1");
  EXPECT_NEAR(rows[1]["harmonic_mean"].get<double>(), 3.0 / 7, 1e-12);
  EXPECT_NEAR(rows[1]["arithmetic_mean"].get<double>(), 7.0 / 12, 1e-12);
  // v=2 does not compile on C: 0, and (0.8 + 1 + 0) / 3.
  EXPECT_EQ(rows[2]["application"], "v=2");
  EXPECT_EQ(rows[2]["harmonic_mean"], 0.0);
  EXPECT_NEAR(rows[2]["arithmetic_mean"].get<double>(), 0.6, 1e-12);
  // Over A and B alone v=2 is supported everywhere: 2 / (1/0.8 + 1) and 0.9.
  const auto pair =
      nlohmann::json::parse(kiln({"report", a, b, c, "--devices", "A,B", "--format", "json"}).out)["results"];
  EXPECT_NEAR(pair[2]["harmonic_mean"].get<double>(), 8.0 / 9, 1e-12);
  EXPECT_NEAR(pair[2]["arithmetic_mean"].get<double>(), 0.9, 1e-12);
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
  // Before the results are read.
  EXPECT_THAT(kiln({"report", path("absent"), "-o", path("nowhere/report.md")}).err,
              HasSubstr("nowhere/report.md' cannot be written"));
}

TEST_F(ReportCommand, CeilingsAreNoResultsAndForThePageAlone) {
  const std::string file = write("c.json", "{\n  \"format\": 1,\n  \"ceilings\": []\n}\n");
  CliResult result = kiln({"report", file});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("c.json' holds ceilings of `kiln roofline`; expected records.jsonl or "
                                    "study.jsonl, and the ceilings by --ceilings"));
  result = kiln({"report", path("absent"), "--ceilings", file});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err,
              HasSubstr("--ceilings: rooflines are drawn by --format html; found --format table"));
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
