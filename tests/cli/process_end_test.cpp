// Variants that end their process or never end, signals, and what is left behind: on the cpu, with the
// program itself.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr const char* kWorkload = R"yaml(workload: ends
summary: y = 1, and in mode 1 something that ends or keeps the process
parameters:
  n: {type: int, default: 64}
  mode: {type: int, default: 0, values: [0, 1, 2]}
buffers:
  y: {type: float, shape: [n]}
kernels:
  ends: {source: ends.cu, block: [64], grid: ["ceil_div(n, 64)"], args: [y, params]}
run: [ends]
verify:
  checks:
    - {buffer: y, expected: 1, rtol: 0}
)yaml";

class ProcessEnd : public test::CliTest {
 protected:
  ProcessEnd() { files_->make_directories(path("tmp"), true); }

  /// In mode 1 the first work-item does `trouble`; `more` stands before the kernel.
  void write_kernel(const std::string& trouble, const std::string& more = "") {
    write("ends/ends.yaml", kWorkload);
    write("ends/ends.cu", "#include \"kiln/params.h\"\n" + more +
                              "extern \"C\" __global__ void ends(float* y, const Params p) {\n"
                              "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "  if (i < p.n) y[i] = 1;\n"
                              "  if (p.mode == 1 && i == 0) { " +
                              trouble + " }\n}\n");
    write("job.yaml", "workload: ends\nsweep: {mode: [0, 1, 2]}\nmeasure: {min_time: 0 s, max_samples: 5}\n");
  }

  [[nodiscard]] std::string program(const std::string& more = "") const {
    return "TMPDIR='" + path("tmp") + "' '" KILN_PROGRAM "' run '" + path("job.yaml") +
           "' --device cpu --output '" + path("results") + "' --cache-dir '" + path("cache") +
           "' --workload-path '" + path("") + "' " + more;
  }

  static ProcessResult shell(const std::string& command) {
    Command bash{"bash", {"-c", command}, "", ""};
    bash.time_limit = std::chrono::seconds(120);
    return make_process_runner()->run(bash);
  }

  /// Of each record; lines that are cut off are left out.
  std::vector<std::string> values(const std::string& key) {
    std::vector<std::string> found;
    for (const std::string& line :
         split(files_->read_file(path("results/records.jsonl")).value_or(""), '\n')) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object()) found.push_back(json.at(key).is_string() ? json.at(key) : "");
    }
    return found;
  }

  /// A compiler that outlives a killed run may still have files of its own there.
  std::vector<std::string> left_in_tmp() {
    std::vector<std::string> names = files_->list(path("tmp"));
    std::erase_if(names, [](const std::string& name) { return !name.starts_with("kiln-"); });
    return names;
  }

  /// What stands beside the records and the state for `kiln watch`.
  std::vector<std::string> left_beside() {
    std::vector<std::string> names = files_->list(path("results"));
    std::erase(names, "records.jsonl");
    std::erase(names, ".progress.json");
    return names;
  }
};

TEST_F(ProcessEnd, AVariantThatCrashesIsNamedRecordedAndPassed) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports the signal";
  write_kernel("*(volatile int*)16 = 1;");
  const ProcessResult first = shell(program());
  EXPECT_NE(first.exit_code, 0);
  EXPECT_THAT(values("label"), ElementsAre("mode=0"));
  EXPECT_THAT(first.error,
              HasSubstr("kiln: error: signal 11 (Segmentation fault) in kernel 'ends' of variant "
                        "'mode=1' on cpu"));
  const ProcessResult second = shell(program("--resume"));
  EXPECT_EQ(second.exit_code, kExitFailed) << second.error;
  EXPECT_THAT(values("label"), ElementsAre("mode=0", "mode=1", "mode=2"));
  EXPECT_THAT(values("status"), ElementsAre("ok", "crashed", "ok"));
  EXPECT_THAT(second.output, AllOf(HasSubstr("crashed"), HasSubstr("1 crashed")));
  EXPECT_THAT(values("message")[1], HasSubstr("signal 11 (Segmentation fault) in kernel 'ends'"));
  EXPECT_THAT(left_beside(), IsEmpty());
  EXPECT_EQ(shell(program("--resume")).exit_code, kExitFailed) << "all variants are known";
  EXPECT_THAT(values("status"), ElementsAre("ok", "crashed", "ok"));
  EXPECT_NE(shell(program("--resume --retry-crashed")).exit_code, kExitFailed) << "it ran again";
}

