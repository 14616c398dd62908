// Variants that run in processes of their own: what is asked and answered, and what becomes of a process that
// ends. The processes are functions here; tests/cli/isolated_trials_test.cpp starts real ones.
#include <gmock/gmock.h>

#include <deque>
#include <limits>

#include "base/conversation.h"
#include "job/job_fixture.h"
#include "job/trial_question.h"
#include "job/variant_record.h"
#include "job/worker_runner.h"
#include "record/record_json.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Answer = std::variant<Reply, ProcessResult>;
using Answering = std::function<Answer(const std::string& question)>;

class FakeWorker final : public Conversation {
 public:
  explicit FakeWorker(Answering answer) : answer_(std::move(answer)) {}
  Answer ask(std::string_view line, std::chrono::milliseconds /*limit*/,
             const std::stop_token& /*stop*/) override {
    return answer_(std::string(line));
  }

 private:
  Answering answer_;
};

/// Starts processes that answer one question after the other with given answers.
class FakeWorkers final : public ProcessRunner {
 public:
  ProcessResult run(const Command& /*command*/) override { return {}; }
  std::optional<std::string> find_program(const std::string& name) override { return name; }
  std::unique_ptr<Conversation> converse(const Command& /*command*/) override {
    ++started;
    return std::make_unique<FakeWorker>([this, process = started](const std::string& question) {
      asked.push_back(process);
      Answering next = usual;
      if (!planned.empty()) {
        next = planned.front();
        planned.pop_front();
      }
      return next(question);
    });
  }

  Answering usual;
  std::deque<Answering> planned;  // before the usual ones
  int started = 0;
  std::vector<int> asked;  // the process of each question
};

Answer dies(const std::string& last_words, int signal) {
  ProcessResult end;
  end.started = true;
  end.signal = signal;
  end.error = last_words;
  return end;
}

class WorkerRunnerTest : public test::TrialTest {
 protected:
  WorkerRunnerTest() : context_(context()), local_(make_local_runner(context_, "/job.yaml", true)) {
    workers_.usual = [this](const std::string& question) { return answer(question); };
    runner_ = make_worker_runner(context_, "/job.yaml",
                                 {workers_, {}, [this](const std::string& text) { told_ += text; }});
  }

  /// As a real process does.
  Answer answer(const std::string& question) {
    const TrialQuestion read = read_trial_question(question, variant().configuration.shared_workload(),
                                                   context_.devices, disk_.files);
    const auto record = local_->run(read.variant, read.request);
    return Reply{record ? record_to_json(*record) : std::string(kStoppedAnswer), "printed\n"};
  }
  /// A record with this status in place of a run.
  Answering answers(RunStatus status) {
    return [this, status](const std::string& question) -> Answer {
      const TrialQuestion read = read_trial_question(question, variant().configuration.shared_workload(),
                                                     context_.devices, disk_.files);
      return Reply{
          record_to_json(record_without_run(read.variant, {"/job.yaml"}, context_, status, "planned")), ""};
    };
  }
  std::optional<Record> run(const TrialRequest& request = {.measure = {.enabled = false}}) {
    return runner_->run(variant(), request);
  }

  JobContext context_;
  std::unique_ptr<TrialRunner> local_, runner_;
  FakeWorkers workers_;
  std::string told_;
};

TEST_F(WorkerRunnerTest, AQuestionSaysWhatTheVariantIs) {
  Variant asked = variant({{"block", "64"}, {"bind.n", "run"}, {"fast_math", "true"}, {"graph", "true"}});
  asked.keep = {{"y", "/y.npy"}};
  TrialRequest request;
  request.measure.min_time = 0.125;
  request.measure.max_samples = 7;
  request.measure.cold = true;
  request.give_up_above = 1e-3;
  request.clocks = false;
  request.measure.energy = true;
  request.input_seed = 3;
  const TrialQuestion read = read_trial_question(
      trial_question(asked, request), asked.configuration.shared_workload(), context_.devices, disk_.files);
  EXPECT_EQ(variant_identity(describe_variant(read.variant, {}, context_)),
            variant_identity(describe_variant(asked, {}, context_)));
  EXPECT_EQ(read.variant.label, asked.label);
  ASSERT_EQ(read.variant.keep.size(), 1U);
  EXPECT_EQ(read.variant.keep[0].file, "/y.npy");
  EXPECT_EQ(read.request.measure.min_time, 0.125);
  EXPECT_EQ(read.request.measure.max_samples, 7U);
  EXPECT_TRUE(read.request.measure.cold);
  EXPECT_EQ(read.request.give_up_above, 1e-3);
  EXPECT_FALSE(read.request.clocks);
  EXPECT_TRUE(read.request.measure.energy);
  EXPECT_EQ(read.request.input_seed, 3U);
  request.give_up_above = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read_trial_question(trial_question(asked, request), asked.configuration.shared_workload(),
                                context_.devices, disk_.files)
                .request.give_up_above,
            request.give_up_above);
}

