// `kiln run` of several jobs, `--shard` and `kiln merge`, on the cpu, with the program itself for each job.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/exit_code.h"
#include "base/folder_lock.h"
#include "base/text.h"
#include "cli/cli_fixture.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::UnorderedElementsAre;

class BatchCommandLine : public test::CliTest {
 protected:
  BatchCommandLine() { test::write_small_workload(*files_, folder_); }
  void SetUp() override {
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
  }

  std::string job(const std::string& name, const std::string& blocks, const std::string& more = "") {
    return write(name, "workload: scale\ndevice: cpu\nsweep: {block: [" + blocks +
                           "]}\nmeasure: {min_time: 0 s, max_samples: 5}\n" + more);
  }

  /// A member of each record of a file.
  std::vector<std::string> values(const std::string& file, const std::string& key) {
    std::vector<std::string> found;
    for (const std::string& line : split(trim(files_->read_file(path(file)).value_or("")), '\n')) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object() && json.contains(key)) found.push_back(json.at(key).get<std::string>());
    }
    return found;
  }
};

TEST_F(BatchCommandLine, SeveralJobsHaveOneSummaryAndOneExitCode) {
  const CliResult result =
      kiln({"run", job("a.yaml", "32, 64"), job("b.yaml", "128"), "--output", path("out"), "--set", "n=500"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("2 jobs: 2 done"), HasSubstr("3 variants, 3 ok"), HasSubstr("block=128")));
  EXPECT_THAT(result.err, AllOf(HasSubstr("[1/2 a] [2/2] block=64: ok"), HasSubstr("[2/2 b] done"),
                                HasSubstr("3 of 3 variants")));
  EXPECT_THAT(values("out/a/records.jsonl", "label"), ElementsAre("block=32", "block=64"));
  EXPECT_THAT(values("out/b/records.jsonl", "label"), ElementsAre("block=128"));
  EXPECT_FALSE(exists("out/.lock-batch"));
  EXPECT_FALSE(exists("out/a/.lock"));
}

TEST_F(BatchCommandLine, ABatchFileIsResumedWithoutMeasuringAnythingTwice) {
  job("a.yaml", "32, 64");
  job("b.yaml", "128");
  const std::string batch =
      write("batch.yaml",
            "output: " + path("out") + "\nset: {n: 400}\njobs:\n- {run: b.yaml, after: a}\n- a.yaml\n");
  ASSERT_EQ(kiln({"run", batch}).code, kExitDone);
  EXPECT_THAT(values("out/batch.jsonl", "job"), ElementsAre("a", "b"));
  // As if the run had been killed while it wrote the second variant of `a`.
  const std::string records = files_->read_file(path("out/a/records.jsonl")).value();
  files_->write_file(path("out/a/records.jsonl"), records.substr(0, records.find('\n') + 50), false);
  const CliResult again = kiln({"run", batch, "--resume"});
  EXPECT_EQ(again.code, kExitDone) << again.err;
  EXPECT_THAT(again.err, AllOf(HasSubstr("resumed: 1 of 2 variants"), HasSubstr("resumed: 1 of 1 variants")));
  EXPECT_THAT(values("out/a/records.jsonl", "label"), ElementsAre("block=32", "block=64"));
  EXPECT_THAT(values("out/b/records.jsonl", "label"), ElementsAre("block=128"));
}

TEST_F(BatchCommandLine, OneThatFailsEndsTheBatchUnlessItKeepsGoing) {
  std::string wrong = test::kScaleSource;
  wrong.replace(wrong.find("p.factor"), 8, "2");
  write("failing/failing.yaml", std::string(test::kScaleYaml).replace(10, 5, "failing"));
  write("failing/scale.cu", wrong);
  write("failing/scale_data.cu", test::kScaleDataSource);
  const std::string broken = write("broken.yaml", "workload: " + path("failing") + "\ndevice: cpu\n");
  const std::string good = job("good.yaml", "64");
  const CliResult strict = kiln({"run", broken, good, "--output", path("strict")});
  EXPECT_EQ(strict.code, kExitFailed) << strict.err;
  EXPECT_THAT(strict.out, AllOf(HasSubstr("1 failed, 1 not run"), HasSubstr("--keep-going goes on")));
  EXPECT_FALSE(exists("strict/good"));
  const CliResult lenient = kiln({"run", broken, good, "--output", path("lenient"), "--keep-going"});
  EXPECT_EQ(lenient.code, kExitFailed);
  EXPECT_THAT(lenient.out, HasSubstr("1 done, 1 failed"));
  EXPECT_TRUE(exists("lenient/good/records.jsonl"));
}

