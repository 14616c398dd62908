// Jobs as processes of the shell.
#include "batch/batch_runner.h"

#include <gmock/gmock.h>

#include "base/exit_code.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Told : public BatchSink {
 public:
  void job_begins(std::size_t job) override { lines.push_back("begin " + std::to_string(job)); }
  void output_line(std::size_t job, std::string_view line) override {
    lines.push_back("out " + std::to_string(job) + " " + std::string(line));
    if (line == "ready") ready = true;
  }
  void error_line(std::size_t job, std::string_view line) override {
    lines.push_back("err " + std::to_string(job) + " " + std::string(line));
  }
  void job_ended(std::size_t job, const JobOutcome& outcome) override {
    lines.push_back("end " + std::to_string(job) + " " + to_string(outcome.end));
  }
  std::vector<std::string> lines;
  bool ready = false;
};

class BatchRunner : public ::testing::Test {
 protected:
  std::vector<JobOutcome> run(const std::vector<std::string>& scripts, bool keep_going = false) {
    std::string text = "jobs:\n";
    std::vector<Command> commands;
    for (std::size_t i = 0; i < scripts.size(); ++i) {
      text += "- {run: j" + std::to_string(i) + ".yaml}\n";
      commands.push_back(Command{"/bin/sh", {"-c", scripts[i]}, "", ""});
      commands.back().time_limit = limit_;
    }
    const BatchSpec batch = parse_batch(text, "batch.yaml");
    return run_batch({batch, commands, std::vector<bool>(scripts.size()), keep_going, told_,
                      [this] { return told_.ready; }});
  }

  Told told_;
  std::chrono::milliseconds limit_{0};
};

TEST_F(BatchRunner, TellsLinesAndEnds) {
  const auto outcomes = run({"echo one; echo two >&2; printf rest", "exit 0"});
  EXPECT_THAT(told_.lines,
              testing::IsSupersetOf({"begin 0", "out 0 one", "err 0 two", "out 0 rest", "end 0 done"}));
  EXPECT_EQ(told_.lines.back(), "end 1 done");
  EXPECT_EQ(exit_code_of(outcomes), kExitDone);
}

TEST_F(BatchRunner, EachEndHasItsWord) {
  const auto outcomes = run({"exit 1", "exit 2", "exit 3", "kill -9 $$", "exit 70", "exit 0"}, true);
  std::vector<JobEnd> ends;
  for (const JobOutcome& outcome : outcomes) ends.push_back(outcome.end);
  EXPECT_THAT(ends, ElementsAre(JobEnd::kFailed, JobEnd::kRefused, JobEnd::kEnvironment, JobEnd::kKilled,
                                JobEnd::kKilled, JobEnd::kDone));
  EXPECT_THAT(outcomes[3].message, HasSubstr("signal 9"));
  EXPECT_EQ(outcomes[3].exit_code, 137);
  EXPECT_EQ(exit_code_of(outcomes), kExitFailed) << "of the first that did not succeed";
}

TEST_F(BatchRunner, AFailureKeepsTheRestFromRunning) {
  const auto outcomes = run({"exit 2", "echo never"});
  EXPECT_EQ(outcomes[1].end, JobEnd::kNotRun);
  EXPECT_THAT(told_.lines, testing::Not(testing::Contains("begin 1")));
  EXPECT_EQ(exit_code_of(outcomes), kExitBadInput);
}

TEST_F(BatchRunner, BeyondItsTimeAJobIsAskedToEnd) {
  limit_ = std::chrono::milliseconds(200);
  const auto outcomes = run({"trap 'echo asked; exit 143' TERM; echo up; while :; do sleep 0.05; done"});
  EXPECT_EQ(outcomes[0].end, JobEnd::kTimedOut);
  EXPECT_THAT(told_.lines, testing::Contains("out 0 asked"));
  EXPECT_EQ(exit_code_of(outcomes), kExitFailed);
}

TEST_F(BatchRunner, AStopAsksWhatRunsAndStartsNoMore) {
  const auto outcomes =
      run({"trap 'exit 1' TERM; echo ready; while :; do sleep 0.05; done", "echo never"}, true);
  EXPECT_EQ(outcomes[0].end, JobEnd::kInterrupted);
  EXPECT_EQ(outcomes[1].end, JobEnd::kNotRun);
  EXPECT_EQ(outcomes[1].message, "the batch was interrupted");
}

TEST_F(BatchRunner, AProgramThatIsNotThereIsTheEnvironments) {
  const BatchSpec batch = parse_batch("jobs: [a.yaml]\n", "batch.yaml");
  const auto outcomes = run_batch(
      {batch, {Command{"no_such_launcher", {}, "", ""}}, {false}, false, told_, [] { return false; }});
  EXPECT_EQ(outcomes[0].end, JobEnd::kEnvironment);
  EXPECT_THAT(outcomes[0].message, HasSubstr("no_such_launcher"));
}

TEST_F(BatchRunner, WhatIsKnownIsNotStarted) {
  const BatchSpec batch = parse_batch("jobs: [a.yaml]\n", "batch.yaml");
  const auto outcomes =
      run_batch({batch, {Command{"/bin/false", {}, "", ""}}, {true}, false, told_, [] { return false; }});
  EXPECT_EQ(outcomes[0].end, JobEnd::kKnown);
  EXPECT_THAT(told_.lines, ElementsAre("end 0 done before"));
}

}  // namespace
}  // namespace kiln
