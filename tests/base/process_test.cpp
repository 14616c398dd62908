#include "base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

namespace kiln {
namespace {

using std::chrono::milliseconds;

Command shell(const std::string& script) {
  Command command;
  command.program = "sh";
  command.arguments = {"-c", script};
  return command;
}

class ProcessRunnerTest : public testing::Test {
 protected:
  std::unique_ptr<ProcessRunner> runner_ = make_process_runner();
};

TEST_F(ProcessRunnerTest, CapturesBothStreamsAndTheExitCode) {
  const ProcessResult result = runner_->run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_TRUE(result.started);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.output, "out\n");
  EXPECT_EQ(result.error, "err\n");
  EXPECT_GT(result.seconds, 0);
}

TEST_F(ProcessRunnerTest, ArgumentsAreNotSeenByAShell) {
  Command command;
  command.program = "printf";
  command.arguments = {"%s", "$HOME 'x' \"y\" *"};
  const ProcessResult result = runner_->run(command);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output, "$HOME 'x' \"y\" *");
}

TEST_F(ProcessRunnerTest, TellsTheSignal) {
  const ProcessResult result = runner_->run(shell("kill -SEGV $$"));
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_FALSE(result.ok());
}

TEST_F(ProcessRunnerTest, MissingProgramIsData) {
  Command command;
  command.program = "no-such-program-anywhere";
  const ProcessResult result = runner_->run(command);
  EXPECT_FALSE(result.started);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.error.find("no-such-program-anywhere"), std::string::npos);
  command.program = "/etc/passwd";
  EXPECT_FALSE(runner_->run(command).started);
  command.program = "/tmp";
  EXPECT_FALSE(runner_->run(command).started);
}

TEST_F(ProcessRunnerTest, MissingDirectoryIsData) {
  Command command = shell("true");
  command.directory = "/no/such/folder";
  const ProcessResult result = runner_->run(command);
  EXPECT_FALSE(result.started);
  EXPECT_NE(result.error.find("/no/such/folder"), std::string::npos);
}

TEST_F(ProcessRunnerTest, RunsInTheDirectory) {
  Command command = shell("pwd");
  command.directory = "/";
  EXPECT_EQ(runner_->run(command).output, "/\n");
}

TEST_F(ProcessRunnerTest, LargeInputAndOutputDoNotDeadlock) {
  Command command;
  command.program = "cat";
  command.standard_input = std::string(std::size_t{3} << 20, 'x');
  const ProcessResult result = runner_->run(command);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output, command.standard_input);
}

TEST_F(ProcessRunnerTest, BothStreamsMayBeLarge) {
  const ProcessResult result =
      runner_->run(shell("head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero"));
  EXPECT_EQ(result.output.size(), 1'000'000);
  EXPECT_EQ(result.error.size(), 1'000'000);
}

TEST_F(ProcessRunnerTest, OutputOverTheLimitIsDroppedAndSaidSo) {
  Command command = shell("head -c 1000000 /dev/zero");
  command.output_limit = 1000;
  const ProcessResult result = runner_->run(command);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output, std::string(1000, '\0') + "\n[kiln: 999000 more bytes of output were dropped]\n");
}

TEST_F(ProcessRunnerTest, AProgramThatPrintsWithoutEndIsEnded) {
  Command command = shell("echo first; exec cat /dev/zero");
  command.output_limit = 6;
  command.output_cutoff = std::size_t{4} << 20;
  const ProcessResult result = runner_->run(command);
  EXPECT_TRUE(result.flooded);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(result.output.substr(0, 6), "first\n");
}

TEST_F(ProcessRunnerTest, TheTimeLimitHoldsWhileOutputNeverPauses) {
  Command command = shell("exec cat /dev/zero");
  command.output_limit = 1;
  command.output_cutoff = std::size_t{1} << 50;
  command.time_limit = milliseconds(200);
  EXPECT_TRUE(runner_->run(command).timed_out);
}

