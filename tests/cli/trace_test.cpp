// --trace of the program: what the file holds of runs, compiles, failures and interrupts on the cpu.
#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "base/process.h"
#include "cli/cli_fixture.h"
#include "support/small_workload.h"
#include "support/trace_reading.h"

namespace kiln {
namespace {

using test::CliResult;
using test::TraceReading;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class TraceOption : public test::CliTest {
 protected:
  TraceOption() { test::write_small_workload(*files_, folder_); }

  std::string job(const std::string& more = "sweep: {block: [32, 64]}\n") {
    return write("job.yaml", "workload: scale\nmeasure: {min_time: 0 s, max_samples: 5}\n" + more);
  }

  TraceReading reading() {
    TraceReading found(files_->read_file(path("trace.json")).value_or(""));
    found.expect_sound();
    return found;
  }

  /// The program itself; the shell's exit code is its own.
  int shell(const std::string& before, const std::string& arguments, const std::string& after = "") {
    const std::string command =
        before + " '" KILN_PROGRAM "' " + arguments + " --trace '" + path("trace.json") + "' --cache-dir '" +
        path("cache") + "' --workload-path '" + path("") + "' > /dev/null 2> '" + path("err") + "'" + after;
    return make_process_runner()->run({"bash", {"-c", command}, "", ""}).exit_code;
  }
};

TEST_F(TraceOption, ARunIsThereFromItsVariantsToItsKernels) {
  const CliResult result = kiln({"run", job(), "--device", "cpu", "--trace", path("trace.json")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  const TraceReading read = reading();
  EXPECT_THAT(read.names("variant"), ElementsAre("variant block=32", "variant block=64"));
  const auto variant = read.spans("variant")[0];
  EXPECT_EQ(variant.at("args").at("status"), "ok");
  EXPECT_EQ(variant.at("args").at("p.block"), "32");
  EXPECT_EQ(variant.at("args").at("device"), "cpu");
  for (const char* kind : {"inputs", "measure", "sample", "load", "launch"}) {
    SCOPED_TRACE(kind);
    const auto spans = read.spans(kind);
    ASSERT_FALSE(spans.empty());
    EXPECT_TRUE(TraceReading::within(spans[0], variant)) << spans[0];
  }
  EXPECT_THAT(read.names("verify"), Contains("verify reference"));
  EXPECT_THAT(read.names("compile"), Contains("compile scale.cu"));
  EXPECT_THAT(read.names("launch"), Contains("launch scale_reference"));
  EXPECT_THAT(read.names("kernel"), Contains("scale"));
  for (const auto& get : read.spans("get"))
    EXPECT_EQ(get.at("args").at("key").get<std::string>().size(), 64U);
  for (const auto& look_up : read.spans("look-up")) EXPECT_FALSE(look_up.at("args").at("hit").get<bool>());
  for (const auto& compile : read.spans("compile")) {
    EXPECT_TRUE(compile.at("args").at("ok").get<bool>());
    EXPECT_GT(compile.at("args").at("bytes").get<std::int64_t>(), 0);
    EXPECT_THAT(compile.at("args").at("target").get<std::string>(), StartsWith("cpu:"));
  }
  EXPECT_EQ(read.events("f").size(), read.spans("load").size());
  const auto lines = read.lines();
  std::vector<std::string> names;
  for (const auto& [line, name] : lines) names.push_back(name);
  EXPECT_THAT(names, Contains("kiln/main"));
  EXPECT_THAT(names, Contains("kiln/makes code ahead"));
  EXPECT_THAT(names, Contains(testing::AllOf(StartsWith("cpu: "), HasSubstr("/stream 1 of Kiln"))));
  EXPECT_EQ(read.facts().at("dropped_spans"), 0);
  EXPECT_EQ(read.facts().at("launches_without_device_time"), 0);
}

TEST_F(TraceOption, TheSecondRunHitsAndCompilesNothing) {
  ASSERT_EQ(kiln({"run", job(), "--device", "cpu"}).code, kExitDone);
  ASSERT_EQ(kiln({"run", job(), "--device", "cpu", "--trace", path("trace.json")}).code, kExitDone);
  const TraceReading read = reading();
  EXPECT_TRUE(read.spans("compile").empty());
  ASSERT_FALSE(read.spans("look-up").empty());
  for (const auto& look_up : read.spans("look-up")) EXPECT_TRUE(look_up.at("args").at("hit").get<bool>());
  EXPECT_EQ(read.events("f").size(), read.spans("load").size()) << "flows begin where the cache hits";
}

TEST_F(TraceOption, CompilesInWorkersHaveTracksOfTheirProcesses) {
  ASSERT_EQ(shell("", "compile '" + job() + "' --isolation process"), kExitDone)
      << files_->read_file(path("err")).value_or("");
  const TraceReading read = reading();
  const auto lines = read.lines();
  std::size_t in_workers = 0;
  for (const auto& compile : read.spans("compile")) {
    const std::string line = lines.at({compile.at("pid"), compile.at("tid")});
    if (line == "kiln-worker/compiles")
      ++in_workers;
    else
      EXPECT_EQ(compile.at("args").at("in"), "a worker");
  }
  EXPECT_EQ(in_workers, read.spans("compile").size() / 2);
  EXPECT_EQ(in_workers, 3U);  // two of scale.cu, one of scale_data.cu
  EXPECT_TRUE(read.spans("launch").empty());
}

TEST_F(TraceOption, AFailingJobLeavesAWholeTrace) {
  write("scale/scale.cu", "this is no kernel\n");
  EXPECT_EQ(kiln({"run", job(), "--device", "cpu", "--trace", path("trace.json")}).code, kExitFailed);
  EXPECT_EQ(reading().spans("variant").at(0).at("args").at("status"), "compile failed");
  EXPECT_EQ(kiln({"run", job(""), "--device", "cpu", "--trace", path("trace.json")}).code, kExitBadInput);
  const TraceReading read = reading();
  EXPECT_EQ(read.spans("variant").at(0).at("args").at("failed"), true);
  for (const auto& compile : read.spans("compile")) EXPECT_TRUE(compile.at("args").contains("ok"));
}

TEST_F(TraceOption, AStudyHasOneToo) {
  const std::string study =
      write("study.yaml", "workload: scale\nmeasure: {rounds: 6, samples: 1, compiles: 1}\n");
  const CliResult result = kiln({"study", study, "--device", "cpu", "--trace", path("trace.json")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  const TraceReading read = reading();
  EXPECT_THAT(read.names("compile"), Contains("compile scale.cu"));
  EXPECT_FALSE(read.spans("sample").empty());
  EXPECT_THAT(read.names("kernel"), Contains("scale"));
}

TEST_F(TraceOption, AFileThatCannotBeWrittenIsBadInputBeforeAnythingRuns) {
  const CliResult nowhere = kiln({"run", job(), "--device", "cpu", "--trace", path("nowhere/trace.json")});
  EXPECT_EQ(nowhere.code, kExitBadInput);
  EXPECT_THAT(nowhere.err, HasSubstr("nowhere/trace.json' cannot be written: No such file"));
  EXPECT_FALSE(exists("cache/v1"));
  const CliResult folder = kiln({"run", job(), "--device", "cpu", "--trace", path("")});
  EXPECT_EQ(folder.code, kExitBadInput);
  EXPECT_THAT(folder.err, HasSubstr("is no regular file"));
  EXPECT_EQ(kiln({"run", job(), "--device", "cpu", "--trace", "/dev/null"}).code, kExitBadInput);
}

TEST_F(TraceOption, CommandsThatLeaveNoTraceRefuseIt) {
  const CliResult result = kiln({"devices", "--trace", path("trace.json")});
  EXPECT_EQ(result.code, kExitBadInput);
  EXPECT_THAT(result.err, HasSubstr("--trace: 'kiln devices' writes no trace; expected one of run, "
                                    "study, compile, roofline, settings"));
  EXPECT_FALSE(exists("trace.json"));
  // As a setting it is for whichever command compiles.
  EXPECT_EQ(kiln({"devices", "--settings", write("kiln.yaml", "trace: t.json\n")}).code, kExitDone);
}

TEST_F(TraceOption, WhatNeverRunsLeavesAnOldTraceAlone) {
  write("trace.json", "old");
  EXPECT_EQ(kiln({"run", path("no-such-job.yaml"), "--trace", path("trace.json")}).code, kExitBadInput);
  EXPECT_EQ(kiln({"settings", "--trace", path("trace.json")}).code, kExitDone);
  EXPECT_EQ(files_->read_file(path("trace.json")), "old");
}

TEST_F(TraceOption, AnInterruptedRunLeavesAWholeTraceOfWhatItDid) {
  const std::string slow = write("slow.yaml",
                                 "workload: scale\nsweep: {block: [32, 64]}\n"
                                 "measure: {min_time: 60 s, max_time: 60 s, max_samples: 10000000}\n");
  // The trace is begun before the run; the second file says that a variant is being measured.
  const std::string wait =
      " & pid=$!; for i in $(seq 600); do ls '" + path("cache") +
      "'/v1/*/*/entry.json > /dev/null 2>&1 && break; sleep 0.1; done; sleep 1; kill -INT $pid; "
      "wait $pid";
  EXPECT_EQ(shell("", "run '" + slow + "' --device cpu", wait), kExitInterrupted);
  const TraceReading read = reading();
  EXPECT_EQ(read.spans("variant").size(), 1U);
  EXPECT_EQ(read.spans("variant")[0].at("args").at("status"), "stopped");
  EXPECT_FALSE(read.spans("sample").empty());
}

/// Runs the job under the fake profiler, which `environment` brings in. All its ranges are of `library`
/// ("nvtx kiln"), nest, and have the names of spans.
class ProfilerRanges : public TraceOption {
 protected:
  void expect_ranges(const std::string& environment, const std::string& library) {
    const std::string log = path("ranges");
    ASSERT_EQ(shell("FAKE_PROFILER_LOG='" + log + "' " + environment, "run '" + job() + "' --device cpu"),
              kExitDone)
        << files_->read_file(path("err")).value_or("");
    std::istringstream lines(files_->read_file(log).value_or(""));
    for (std::string line; std::getline(lines, line);) take(line, library);
    for (const auto& [_, left] : open_) EXPECT_THAT(left, testing::IsEmpty());
    for (const char* name : {"variant block=32", "compile scale.cu", "load cpu", "launch scale", "wait cpu"})
      EXPECT_TRUE(seen_.contains(name)) << name;
    EXPECT_THAT(launches_in_, testing::AllOf(Contains("variant block=32"), Contains("variant block=64"),
                                             Each(StartsWith("variant "))));
  }

 private:
  /// "<thread> <library> + <name>" or "<thread> <library> -".
  void take(const std::string& line, const std::string& library) {
    const int thread = std::stoi(line);
    std::vector<std::string>& open = open_[thread];
    const std::string begin = std::to_string(thread) + " " + library + " ";
    ASSERT_THAT(line, StartsWith(begin));
    const std::string rest = line.substr(begin.size());
    if (rest == "-") {
      ASSERT_FALSE(open.empty()) << line;
      return open.pop_back();
    }
    ASSERT_THAT(rest, StartsWith("+ "));
    const std::string name = rest.substr(2);
    if (name == "launch scale" && open.size() > 1) launches_in_.push_back(open.front());
    seen_.insert(name);
    open.push_back(name);
  }

  std::map<int, std::vector<std::string>> open_;  // by thread
  std::vector<std::string> launches_in_;          // the outermost ranges around launches
  std::set<std::string> seen_;
};

TEST_F(ProfilerRanges, OfNvtxNestAndHaveTheNamesOfTheSpans) {
  expect_ranges("NVTX_INJECTION64_PATH='" KILN_FAKE_PROFILER "'", "nvtx kiln");
}

TEST_F(ProfilerRanges, OfRoctxNestAndHaveTheNamesOfTheSpans) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a library with AddressSanitizer cannot be loaded into the compiler's process";
#endif
  expect_ranges("LD_PRELOAD='" KILN_FAKE_PROFILER "'", "roctx");  // as rocprof does
}

TEST_F(TraceOption, AProfilerThatDoesNotWorkIsAWarning) {
  EXPECT_EQ(shell("NVTX_INJECTION64_PATH=/no/such/library.so", "run '" + job() + "' --device cpu"),
            kExitDone);
  EXPECT_THAT(files_->read_file(path("err")).value_or(""), HasSubstr("no NVTX ranges: /no/such/library.so"));
}

}  // namespace
}  // namespace kiln