TEST_F(ProcessEnd, ACrashOfSeveralThreadsAtOnceIsNamed) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports the signal";
  write("ends/ends.yaml", kWorkload);
  write(
      "ends/ends.cu",
      "#include \"kiln/params.h\"\nstatic int arrived;\n"
      "extern \"C\" __global__ void ends(float* y, const Params p) {\n"
      "  if (threadIdx.x != 0) return;\n  __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);\n"
      "  for (long j = 0; j < 100000000 && __atomic_load_n(&arrived, __ATOMIC_RELAXED) < 2; ++j) y[0] = j;\n"
      "  *(volatile int*)16 = 1;\n}\n");
  write("job.yaml", "workload: ends\nset: {n: 128}\n");
  constexpr int kTries = 6;
  for (int i = 0; i < kTries; ++i) {
    const ProcessResult result = shell(program());
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.error, HasSubstr("kiln: error: signal 11 (Segmentation fault) in kernel 'ends'")) << i;
  }
}

TEST_F(ProcessEnd, AKernelThatCallsExitIsAFaultOfItsVariant) {
  for (const char* call : {"exit(0);", "_Exit(0);", "_exit(0);", "quick_exit(0);", "abort();"}) {
    files_->remove_all(path("results"));
    write_kernel(call, "#include <cstdlib>\nextern \"C\" [[noreturn]] void _exit(int);\n");
    const ProcessResult result = shell(program());
    EXPECT_EQ(result.exit_code, kExitFailed) << call << result.error;
    EXPECT_THAT(values("status"), ElementsAre("ok", "faulted", "ok")) << call;
    EXPECT_THAT(values("message")[1], HasSubstr("the kernel calls ")) << call;
  }
}

TEST_F(ProcessEnd, ExitOutsideOfALaunchDoesNotEndWithSuccess) {
  write_kernel(
      "",
      "#include <cstdlib>\nstruct Ender { __device__ Ender() { if (Params::mode == 1) _Exit(0); } };\n"
      "static __device__ Ender ender;\n");
  const ProcessResult constructor = shell(program());
  EXPECT_NE(constructor.exit_code, 0);
  EXPECT_EQ(shell(program("--resume")).exit_code, kExitFailed);
  EXPECT_THAT(values("status"), ElementsAre("ok", "crashed", "ok"));
}

/// Libraries that a kernel calls are not linked by Kiln; here a pointer stands for one.
TEST_F(ProcessEnd, ExitOfALibraryIsToldAndRecorded) {
  write_kernel("((void (*)(int))dlsym(nullptr, \"exit\"))(0);",
               "extern \"C\" void* dlsym(void*, const char*);\n");
  const ProcessResult result = shell(program());
  EXPECT_EQ(result.exit_code, kExitFailed) << result.error;
  EXPECT_THAT(result.error,
              HasSubstr("kernel 'ends' of variant 'mode=1' on cpu ended the process by exit()"));
  EXPECT_THAT(result.output, HasSubstr("2 variants: 1 ok, 1 crashed"));
  EXPECT_THAT(values("status"), ElementsAre("ok", "crashed"));
  EXPECT_EQ(shell(program("--resume")).exit_code, kExitFailed);
  EXPECT_THAT(values("status"), ElementsAre("ok", "crashed", "ok"));
}

constexpr const char* kForEver = "for (volatile int j = 0;;) j = 1;";

TEST_F(ProcessEnd, ALaunchThatNeverEndsHasALimit) {
  write_kernel(kForEver);
  const ProcessResult result = shell(program("--launch-time-limit '1 s' --format csv"));
  EXPECT_EQ(result.exit_code, kExitFailed) << result.error;
  EXPECT_FALSE(result.timed_out);
  EXPECT_THAT(result.error, HasSubstr("kernel 'ends' of variant 'mode=1' on cpu did not end within 1"));
  EXPECT_THAT(values("status"), ElementsAre("ok", "timed out"));
  EXPECT_THAT(result.output, AllOf(HasSubstr("mode"), HasSubstr("timed out")));
  EXPECT_THAT(left_in_tmp(), IsEmpty());
  EXPECT_THAT(left_beside(), IsEmpty());
  EXPECT_EQ(shell(program("--resume")).exit_code, kExitFailed);
  EXPECT_THAT(values("status"), ElementsAre("ok", "timed out", "ok"));
}