TEST_F(ProcessRunnerTest, AChildInTheParentsGroupSharesIt) {
  const auto runner = make_process_runner(ProcessGroup::kOfParent);
  const std::string group = "set -- $(cat /proc/$$/stat); printf %s \"$5\"";
  EXPECT_EQ(runner->run(shell(group)).output, std::to_string(getpgrp()));
  EXPECT_NE(runner_->run(shell(group)).output, std::to_string(getpgrp()));
  Command slow = shell("exec sleep 20");
  slow.time_limit = milliseconds(50);
  EXPECT_TRUE(runner->run(slow).timed_out);
}

TEST(SignalText, HasNumberAndMeaning) {
  EXPECT_EQ(signal_text(SIGSEGV), "signal 11 (Segmentation fault)");
  EXPECT_EQ(signal_text(SIGKILL), "signal 9 (Killed)");
}

TEST_F(ProcessRunnerTest, InputThatNobodyReadsIsFine) {
  Command command = shell("exec <&-; sleep 0.05; exit 0");
  command.standard_input = std::string(std::size_t{1} << 20, 'x');
  EXPECT_TRUE(runner_->run(command).ok());
}

TEST_F(ProcessRunnerTest, EmptyInputEnds) {
  Command command;
  command.program = "cat";
  EXPECT_TRUE(runner_->run(command).ok());
}

TEST_F(ProcessRunnerTest, TimeLimitEndsGrandchildrenToo) {
  Command command = shell("sleep 30 & echo $!; wait");
  command.time_limit = milliseconds(150);
  const ProcessResult result = runner_->run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_LT(result.seconds, 10);
  const pid_t grandchild = std::stoi(result.output);
  for (int i = 0; i < 100 && ::kill(grandchild, 0) == 0; ++i) {
    if (!std::filesystem::exists("/proc/" + std::to_string(grandchild) + "/exe")) break;  // a zombie
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(grandchild) + "/exe"));
}

TEST_F(ProcessRunnerTest, AStopEndsIt) {
  std::stop_source stop;
  Command command = shell("echo begun; sleep 100 & wait");
  command.stop = stop.get_token();
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(50));
    stop.request_stop();
  });
  const ProcessResult result = runner_->run(command);
  other.join();
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_LT(result.seconds, 30);
  EXPECT_TRUE(runner_->run(command).stopped);  // one that was requested before
  command.stop = std::stop_source().get_token();
  command.arguments = {"-c", "exit 0"};
  EXPECT_TRUE(runner_->run(command).ok());
}

TEST_F(ProcessRunnerTest, TimeLimitAppliesWhenTheStreamsAreClosed) {
  Command command = shell("exec >&- 2>&- <&-; sleep 30");
  command.time_limit = milliseconds(100);
  const ProcessResult result = runner_->run(command);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(result.seconds, 10);
}

TEST_F(ProcessRunnerTest, AGrandchildThatKeepsTheStreamsDoesNotHoldTheResult) {
  const ProcessResult result = runner_->run(shell("echo done; sleep 5 & exit 0"));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output, "done\n");
  EXPECT_LT(result.seconds, 4);
}

TEST_F(ProcessRunnerTest, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(8);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    threads.emplace_back(
        [this, i, &outputs] { outputs[i] = runner_->run(shell("echo " + std::to_string(i))).output; });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

TEST_F(ProcessRunnerTest, FindsPrograms) {
  const auto shell_path = runner_->find_program("sh");
  ASSERT_TRUE(shell_path.has_value());
  EXPECT_EQ(shell_path->substr(shell_path->size() - 3), "/sh");
  EXPECT_EQ(runner_->find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(runner_->find_program("no-such-program-anywhere"), std::nullopt);
  EXPECT_EQ(runner_->find_program(""), std::nullopt);
}

}  // namespace
}  // namespace kiln
