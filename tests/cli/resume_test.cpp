// A run that was cut short, and `kiln run --resume`, on the cpu.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RunResume : public test::CliTest {
 protected:
  RunResume() { test::write_small_workload(*files_, folder_); }

  CliResult run(const std::string& sweep, const std::vector<std::string>& more = {}) {
    const std::string text = "workload: scale\nsweep: {" + sweep +
                             "}\nmeasure: {min_time: 0 s, max_samples: 5}\noutput: results\n";
    std::vector<std::string> arguments = {"run",      write("job.yaml", text), "--device", "cpu",
                                          "--output", path("results")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kiln(arguments);
  }

  std::string text() { return files_->read_file(path("results/records.jsonl")).value_or(""); }

  /// Of the whole lines.
  std::vector<std::string> values(const std::string& key) {
    std::vector<std::string> found;
    for (const std::string& line : split(trim(text()), '\n')) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object()) found.push_back(json.at(key));
    }
    return found;
  }

  /// Keeps the first `lines` of what a run has left, and `torn` characters of the next.
  void cut(std::size_t lines, std::size_t torn = 0) {
    const std::vector<std::string> all = split(text(), '\n');
    std::string kept;
    for (std::size_t i = 0; i < lines; ++i) kept += all.at(i) + "\n";
    files_->write_file(path("results/records.jsonl"), kept + all.at(lines).substr(0, torn), false);
  }
};

TEST_F(RunResume, RunsOnlyWhatIsMissingAndShowsAll) {
  ASSERT_EQ(run("block: [32, 64, 128]").code, kExitDone);
  const std::string run_id = values("run_id").front();
  cut(1, 40);
  const std::string first = text().substr(0, text().find('\n'));
  const CliResult result = run("block: [32, 64, 128]", {"--resume"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("resumed: 1 of 3 variants are known"),
                                HasSubstr("[2/3] block=64: ok"), Not(HasSubstr("[1/3]"))));
  EXPECT_THAT(result.out, AllOf(HasSubstr("block=32"), HasSubstr("3 variants: 3 ok")));
  EXPECT_THAT(values("label"), ElementsAre("block=32", "block=64", "block=128"));
  EXPECT_THAT(values("run_id"), ElementsAre(run_id, run_id, run_id));
  EXPECT_THAT(text(), testing::StartsWith(first)) << "what was measured stays as it was";
}

