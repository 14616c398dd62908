// Several processes on one cache folder, on a real disk.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "kiln/error.h"
#include "service/kernel_service.h"
#include "support/fake_compiler.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::make_specialization;

/// Writes a line into a file for each compile and takes its time over it.
class CountingCompiler : public test::FakeCompiler {
 public:
  CountingCompiler(FileSystem& files, std::filesystem::path count)
      : files_(files), count_(std::move(count)) {}
  CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override {
    files_.append_file(count_, specialization.source_text + "\n");
    if (specialization.source_text == "hangs") std::this_thread::sleep_for(std::chrono::seconds(60));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (specialization.source_text == "wrong") std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (specialization.source_text == "wrong") return Diagnostic{"wrong", "", "", false};
    return FakeCompiler::compile(specialization, stop);
  }

 private:
  FileSystem& files_;
  std::filesystem::path count_;
};

class Processes : public testing::Test {
 protected:
  Processes() : files_(make_real_file_system()), clock_(make_system_clock()) {
    folder_ = files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln-processes-");
  }
  ~Processes() override { files_->remove_all(folder_); }

  /// In a child: asks for each text, and ends with the number of those that it did not get.
  pid_t ask(const std::vector<std::string>& texts, bool locks = true) {
    const pid_t child = fork();
    if (child != 0) return child;
    test::RecordingLog log;
    DiskCache disk(*files_, *clock_, log, DiskCacheOptions{folder_ / "cache", locks, 60});
    CountingCompiler compiler(*files_, folder_ / "count");
    KernelService service(&disk, *clock_);
    int missed = 0;
    for (const std::string& text : texts) {
      const auto result = service.get(make_specialization(text), compiler, nullptr);
      const auto* got = std::get_if<ServiceResult>(&result);
      if (got == nullptr || got->code->code().binary != test::fake_binary(make_specialization(text)))
        ++missed;
    }
    service.finish_writing();  // _exit ends no service
    _exit(missed + static_cast<int>(log.warnings().size()));
  }

  static int exit_code(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  std::vector<std::string> compiled() {
    std::vector<std::string> lines;
    std::string line;
    for (const char c : files_->read_file(folder_ / "count").value_or("")) {
      if (c == '\n') {
        lines.push_back(std::exchange(line, ""));
      } else {
        line += c;
      }
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  void wait_for_compiles(std::size_t n) {
    while (compiled().size() < n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  static constexpr int kProcesses = 8;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Clock> clock_;
  std::filesystem::path folder_;
};

TEST_F(Processes, EachKeyIsCompiledOnce) {
  const std::vector<std::string> texts = {"a", "b", "c", "d"};
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    std::vector<std::string> rotated = texts;
    std::rotate(rotated.begin(), rotated.begin() + i % 4, rotated.end());
    children.push_back(ask(rotated));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_code(child), 0);
  EXPECT_EQ(compiled(), texts);
  EXPECT_TRUE(files_->list(folder_ / "cache/locks").empty());
  EXPECT_TRUE(files_->list(folder_ / "cache/tmp").empty());
}

TEST_F(Processes, WithoutLocksNothingFails) {
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) children.push_back(ask({"a", "b"}, false));
  for (const pid_t child : children) EXPECT_EQ(exit_code(child), 0);
  EXPECT_GE(compiled().size(), 2U);
  EXPECT_FALSE(files_->status(folder_ / "cache/locks"));
}

TEST_F(Processes, AHolderThatDiesHoldsNobodyUp) {
  const pid_t holder = ask({"hangs"});
  wait_for_compiles(1);
  kill(holder, SIGKILL);
  exit_code(holder);
  const auto begin = std::chrono::steady_clock::now();
  test::RecordingLog log;
  DiskCache disk(*files_, *clock_, log, DiskCacheOptions{folder_ / "cache", true, 60});
  test::FakeCompiler compiler;
  KernelService service(&disk, *clock_);
  EXPECT_TRUE(
      std::holds_alternative<ServiceResult>(service.get(make_specialization("hangs"), compiler, nullptr)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(compiler.compiles(), 1);
}

TEST_F(Processes, AKeyThatSomebodyElseCompilesDoesNotHoldUpOthers) {
  const pid_t holder = ask({"hangs"});
  wait_for_compiles(1);
  const pid_t other = ask({"a", "b"});
  EXPECT_EQ(exit_code(other), 0);
  kill(holder, SIGKILL);
  exit_code(holder);
}

TEST_F(Processes, ThoseWhoWaitForAFailureFailTogether) {
  std::vector<pid_t> children;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kProcesses; ++i) children.push_back(ask({"wrong"}));
  for (const pid_t child : children) EXPECT_EQ(exit_code(child), 1);
  // One after the other they would need 8 times 350 ms.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(2100));
}

}  // namespace
}  // namespace kiln