TEST_F(BatchCommandLine, EveryJobIsCheckedBeforeOneRuns) {
  const CliResult result =
      kiln({"run", job("a.yaml", "32"), job("b.yaml", "32", "setz: {n: 1}\n"), "--output", path("out")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, AllOf(HasSubstr("b.yaml:5:1"), HasSubstr("did you mean 'set'")));
  EXPECT_FALSE(exists("out"));
  const std::string batch =
      write("batch.yaml", "jobs:\n- {run: a.yaml, after: b}\n- {run: a.yaml, name: b, after: a}\n");
  EXPECT_THAT(kiln({"validate", batch}).err,
              AllOf(HasSubstr("batch.yaml:2:"), HasSubstr("a after b after a")));
  EXPECT_THAT(kiln({"run", job("a.yaml", "32"), "n=3"}).err, HasSubstr("--set n=3"));
  EXPECT_THAT(kiln({"run", job("a.yaml", "32"), "--keep-going"}).err,
              HasSubstr("--keep-going: of several jobs"));
}

TEST_F(BatchCommandLine, ADryRunShowsTheJobs) {
  const CliResult result = kiln({"run", job("a.yaml", "32, 64"), job("b.yaml", "128"), "--dry-run"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("1. a: 2 variants"), HasSubstr("kiln run"), HasSubstr("2. b: 1 variant")));
}

TEST_F(BatchCommandLine, AFolderThatIsInUseIsRefused) {
  const std::string one = job("a.yaml", "32");
  const FolderLock batch(path("out"), ".lock-batch", "kiln run other.yaml");
  const CliResult refused = kiln({"run", one, one, "--output", path("out")});
  EXPECT_EQ(refused.code, kExitBadInput);
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("is in use: kiln run other.yaml, process"), HasSubstr("another folder")));
  const FolderLock run(path("single"), ".lock", "kiln run other.yaml");
  EXPECT_THAT(kiln({"run", one, "--output", path("single")}).err,
              HasSubstr("is in use: kiln run other.yaml"));
  EXPECT_FALSE(exists("single/records.jsonl"));
}

TEST_F(BatchCommandLine, ShardsTakeEveryVariantOnceAndAreMerged) {
  const std::string all = job("a.yaml", "32, 64, 128");
  for (const char* shard : {"1/2", "2/2"}) {
    const CliResult result = kiln({"run", all, "--output", path("out"), "--shard", shard});
    EXPECT_EQ(result.code, kExitDone) << result.err;
    EXPECT_THAT(result.err, HasSubstr(std::string("shard ") + shard));
  }
  EXPECT_THAT(values("out/records-shard-1-of-2.jsonl", "label"), ElementsAre("block=32", "block=128"));
  EXPECT_THAT(values("out/records-shard-2-of-2.jsonl", "label"), ElementsAre("block=64"));
  const CliResult merged = kiln({"merge", path("out")});
  EXPECT_EQ(merged.code, kExitDone) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("3 records of 2 files"));
  EXPECT_THAT(values("out/records.jsonl", "label"),
              UnorderedElementsAre("block=32", "block=64", "block=128"));
  EXPECT_FALSE(exists("out/records-shard-1-of-2.jsonl"));
  EXPECT_TRUE(exists("out/records-shard-1-of-2.jsonl.merged"));
  EXPECT_THAT(kiln({"merge", path("out")}).out, HasSubstr("unchanged"));
  EXPECT_THAT(kiln({"run", all, "--output", path("out"), "--resume"}).err,
              HasSubstr("3 of 3 variants are known"));
  const CliResult none = kiln({"run", all, "--output", path("none"), "--shard", "5/8"});
  EXPECT_EQ(none.code, kExitDone) << none.err;
  EXPECT_THAT(none.err, HasSubstr("0 of 3 variants"));
  EXPECT_THAT(kiln({"run", all, "--shard", "0/2"}).err, HasSubstr("from 1/8 to 8/8"));
}

TEST_F(BatchCommandLine, ATaskOfASlurmArrayTakesItsShard) {
  const std::string all = job("a.yaml", "32, 64, 128");
  ::setenv("SLURM_ARRAY_TASK_ID", "12", 1);
  ::setenv("SLURM_ARRAY_TASK_COUNT", "2", 1);
  ::setenv("SLURM_ARRAY_TASK_MIN", "10", 1);
  ::setenv("SLURM_ARRAY_TASK_MAX", "12", 1);
  ::setenv("SLURM_ARRAY_TASK_STEP", "2", 1);
  const CliResult result = kiln({"run", all, "--output", path("out")});
  const CliResult off = kiln({"run", all, "--output", path("off"), "--shard", "off"});
  for (const char* name : {"ID", "COUNT", "MIN", "MAX", "STEP"})
    ::unsetenv((std::string("SLURM_ARRAY_TASK_") + name).c_str());
  EXPECT_THAT(result.err, HasSubstr("shard 2/2, for SLURM_ARRAY_TASK_ID=12; --shard off takes all"));
  EXPECT_THAT(values("out/records-shard-2-of-2.jsonl", "label"), ElementsAre("block=64"));
  EXPECT_THAT(off.err, Not(HasSubstr("shard")));
  EXPECT_EQ(values("off/records.jsonl", "label").size(), 3U);
}