/// Where the mode is a constant, the kernel never ends: at its first launch, or only while rounds measure it.
TEST_F(ProcessEnd, ACaseOfAStudyThatNeverEndsIsRecordedAndPassed) {
  for (const char* when : {"", "static int calls = 0; if (++calls > 300) "}) {
    files_->remove_all(path("results"));
    write_kernel(
        std::string("if constexpr (IsConstant<decltype(&Params::mode)>::value) { ") + when + kForEver + " }",
        "template <class Member> struct IsConstant { static constexpr bool value = false; };\n"
        "template <> struct IsConstant<const int*> { static constexpr bool value = true; };\n");
    write("study.yaml",
          "workload: ends\nset: {mode: 1}\nconstants: [mode]\nmeasure: {rounds: 6, samples: 50, compiles: "
          "1}\n");
    const auto study = [&](const std::string& more) {
      return shell("TMPDIR='" + path("tmp") + "' '" KILN_PROGRAM "' study '" + path("study.yaml") +
                   "' --device cpu --output '" + path("results") + "' --cache-dir '" + path("cache") +
                   "' --workload-path '" + path("") + "' --launch-time-limit '1 s' " + more);
    };
    ProcessResult result = study("");
    EXPECT_EQ(result.exit_code, kExitFailed) << result.error;
    EXPECT_THAT(result.error, HasSubstr(", the launch_time_limit;"));
    EXPECT_THAT(values("status"), ElementsAre("timed out"));
    constexpr int kCases = 12;  // each specialised one hangs
    int resumed = 0;
    for (; resumed < kCases && result.output.empty(); ++resumed) result = study("--resume");
    EXPECT_LT(resumed, kCases) << "it does not get past the case that hangs";
    EXPECT_EQ(result.exit_code, kExitFailed) << result.error;
    EXPECT_THAT(result.output, HasSubstr("timed out"));
    const std::vector<std::string> status = values("status");
    EXPECT_GT(std::count(status.begin(), status.end(), "ok"), 0) << "generic code was measured";
    EXPECT_EQ(std::count(status.begin(), status.end(), "timed out"), resumed);
    std::vector<std::string> labels = values("label");
    std::sort(labels.begin(), labels.end());
    EXPECT_EQ(std::adjacent_find(labels.begin(), labels.end()), labels.end()) << "one record a case";
    EXPECT_THAT(left_in_tmp(), IsEmpty());
  }
}

TEST_F(ProcessEnd, OneSignalEndsARunThatHangs) {
  write_kernel(kForEver);
  struct Case {
    const char* signal;
    int code;
  };
  for (const Case& one : {Case{"TERM", 143}, Case{"INT", 130}, Case{"HUP", 129}}) {
    files_->remove_all(path("results"));
    const std::string log = path("err");
    const ProcessResult result =
        shell(program("> '" + path("out") + "' 2> '" + log + "'") +
              " & pid=$!; for i in $(seq 300); do grep -qs mode=1 '" + path("results") +
              "'/.running-* && break; sleep 0.1; done; "
              "sleep 0.5; kill -" +
              one.signal + " $pid; sleep 1; cp '" + log + "' '" + path("early") + "'; wait $pid");
    EXPECT_EQ(result.exit_code, one.code) << one.signal;
    EXPECT_THAT(*files_->read_file(path("early")),
                HasSubstr("interrupted: waiting for kernel 'ends' of variant 'mode=1' on cpu"));
    EXPECT_THAT(*files_->read_file(path("out")), HasSubstr("1 variant: 1 ok"));
    EXPECT_THAT(left_in_tmp(), IsEmpty());
    EXPECT_THAT(left_beside(), IsEmpty());
    EXPECT_THAT(values("status"), ElementsAre("ok")) << "the variant that was stopped runs again";
  }
}

