// Variants in processes of their own: kernels with wild pointers, without end, with wrong results, texts that
// do not compile, compilers that hang; and processes that are killed. On the cpu, with the program itself.
#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string_view>
#include <thread>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr const char* kWorkload = R"yaml(workload: planted
summary: y = 1, but for variants that are bad
parameters:
  n: {type: int, default: 64}
  mode: {type: int, default: 0, min: 0, max: 100, bind: compile}
buffers:
  y: {type: float, shape: [n]}
kernels:
  planted:
    source: planted.cu
    block: [64]
    grid: ["ceil_div(n, 64)"]
    shared: "mode == 6 ? 1000000000 : 0"
    args: [y, params]
run: [planted]
verify:
  checks:
    - {buffer: y, expected: 1, rtol: 0}
)yaml";

constexpr const char* kKernel = R"(#include "kiln/params.h"
#include <cstdlib>
extern "C" __global__ void planted(float* y, const Params p) {
  constexpr int mode = Params::mode;
  static_assert(mode != 4, "planted");
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] = mode == 3 ? 2 : 1;
  if (i != 0) return;
  if (mode == 1) *(volatile int*)16 = 1;
  if (mode == 2) for (volatile int go = 1; go != 0;) {}
  if (mode == 5) exit(0);
}
)";

/// A compiler that never ends for mode 7.
constexpr const char* kCompiler = R"(#!/bin/sh
if grep -q 'mode = 7;' kiln/params.h 2> /dev/null; then sleep 1000; fi
exec c++ "$@"
)";

class IsolatedTrials : public test::CliTest {
 protected:
  IsolatedTrials() {
    write("planted/planted.yaml", kWorkload);
    write("planted/planted.cu", kKernel);
    std::filesystem::permissions(write("compiler", kCompiler), std::filesystem::perms::owner_all);
  }

  [[nodiscard]] std::string program(const std::string& command, const std::string& more = "") const {
    return "'" KILN_PROGRAM "' " + command + " '" + path("job.yaml") + "' --device cpu --output '" +
           path("results") + "' --cache-dir '" + path("cache") + "' --workload-path '" + path("") +
           "' --launch-time-limit 3s --compile-time-limit 4s --cpu-compiler '" + path("compiler") + "' " +
           more;
  }
  static ProcessResult shell(const std::string& command) {
    Command bash{"bash", {"-c", command}, "", ""};
    bash.time_limit = std::chrono::seconds(240);
    return make_process_runner()->run(bash);
  }
  std::vector<nlohmann::json> records() {
    std::vector<nlohmann::json> all;
    for (const std::string& line :
         split(files_->read_file(path("results/records.jsonl")).value_or(""), '\n')) {
      auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object()) all.push_back(std::move(json));
    }
    return all;
  }
  std::map<std::string, std::string> statuses(const std::string& key = "status") {
    std::map<std::string, std::string> found;
    for (const nlohmann::json& record : records())
      found[record.at("label")] = record.at(key).is_string() ? record.at(key) : "";
    return found;
  }
};

TEST_F(IsolatedTrials, ExactlyTheBadVariantsFail) {
  write("job.yaml",
        "workload: planted\nsweep: {mode: [0, 1, 2, 3, 4, 5, 6, 7, 8]}\nisolation: process\n"
        "measure: {min_time: 0 s, max_samples: 5}\n");
  const ProcessResult result = shell(program("run"));
  EXPECT_EQ(result.exit_code, kExitFailed) << result.error;
  EXPECT_EQ(statuses(), (std::map<std::string, std::string>{{"mode=0", "ok"},
                                                            {"mode=1", "crashed"},
                                                            {"mode=2", "timed out"},
                                                            {"mode=3", "wrong"},
                                                            {"mode=4", "compile failed"},
                                                            {"mode=5", "faulted"},
                                                            {"mode=6", "does not fit"},
                                                            {"mode=7", "compile failed"},
                                                            {"mode=8", "ok"}}))
      << result.output << result.error;
  auto messages = statuses("message");
  if (!kSanitized) {
    EXPECT_THAT(messages["mode=1"], HasSubstr("signal 11 (Segmentation fault) in kernel 'planted'"));
  }
  EXPECT_THAT(messages["mode=2"], HasSubstr("kernel 'planted' did not end within 3.00 s"));
  EXPECT_THAT(messages["mode=7"], HasSubstr("did not finish within"));
  EXPECT_THAT(result.error, Not(HasSubstr("internal error")));
}