TEST_F(BatchCommandLine, MergeRefusesWhatIsWrittenOrOfAnotherSource) {
  const std::string one = job("a.yaml", "32");
  ASSERT_EQ(kiln({"run", one, "--output", path("x")}).code, kExitDone);
  {
    const FolderLock lock(path("x"), ".lock", "kiln run a.yaml");
    const CliResult busy = kiln({"merge", path("x"), "-o", path("both")});
    EXPECT_EQ(busy.code, kExitBadInput);
    EXPECT_THAT(busy.err, HasSubstr("is still being written: kiln run a.yaml"));
  }
  write("scale/scale.cu", std::string(test::kScaleSource) + "// another text\n");
  ASSERT_EQ(kiln({"run", one, "--output", path("y")}).code, kExitDone);
  const CliResult refused = kiln({"merge", path("x"), path("y"), "-o", path("both")});
  EXPECT_EQ(refused.code, kExitBadInput);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("do not belong together"), HasSubstr("the source of scale")));
  EXPECT_FALSE(exists("both"));
  EXPECT_EQ(kiln({"merge", path("x"), path("y"), "-o", path("both"), "--mixed"}).code, kExitDone);
  EXPECT_EQ(values("both/records.jsonl", "label").size(), 2U);
  EXPECT_THAT(kiln({"merge", path("nowhere")}).err, HasSubstr("there is no file or folder"));
  EXPECT_THAT(kiln({"merge", path("x"), path("y")}).err, HasSubstr("-o is missing"));
}

TEST_F(BatchCommandLine, ShardsOfAStudyAreMerged) {
  const std::string study = write("study.yaml",
                                  "workloads:\n- {workload: scale, name: one, constants: [n]}\n"
                                  "- {workload: scale, name: two, constants: [factor]}\n"
                                  "device: cpu\nmeasure: {rounds: 6, samples: 1, compiles: 1}\n");
  const CliResult first =
      kiln({"study", study, "--output", path("out"), "--shard", "1/2", "--format", "json"});
  EXPECT_EQ(first.code, kExitDone) << first.err;
  EXPECT_THAT(first.err, HasSubstr("shard 1/2: 1 of 2 pairs of a section and a device"));
  EXPECT_THAT(first.out, AllOf(HasSubstr(R"("section":"one")"), Not(HasSubstr(R"("section":"two")"))));
  EXPECT_EQ(kiln({"study", study, "--output", path("out"), "--shard", "2/2"}).code, kExitDone);
  EXPECT_TRUE(exists("out/study-shard-2-of-2.jsonl"));
  const CliResult merged = kiln({"merge", path("out")});
  EXPECT_EQ(merged.code, kExitDone) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("study.jsonl: 2 blocks"));
  const CliResult report = kiln({"report", path("out/study.jsonl"), "--format", "csv"});
  EXPECT_EQ(report.code, kExitDone) << report.err;
  // "run_id,section,device,case,...": both sections, of one device.
  std::map<std::string, std::set<std::string>> devices;
  for (const std::string& line : split(report.out, '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() > 2 && cells[1] != "section") devices[cells[1]].insert(cells[2]);
  }
  ASSERT_THAT(devices, UnorderedElementsAre(Key("one"), Key("two")));
  EXPECT_EQ(devices["one"].size(), 1U);
  EXPECT_EQ(devices["one"], devices["two"]);
  EXPECT_THAT(report.err, Not(HasSubstr("cut short")));
  const CliResult whole = kiln({"study", study, "--output", path("out"), "--resume"});
  EXPECT_EQ(whole.code, kExitDone) << whole.err << "the whole study is gone on with";
}

TEST_F(BatchCommandLine, ShardsOfAnExhaustiveSearchAreMergedAndGoneOnWith) {
  const std::string tuned = write("tuned.yaml",
                                  "workload: scale\ndevice: cpu\nmeasure: {min_time: 0 s, max_samples: 5}\n"
                                  "tune: {space: {block: [32, 64, 128, 256]}, searcher: exhaustive}\n");
  for (const char* shard : {"1/2", "2/2"}) {
    const CliResult result = kiln({"tune", tuned, "--no-wisdom", "--output", path("out"), "--shard", shard});
    EXPECT_EQ(result.code, kExitDone) << result.err;
  }
  EXPECT_TRUE(exists("out/best-shard-1-of-2.yaml"));
  EXPECT_THAT(kiln({"merge", path("out")}).out, HasSubstr("tune.jsonl: "));
  const CliResult rest = kiln({"tune", tuned, "--no-wisdom", "--output", path("out"), "--resume"});
  EXPECT_EQ(rest.code, kExitDone) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("resumed: 4 points are known"));
  EXPECT_TRUE(exists("out/best.yaml"));
  EXPECT_THAT(
      kiln({"tune", tuned, "--no-wisdom", "--output", path("out"), "--searcher", "random", "--shard", "1/2"})
          .err,
      HasSubstr("expected the searcher exhaustive"));
}

}  // namespace
}  // namespace kiln