TEST_F(RunResume, AFinishedRunHasNothingLeft) {
  ASSERT_EQ(run("block: [32, 64]").code, kExitDone);
  const std::string before = text();
  const CliResult result = run("block: [32, 64]", {"--resume", "--format", "json"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_EQ(split(trim(result.out), '\n').size(), 2U);
  EXPECT_EQ(text(), before);
}

TEST_F(RunResume, OtherValuesAndSourcesAreNotWhatWasMeasured) {
  ASSERT_EQ(run("block: [32, 64]").code, kExitDone);
  EXPECT_THAT(run("block: [32, 64]", {"--resume", "--set", "n=2000"}).err, HasSubstr("nothing to resume"));
  EXPECT_EQ(values("label").size(), 4U);
  EXPECT_THAT(run("block: [32, 64]", {"--resume"}).err, HasSubstr("2 of 2 variants are known"));
  write("scale/scale.cu", std::string(test::kScaleSource) + "// another text\n");
  EXPECT_THAT(run("block: [32, 64]", {"--resume"}).err, HasSubstr("nothing to resume"));
  EXPECT_EQ(values("label").size(), 6U);
}

TEST_F(RunResume, WithoutAFileEverythingRuns) {
  const CliResult result = run("block: [32, 64]", {"--resume"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_EQ(values("label").size(), 2U);
}

TEST_F(RunResume, NeedsAFolderAndRecordsThatCanBeRead) {
  const std::string job = write("job.yaml", "workload: scale\n");
  const CliResult nowhere = kiln({"run", job, "--device", "cpu", "--resume"});
  EXPECT_EQ(nowhere.code, kExitBadInput);
  EXPECT_THAT(nowhere.err, HasSubstr("--resume needs the folder"));
  write("results/records.jsonl", "no record\n");
  const CliResult damaged = run("block: [32]", {"--resume"});
  EXPECT_EQ(damaged.code, kExitBadInput);
  EXPECT_THAT(damaged.err, HasSubstr("records.jsonl:1"));
}

TEST_F(RunResume, ALineThatACrashToreHidesNoOther) {
  ASSERT_EQ(run("block: [32, 64]").code, kExitDone);
  cut(1, 100);
  const std::string before = text();
  ASSERT_EQ(run("block: [128]").code, kExitDone);
  EXPECT_THAT(values("label"), ElementsAre("block=32", "block=128"));
  EXPECT_THAT(text(), testing::StartsWith(before + "\n")) << "nothing is removed";
  EXPECT_THAT(run("block: [128]", {"--resume"}).err,
              AllOf(HasSubstr("records.jsonl:2: a crash cut this line off"), HasSubstr("1 of 1 variants")));
}

TEST_F(RunResume, ASoundLastRecordWithoutALineEndStays) {
  ASSERT_EQ(run("block: [32, 64]").code, kExitDone);
  files_->write_file(path("results/records.jsonl"), trim(text()), false);
  ASSERT_EQ(run("block: [128]").code, kExitDone);
  EXPECT_THAT(values("label"), ElementsAre("block=32", "block=64", "block=128"));
}

TEST_F(RunResume, AForeignFileIsRefusedAndALinkIsFollowed) {
  write("results/records.jsonl", "{\"of\": \"somebody else\"}");
  const CliResult foreign = run("block: [32]");
  EXPECT_EQ(foreign.code, kExitBadInput);
  EXPECT_THAT(foreign.err, HasSubstr("records.jsonl:1: expected a file of records"));
  EXPECT_EQ(text(), "{\"of\": \"somebody else\"}");
  files_->remove_all(path("results/records.jsonl"));
  write("elsewhere.jsonl", "");
  std::filesystem::create_symlink(path("elsewhere.jsonl"), path("results/records.jsonl"));
  ASSERT_EQ(run("block: [32]").code, kExitDone);
  EXPECT_EQ(files_->status(path("results/records.jsonl"))->type, FileStatus::Type::kSymlink);
  EXPECT_THAT(files_->read_file(path("elsewhere.jsonl")).value_or(""), HasSubstr("block=32"));
}

TEST_F(RunResume, ALinkToAFileThatIsNotThereYetMakesIt) {
  files_->make_directories(path("results"), false);
  std::filesystem::create_symlink(path("elsewhere.jsonl"), path("results/records.jsonl"));
  const CliResult result = run("block: [32]", {"--resume"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_EQ(files_->status(path("results/records.jsonl"))->type, FileStatus::Type::kSymlink);
  EXPECT_THAT(files_->read_file(path("elsewhere.jsonl")).value_or(""), HasSubstr("block=32"));
}

TEST_F(RunResume, EachVariantTellsItsTimeAndWhatIsLeft) {
  const CliResult result = run("block: [32, 64, 128]");
  const std::vector<std::string> lines = split(trim(result.err), '\n');
  ASSERT_EQ(lines.size(), 3U) << result.err;
  EXPECT_THAT(lines[0], testing::MatchesRegex(R"(\[1/3\] block=32: ok, .*s .*\(.*\), .* left)"));
  EXPECT_THAT(lines[2], testing::MatchesRegex(R"(\[3/3\] block=128: ok, .*s .*\(.*\))"));
}

/// The program is stopped as soon as it has written its first record, and resumed afterwards.
TEST_F(RunResume, AfterCtrlCTheFileIsWholeAndTheRunGoesOn) {
  const std::string job = write("job.yaml",
                                "workload: scale\nsweep: {block: [32, 64, 128, 256]}\n"
                                "measure: {min_time: 1 s, max_time: 1 s, max_samples: 10000000}\n");
  const std::string program = "'" KILN_PROGRAM "' run '" + job + "' --device cpu --output '" +
                              path("results") + "' --cache-dir '" + path("cache") + "' --workload-path '" +
                              path("") + "' ";
  const std::string command = program + "> '" + path("out") + "' 2> '" + path("err") +
                              "' & pid=$!; for i in $(seq 600); do grep -q label '" +
                              path("results/records.jsonl") +
                              "' 2> /dev/null && break; sleep 0.1; done; kill -INT $pid; wait $pid";
  const auto processes = make_process_runner();
  EXPECT_EQ(processes->run({"bash", {"-c", command}, "", ""}).exit_code, kExitInterrupted);
  const std::size_t done = values("label").size();
  EXPECT_GE(done, 1U);
  EXPECT_LT(done, 4U);
  EXPECT_THAT(files_->read_file(path("err")).value_or(""),
              HasSubstr("interrupted: kiln run --resume goes on"));
  EXPECT_THAT(files_->read_file(path("out")).value_or(""), HasSubstr("block=32")) << "what is there is shown";
  const ProcessResult more = processes->run({"bash", {"-c", program + "--resume"}, "", ""});
  EXPECT_EQ(more.exit_code, kExitDone) << more.error;
  EXPECT_THAT(values("label"), ElementsAre("block=32", "block=64", "block=128", "block=256"));
}

TEST_F(RunResume, CtrlCEndsACompileOfManyVariants) {
  const std::string job =
      write("job.yaml", "workload: scale\nsweep: {n: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}\n");
  const std::string command =
      "'" KILN_PROGRAM "' compile '" + job + "' -j 1 --cache-dir '" + path("cache") + "' --workload-path '" +
      path("") + "' > '" + path("out") + "' 2> '" + path("err") + "' & pid=$!; for i in $(seq 600); do ls '" +
      path("cache") +
      "'/v1/*/*/entry.json > /dev/null 2>&1 && break; sleep 0.02; done; kill -INT $pid; "
      "wait $pid";
  EXPECT_EQ(make_process_runner()->run({"bash", {"-c", command}, "", ""}).exit_code, kExitInterrupted);
  EXPECT_THAT(files_->read_file(path("err")).value_or(""), HasSubstr("interrupted: what was compiled"));
}

}  // namespace
}  // namespace kiln
