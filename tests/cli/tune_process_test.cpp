// `kiln tune` as a process that is killed: on the cpu, with the program itself.
#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr std::size_t kPoints = 8 + 1;  // and the paper's
constexpr const char* kJob = R"(workload: stencil7
device: cpu
set: {nx: 16, ny: 12, nz: 10, method: single}
measure: {min_time: 0.2, max_samples: 10000}
tune:
  space: {block_x: [4, 8, 16, 32], bind.nx: [compile, run]}
  cut: off
)";

class TuneProcess : public test::CliTest {
 protected:
  void SetUp() override {
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    write("tuned.yaml", kJob);
  }
  [[nodiscard]] std::string program(const std::string& more = "") const {
    return "'" KILN_PROGRAM "' tune tuned.yaml --wisdom wisdom --cache-dir cache --workload-path '" +
           std::string(KILN_SOURCE_DIR) + "/kernels_src:" + path("") + "' " + more;
  }
  /// In the test's folder.
  [[nodiscard]] ProcessResult shell(const std::string& command) const {
    Command bash{"bash", {"-c", "cd '" + path("") + "'; export KILN_WISDOM_DIR=none; " + command}, "", ""};
    bash.time_limit = std::chrono::seconds(120);
    return make_process_runner()->run(bash);
  }
  [[nodiscard]] std::size_t lines(const std::string& name, const std::string& with) {
    const auto text = files_->read_file(path(name));
    const auto all = split(text.value_or(""), '\n');
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const std::string& line) {
      return line.find(with) != std::string::npos;
    }));
  }
};

TEST_F(TuneProcess, KillLosesAtMostTheVariantInFlight) {
  std::size_t known = 0;
  for (const int after : {1, 2, 1}) {
    const std::string resume = known > 0 ? "--resume " : "";
    const std::string wait = "touch err; until [ $(grep -c '\\] ' err) -ge " + std::to_string(after) +
                             " ]; do kill -0 $! || exit 9; sleep 0.01; done; kill -9 $!; wait $!; true";
    const ProcessResult killed = shell("rm -f err; " + program(resume) + " > out 2> err & " + wait);
    ASSERT_EQ(killed.exit_code, 0) << killed.error;
    const std::size_t told = known + lines("err", "] ");  // the journal has it before it is reported
    known = lines("tuned.tune/tune.jsonl", "\"event\":\"outcome\"");
    EXPECT_GE(known, told);
    ASSERT_LT(known, kPoints);
  }
  const ProcessResult rest = shell(program("--resume 2>&1"));
  EXPECT_EQ(rest.exit_code, kExitDone);
  EXPECT_THAT(rest.output, HasSubstr("resumed: " + std::to_string(known) + " points are known"));
  EXPECT_THAT(rest.output, HasSubstr("ended: every point is known"));
  EXPECT_EQ(lines("tuned.tune/tune.jsonl", "\"event\":\"outcome\""), kPoints);
  EXPECT_TRUE(exists("tuned.tune/best.yaml"));
  EXPECT_TRUE(exists("wisdom/stencil7.wisdom.yaml"));
}

TEST_F(TuneProcess, AVariantThatEndsItsProcessTwiceIsPassed) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports the fault";
  write("ends/ends.yaml",
        "workload: ends\nsummary: y = 1, and in mode 1 a fault\n"
        "parameters:\n  n: {type: int, default: 64}\n  mode: {type: int, default: 0, values: [0, 1, 2]}\n"
        "buffers:\n  y: {type: float, shape: [n]}\n"
        "kernels:\n  ends: {source: ends.cu, block: [64], grid: [1], args: [y, params]}\n"
        "run: [ends]\nverify:\n  checks:\n    - {buffer: y, expected: 1, rtol: 0}\n");
  write("ends/ends.cu",
        "#include \"kiln/params.h\"\n"
        "extern \"C\" __global__ void ends(float* y, const Params p) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < p.n) y[i] = 1;\n"
        "  if (p.mode == 1 && i == 0) *(volatile int*)8 = 1;\n}\n");
  write("tuned.yaml", "workload: ends\ndevice: cpu\nmeasure: {min_time: 0, max_samples: 5}\n");
  EXPECT_NE(shell(program("--isolation none")).exit_code, kExitDone);
  EXPECT_NE(shell(program("--isolation none --resume")).exit_code, kExitDone);
  const ProcessResult rest = shell(program("--isolation none --resume"));
  EXPECT_EQ(rest.exit_code, kExitDone) << rest.error;
  EXPECT_THAT(rest.output, HasSubstr("1 fault: mode=1: it has ended the process of two earlier searches"));
  EXPECT_THAT(rest.output, HasSubstr("ended: every point is known"));
}