TEST_F(WorkerRunnerTest, ARecordIsThatOfTheOtherProcess_WithTheCostsOfThisOne) {
  const auto record = run();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->status, RunStatus::kOk) << record->message;
  EXPECT_EQ(record->run_id, context_.run_id);
  ASSERT_FALSE(record->units.empty());
  EXPECT_EQ(told_, "printed\n");
  ASSERT_TRUE(run().has_value());
  EXPECT_EQ(workers_.started, 1) << "a process stays for the next variants";
}

TEST_F(WorkerRunnerTest, AVariantThatEndsItsProcessIsCrashed_AndTheNextGetsANewOne) {
  workers_.planned = {[](const std::string&) {
    return dies("\nkiln: error: signal 11 (Segmentation fault) in kernel 'k' of w on cpu: the process ends\n",
                11);
  }};
  const auto crashed = run();
  ASSERT_TRUE(crashed.has_value());
  EXPECT_EQ(crashed->status, RunStatus::kCrashed);
  EXPECT_EQ(
      crashed->message,
      "the process ended while this variant ran: signal 11 (Segmentation fault) in kernel 'k' of w on cpu");
  EXPECT_EQ(run()->status, RunStatus::kOk);
  EXPECT_THAT(workers_.asked, ElementsAre(1, 2));
}

TEST_F(WorkerRunnerTest, AProcessThatIsKilledSaysBySignal) {
  workers_.planned = {[](const std::string&) { return dies("", 9); }};
  EXPECT_THAT(run()->message, HasSubstr("signal 9 (Killed)"));
}

TEST_F(WorkerRunnerTest, NothingIsBlamedForWhatAnotherLeftBehind) {
  for (const RunStatus status : {RunStatus::kFaulted, RunStatus::kCrashed, RunStatus::kNotRun}) {
    const int before = workers_.started;
    workers_.planned = {workers_.usual, answers(status), workers_.usual};
    EXPECT_EQ(run()->status, RunStatus::kOk);
    EXPECT_EQ(run()->status, RunStatus::kOk) << "it ran again, in a new process";
    EXPECT_EQ(workers_.started - before, before == 0 ? 2 : 1);
  }
}

TEST_F(WorkerRunnerTest, OneThatFailsInANewProcessToo_HasFailed) {
  workers_.planned = {workers_.usual, answers(RunStatus::kFaulted), answers(RunStatus::kFaulted)};
  EXPECT_EQ(run()->status, RunStatus::kOk);
  EXPECT_EQ(run()->status, RunStatus::kFaulted);
  EXPECT_EQ(run()->status, RunStatus::kOk);
  EXPECT_THAT(workers_.asked, ElementsAre(1, 1, 2, 3));
}

TEST_F(WorkerRunnerTest, ALaunchThatDoesNotEndIsWaitedForOnce) {
  workers_.planned = {workers_.usual, answers(RunStatus::kTimedOut)};
  EXPECT_EQ(run()->status, RunStatus::kOk);
  EXPECT_EQ(run()->status, RunStatus::kTimedOut);
  EXPECT_EQ(run()->status, RunStatus::kOk);
  EXPECT_THAT(workers_.asked, ElementsAre(1, 1, 2));
}

TEST_F(WorkerRunnerTest, WhatIsNoVariantsDoingIsThrown) {
  workers_.planned = {[](const std::string&) -> Answer {
    return Reply{error_answer(environment_error("no device")), ""};
  }};
  try {
    static_cast<void>(run());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_STREQ(error.what(), "no device");
  }
  workers_.planned = {[](const std::string&) -> Answer {
    ProcessResult none;
    none.error = "no such file";
    return none;
  }};
  runner_ = make_worker_runner(context_, "/job.yaml", {workers_, {}});
  try {
    static_cast<void>(run());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("does not start: no such file"));
  }
}

TEST_F(WorkerRunnerTest, AnAnswerOfAnotherVariantIsABug) {
  workers_.planned = {[this](const std::string&) -> Answer {
    const auto other = local_->run(variant({{"block", "64"}}), {.measure = {.enabled = false}});
    return Reply{record_to_json(*other), ""};
  }};
  try {
    static_cast<void>(run());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInternal);
  }
}

TEST_F(WorkerRunnerTest, AVariantThatIsStoppedHasNoRecord) {
  workers_.planned = {[](const std::string&) -> Answer { return Reply{std::string(kStoppedAnswer), ""}; }};
  EXPECT_FALSE(run().has_value());
  workers_.planned = {[this](const std::string&) {
    context_.stop = [] { return true; };
    return dies("", 9);
  }};
  EXPECT_FALSE(run().has_value()) << "who stopped the run ended its process, too";
}

}  // namespace
}  // namespace kiln
