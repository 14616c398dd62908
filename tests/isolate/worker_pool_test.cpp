#include "isolate/worker_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

namespace kiln {
namespace {

using namespace std::chrono_literals;

/// A worker that is a shell script: $1 is --serve.
class ShellWorkers : public testing::Test {
 protected:
  /// Its programs are found by a path each, so that a script can stand for them.
  class ScriptRunner final : public ProcessRunner {
   public:
    ProcessResult run(const Command& command) override { return real_->run(command); }
    std::unique_ptr<Conversation> converse(const Command& command) override {
      ++started;
      EXPECT_EQ(command.arguments, std::vector<std::string>{"--serve"});
      Command shell;
      shell.program = "sh";
      shell.arguments = {"-c", command.program};
      return real_->converse(shell);
    }
    std::optional<std::string> find_program(const std::string& name) override { return name; }

    std::atomic<int> started{0};

   private:
    std::unique_ptr<ProcessRunner> real_ = make_process_runner();
  };

  ProcessResult compile(const std::string& script) { return pool_.compile(script, "folder", 10s); }

  ScriptRunner runner_;
  WorkerPool pool_{runner_};
};

TEST_F(ShellWorkers, OneStaysForTheNextCompile) {
  const std::string script = "while read folder; do echo done; done";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(compile(script).ok());
  EXPECT_EQ(runner_.started, 1);
}

TEST_F(ShellWorkers, OneThatEndedIsReplaced) {
  const std::string script = "read folder; echo done; read folder; exit 7";
  EXPECT_TRUE(compile(script).ok());
  EXPECT_EQ(compile(script).exit_code, 7);
  EXPECT_TRUE(compile(script).ok());
  EXPECT_EQ(runner_.started, 2);
}

TEST_F(ShellWorkers, OneThatLeavesOrTalksNonsenseIsReplaced) {
  for (const char* answer : {"done, and out of service", "what?"}) {
    const int before = runner_.started;
    const std::string script = std::string("while read folder; do echo '") + answer + "'; done";
    EXPECT_TRUE(compile(script).ok());
    EXPECT_TRUE(compile(script).ok());
    EXPECT_EQ(runner_.started, before + 2);
  }
}

TEST_F(ShellWorkers, OneThatHangsIsEnded) {
  const ProcessResult result = pool_.compile("read folder; sleep 1000", "folder", 50ms);
  EXPECT_TRUE(result.timed_out);
}

TEST_F(ShellWorkers, OneWhoseCodeIsNotNeededIsEndedAndReplaced) {
  const std::string script = "read folder; echo done; read folder; sleep 1000";
  EXPECT_TRUE(compile(script).ok());
  std::stop_source stop;
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  });
  const ProcessResult result = pool_.compile(script, "folder", 60s, {}, stop.get_token());
  other.join();
  EXPECT_TRUE(result.stopped);
  EXPECT_LT(result.seconds, 30);
  EXPECT_TRUE(compile(script).ok());
  EXPECT_EQ(runner_.started, 2);
}

TEST_F(ShellWorkers, EachCompileAtATimeHasItsOwn) {
  // Each waits until both work: one worker for the two would never answer.
  const auto folder = std::filesystem::temp_directory_path() / ("kiln-pool-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string script = "read f; echo > " + folder.string() + "/$$; while [ $(ls " + folder.string() +
                             " | wc -l) -lt 2 ]; do sleep 0.01; done; echo done; read f";
  std::vector<std::thread> callers;
  std::atomic<int> done{0};
  for (int i = 0; i < 2; ++i) callers.emplace_back([&] { done += compile(script).ok() ? 1 : 0; });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 2);
  EXPECT_EQ(runner_.started, 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kiln