TEST_F(IsolatedTrials, ASearchPassesTheBadVariantsOver) {
  write("job.yaml",
        "workload: planted\nmeasure: {min_time: 0 s, max_samples: 5}\n"
        "tune: {space: {mode: [0, 1, 2, 3, 4, 5, 6, 7, 8]}, searcher: exhaustive, budget: {evaluations: "
        "50}}\n");
  const ProcessResult result = shell(program("tune", "--no-wisdom"));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  std::map<std::string, int> ends;
  for (const auto& [label, status] : statuses()) ++ends[status];
  EXPECT_EQ(ends, (std::map<std::string, int>{{"ok", 2},
                                              {"crashed", 1},
                                              {"timed out", 1},
                                              {"wrong", 1},
                                              {"compile failed", 2},
                                              {"faulted", 1},
                                              {"does not fit", 1}}))
      << result.output << result.error;
  const std::string best = files_->read_file(path("results/best.yaml")).value_or("");
  EXPECT_THAT(best, testing::AnyOf(HasSubstr("mode: 0"), HasSubstr("mode: 8")));
}

TEST_F(IsolatedTrials, WithoutIsolationASearchRunsInItsOwnProcess) {
  write("job.yaml",
        "workload: planted\nisolation: none\nmeasure: {min_time: 0 s, max_samples: 5}\n"
        "tune: {space: {mode: [8, 1]}, searcher: exhaustive, budget: {evaluations: 50}}\n");
  EXPECT_NE(shell(program("tune", "--no-wisdom")).exit_code, kExitDone) << "the wild pointer ends it";
}

TEST_F(IsolatedTrials, OutputsAreWrittenAndValuesAreThoseOfTheJob) {
  write("job.yaml", "workload: planted\nset: {n: 100, mode: 8}\nisolation: process\nkeep: {y: '" +
                        path("y.txt") + "'}\nmeasure: false\n");
  const ProcessResult result = shell(program("run", "--format json"));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(split(files_->read_file(path("y.txt")).value_or(""), '\n').size(), 101U);
  ASSERT_EQ(records().size(), 1U);
  EXPECT_EQ(records()[0].at("units")[0].at("origin"), "compiled") << "by this run, though by another process";
}

TEST_F(IsolatedTrials, AJobThatCannotBeReadAgainIsRefused) {
  write("job.yaml", "workload: planted\nset: {mode: 8}\nisolation: process\nmeasure: false\n");
  std::string command = program("run");
  command.replace(command.find("'" + path("job.yaml") + "'"), path("job.yaml").size() + 2,
                  "<(cat '" + path("job.yaml") + "')");
  const ProcessResult result = shell(command);
  EXPECT_EQ(result.exit_code, kExitBadInput);
  EXPECT_THAT(result.error, HasSubstr("isolation: process needs a job in a file"));
}

/// 0 for one that has ended.
pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  constexpr std::string_view kParent = "PPid:";
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(kParent)) return static_cast<pid_t>(std::stol(line.substr(kParent.size())));
  }
  return 0;
}

/// Those that run trials of jobs in `folder`, without their children: a process that was forked for the
/// compiler has the same command line until it becomes the compiler.
std::vector<pid_t> trial_processes(const std::string& folder) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();  // a process that ends meanwhile has no text
    const std::string words = content.str();
    if (words.find("--serve-trials") != std::string::npos && words.find(folder) != std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  const std::vector<pid_t> all = found;
  std::erase_if(found, [&](pid_t process) {
    return std::find(all.begin(), all.end(), parent_of(process)) != all.end();
  });
  return found;
}

/// Twenty times; a variant in flight runs again in a new process, or is said to have crashed.
TEST_F(IsolatedTrials, ProcessesThatAreKilledCostAtMostTheVariantInFlight) {
  std::string modes = "8";
  for (int mode = 9; mode < 40; ++mode) modes += ", " + std::to_string(mode);
  write("job.yaml", "workload: planted\nsweep: {mode: [" + modes +
                        "]}\nisolation: process\nmeasure: {min_time: 0.05 s, max_samples: 100000}\n");
  ProcessResult result;
  std::thread job([&] { result = shell(program("run")); });
  std::mt19937 random(1);
  int killed = 0;
  for (int i = 0; i < 400 && killed < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + static_cast<int>(random() % 120)));
    for (const pid_t process : trial_processes(path("job.yaml"))) {
      if (::kill(process, SIGKILL) == 0) ++killed;
    }
    if (records().size() == 32) break;
  }
  job.join();
  EXPECT_GT(killed, 0);
  const auto ends = statuses();
  EXPECT_EQ(ends.size(), 32U) << result.error;
  int crashed = 0;
  for (const auto& [label, status] : ends) {
    EXPECT_THAT(status, testing::AnyOf("ok", "crashed")) << label;
    if (status == "crashed") ++crashed;
  }
  EXPECT_LE(crashed, killed);
  EXPECT_EQ(result.exit_code, crashed > 0 ? kExitFailed : kExitDone) << result.error;
}