/// A compiler that takes ten minutes over one variant. Nothing waits for it at the end, by the budget or by a
/// signal, and nothing of it is left.
class SlowCompile : public TuneProcess, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    TuneProcess::SetUp();
    write("twice/twice.yaml",
          "workload: twice\nparameters: {n: {type: int, default: 64, values: [64, 128]}}\n"
          "buffers: {y: {type: float, shape: [n]}}\n"
          "kernels: {twice: {source: twice.cu, grid: [1], block: [n], args: [y, params]}}\nrun: [twice]\n");
    write("twice/twice.cu",
          "#include \"kiln/params.h\"\nextern \"C\" __global__ void twice(float* y, const Params p) {\n"
          "  if (threadIdx.x < p.n) y[threadIdx.x] *= 2;\n}\n");
    write("tuned.yaml", "workload: twice\ndevice: cpu\nmeasure: {min_time: 0, max_samples: 5}\n");
    const std::string slow =
        write("slow-c++", "#!/bin/sh\nif grep -qs 'n = 128;' kiln/params.h; then\n  echo $$ >> '" +
                              path("pids") + "'\n  exec sleep 600\nfi\nexec c++ \"$@\"\n");
    std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
    std::filesystem::create_directory(path("tmp"));
  }
  [[nodiscard]] std::string slow_program(const std::string& more) const {
    return "export TMPDIR='" + path("tmp") + "'; " +
           program("--cpu-compiler ./slow-c++ --isolation " + std::string(GetParam()) + " " + more);
  }
  void expect_nothing_left() {
    // An ended process may be left as a zombie where the first process does not wait for orphans.
    EXPECT_EQ(
        shell("for pid in $(cat pids); do for i in $(seq 100); do\n"
              "  case $(cut -d ' ' -f 3 /proc/$pid/stat 2> /dev/null) in '' | Z | X) continue 2 ;; esac\n"
              "  sleep 0.05\ndone; exit 1; done")
            .exit_code,
        0);
    EXPECT_TRUE(files_->list(path("tmp")).empty());
    EXPECT_FALSE(exists("cache/failures"));
    const ProcessResult held = shell("find cache -path '*lock*' -type f");
    EXPECT_EQ(held.output, "");
  }
};

TEST_P(SlowCompile, TheBudgetEndsIt) {
  for (const char* budget : {"5s", "20s", "60s"}) {
    const ProcessResult result =
        shell("rm -rf tuned.tune; " + slow_program(std::string("--budget ") + budget));
    ASSERT_EQ(result.exit_code, kExitDone) << result.error;
    EXPECT_THAT(result.output, testing::AllOf(HasSubstr("best: default"), HasSubstr("ended: ")));
    EXPECT_TRUE(exists("tuned.tune/best.yaml"));
    if (exists("pids")) return expect_nothing_left();
  }
  FAIL() << "the slow compile has not begun";
}

TEST_P(SlowCompile, ASignalEndsIt) {
  const ProcessResult result =
      shell(slow_program("> out 2> err & ") +
            "until [ -s pids ]; do kill -0 $! || exit 9; sleep 0.05; done; kill -TERM $!; wait $!");
  EXPECT_EQ(result.exit_code, 128 + SIGTERM) << *files_->read_file(path("err"));
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Isolation, SlowCompile, testing::Values("none", "process"));

}  // namespace
}  // namespace kiln