TEST_F(ProcessEnd, WithoutARecordNothingIsSaidToBeResumed) {
  write_kernel(kForEver);
  write("job.yaml", "workload: ends\nset: {mode: 1}\n");
  const ProcessResult result =
      shell(program() + " & pid=$!; for i in $(seq 300); do ls '" + path("results") +
            "'/.running-* > /dev/null 2>&1 && break; sleep 0.1; done; kill -TERM $pid; wait $pid");
  EXPECT_THAT(result.error, AllOf(HasSubstr("interrupted: waiting for"), Not(HasSubstr("--resume goes on"))));
}

TEST_F(ProcessEnd, WhatAKilledRunLeavesInTheTemporaryFolderIsCollected) {
  write_kernel("");
  write("slow.sh", "#!/bin/sh\ncase \"$*\" in *kernel.so*) touch '" + path("compiling") +
                       "'; sleep 5;; esac\nexec g++ \"$@\"\n");
  std::filesystem::permissions(path("slow.sh"), std::filesystem::perms::owner_all);
  const std::string kill = " & pid=$!; for i in $(seq 300); do test -e '" + path("compiling") +
                           "' && break; sleep 0.1; done; kill -KILL $pid; wait $pid";
  const auto killed = [&](const std::string& more) {
    shell("exec 2> /dev/null; " + program("-j 1 --cpu-compiler '" + path("slow.sh") + "' " + more) + kill);
  };
  for (const char* isolation : {"none", "process"}) {
    files_->remove_all(path("compiling"));
    files_->remove_all(path("cache"));
    killed(std::string("--isolation ") + isolation);
    EXPECT_THAT(left_in_tmp(), Not(IsEmpty())) << isolation;
    EXPECT_EQ(shell(program("--isolation none")).exit_code, 0);
    EXPECT_THAT(left_in_tmp(), IsEmpty()) << isolation;
  }
  files_->remove_all(path("compiling"));
  files_->remove_all(path("cache"));
  killed("");
  EXPECT_THAT(left_in_tmp(), Not(IsEmpty()));
  const ProcessResult gc =
      shell("TMPDIR='" + path("tmp") + "' '" KILN_PROGRAM "' cache gc --cache-dir '" + path("cache") + "'");
  EXPECT_THAT(gc.output, HasSubstr("temporary folder"));
  EXPECT_THAT(left_in_tmp(), IsEmpty());
}

TEST_F(ProcessEnd, RunsAtOnceIntoOneFolderLoseNoRecord) {
  write_kernel("");
  write("job.yaml", "workload: ends\nmeasure: {min_time: 0 s, max_samples: 5}\n");
  ASSERT_EQ(shell(program()).exit_code, 0);
  constexpr int kRounds = 3;
  constexpr int kRuns = 12;
  int written = 1;
  for (int round = 0; round < kRounds; ++round) {
    const std::string whole = *files_->read_file(path("results/records.jsonl"));
    files_->append_file(path("results/records.jsonl"), whole.substr(0, 60 + static_cast<std::size_t>(round)));
    const ProcessResult runs =
        shell("for i in $(seq " + std::to_string(kRuns) + "); do (" + program("> /dev/null 2>&1") +
              " && echo done) & done; (" + program("> /dev/null 2>&1 & pid=$!; sleep 0.0") +
              std::to_string(5 + round) + "; kill -KILL $pid) 2> /dev/null; wait");
    const std::vector<std::string> done = split(trim(runs.output), '\n');
    EXPECT_EQ(done.size(), kRuns) << runs.output << runs.error;
    written += static_cast<int>(done.size());
  }
  const std::vector<std::string> status = values("status");
  EXPECT_GE(std::count(status.begin(), status.end(), "ok"), written);
  const ProcessResult report = shell("'" KILN_PROGRAM "' report '" + path("results") + "'");
  EXPECT_EQ(report.exit_code, 0) << report.error;
  EXPECT_THAT(report.error, HasSubstr("records.jsonl:2: a crash cut this line off"));
}

TEST_F(ProcessEnd, AFileThatMayNotGrowIsAnErrorOfTheEnvironment) {
  write_kernel("");
  ASSERT_EQ(shell(program()).exit_code, 0);
  const ProcessResult result = shell("ulimit -f 1; " + program());
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.exit_code, kExitEnvironment) << result.error;
  EXPECT_THAT(result.error, HasSubstr("File too large"));
}

}  // namespace
}  // namespace kiln