/// Starts the program; its process is the shell's.
pid_t start(const std::string& command) {
  const pid_t process = ::fork();
  if (process == 0) {
    ::execl("/bin/sh", "sh", "-c", ("exec " + command + " > /dev/null 2>&1").c_str(), nullptr);
    ::_exit(127);
  }
  return process;
}

/// Searches that are killed twenty times, or the processes of their trials are, and are resumed. Nothing that
/// was known is lost or measured again, and a kill costs at most the variant in flight.
TEST_F(IsolatedTrials, SearchesThatAreKilledGoOnWithAllButTheVariantInFlight) {
  constexpr int kKills = 20;
  constexpr int kPoints = 120;
  std::string sizes = "64";
  for (int i = 2; i <= kPoints; ++i) sizes += ", " + std::to_string(64 * i);
  write("job.yaml",
        "workload: planted\nset: {mode: 8, bind.n: run}\nmeasure: {min_time: 0.03 s, max_samples: 100000}\n"
        "tune: {space: {n: [" +
            sizes + "]}, searcher: exhaustive, cut: off, budget: {evaluations: 1000}}\n");
  const auto outcomes = [this] {
    std::vector<std::string> lines;
    for (const std::string& line : split(files_->read_file(path("results/tune.jsonl")).value_or(""), '\n')) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object() && json.at("event") == "outcome") lines.push_back(line);
    }
    return lines;
  };
  std::mt19937 random(1);
  const auto pause = [&](unsigned most) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % most));
  };
  int killed_trials = 0;
  std::vector<std::string> known;
  for (int kill = 0; kill < kKills; ++kill) {
    const pid_t search = start(program("tune", kill > 0 ? "--resume --no-wisdom" : "--no-wisdom"));
    // Until it measures, so that most kills meet a variant in flight.
    for (int i = 0; i < 500 && trial_processes(path("job.yaml")).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    pause(300);
    if (kill % 3 == 2) {
      for (const pid_t process : trial_processes(path("job.yaml")))
        killed_trials += ::kill(process, SIGKILL) == 0 ? 1 : 0;
      pause(300);
    }
    ::kill(search, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(search, &status, 0), search);
    const std::vector<std::string> now = outcomes();
    ASSERT_GE(now.size(), known.size());
    EXPECT_TRUE(std::equal(known.begin(), known.end(), now.begin()))
        << "an outcome was lost at kill " << kill;
    known = now;
  }
  const ProcessResult end = shell(program("tune", "--resume --no-wisdom"));
  EXPECT_EQ(end.exit_code, kExitDone) << end.output << end.error;
  EXPECT_THAT(end.output, HasSubstr("every point is known"));
  std::map<std::string, int> measured;
  int failed = 0;
  for (const std::string& line : outcomes()) {
    const auto json = nlohmann::json::parse(line);
    ++measured[json.at("values").dump()];
    failed += json.at("outcome").at("kind") == "failed" ? 1 : 0;
  }
  EXPECT_EQ(measured.size(), static_cast<std::size_t>(kPoints));
  for (const auto& [values, times] : measured) EXPECT_EQ(times, 1) << values;
  EXPECT_LE(failed, killed_trials);
  std::map<std::string, int> ran;  // by variant and seed of the inputs
  for (const nlohmann::json& record : records()) ++ran[record.at("label").dump() + record.at("seed").dump()];
  int again = 0;
  for (const auto& [variant, times] : ran) again += times - 1;
  EXPECT_LE(again, kKills + killed_trials);
}

/// A process that runs trials does not outlive the one that asks it, whatever it runs.
TEST_F(IsolatedTrials, TheProcessEndsWithTheOneThatAsks) {
  write("job.yaml", "workload: planted\nset: {mode: 2}\nisolation: process\nmeasure: false\n");
  const std::string run = program("run", "--launch-time-limit 1000s");
  static_cast<void>(shell(run +
                          " > /dev/null 2>&1 & asker=$!; for i in $(seq 300); do sleep 0.1; "
                          "grep -lq serve-trials $(ls -d /proc/[0-9]*/cmdline) 2>/dev/null && break; done; "
                          "sleep 0.5; kill -9 $asker"));
  for (int i = 0; i < 100 && !trial_processes(path("job.yaml")).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THAT(trial_processes(path("job.yaml")), testing::IsEmpty());
}

}  // namespace
}  // namespace kiln
