// `mpirun -n N kiln ...` on this machine: results of a serial run, each key compiled once, runs that are
// resumed with other numbers of ranks, ranks that are killed, ranks that share no folder.
#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/environment.h"
#include "base/exit_code.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"
#include "service/statistics_file.h"

namespace kiln {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kWorkload = R"yaml(workload: shared_out
summary: y = 1, but for variants that are bad
parameters:
  n: {type: int, default: 64}
  mode: {type: int, default: 0, min: 0, max: 100, bind: compile}
  work: {type: int, default: 1, min: 1, max: 1000000000}
buffers:
  y: {type: float, shape: [n]}
kernels:
  shared_out: {source: shared_out.cu, block: [64], grid: ["ceil_div(n, 64)"], args: [y, params]}
run: [shared_out]
verify:
  checks:
    - {buffer: y, expected: 1, rtol: 0}
)yaml";

constexpr const char* kKernel = R"(#include "kiln/params.h"
extern "C" __global__ void shared_out(float* y, const Params p) {
  constexpr int mode = Params::mode;
  static_assert(mode != 4, "planted");
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile float x = 1;
  for (int j = 0; j < p.work; ++j) x = x * 0.5f + 0.5f;
  if (i < p.n) y[i] = mode == 3 ? 2 : x;
  if (i == 0 && mode == 1) *(volatile int*)16 = 1;
}
)";

class Ranks : public test::CliTest {
 protected:
  void SetUp() override {
    const auto processes = make_process_runner();
    if (!processes->find_program("mpirun")) GTEST_SKIP() << "no mpirun (package openmpi-bin)";
    if (!std::filesystem::exists(std::filesystem::path(KILN_PROGRAM).parent_path() / "libkiln_mpi.so"))
      GTEST_SKIP() << "the MPI plug-in was not built (package libopenmpi-dev)";
    // Open MPI refuses root, and more ranks than cores, without these options.
    if (processes->run({"mpirun", {"--version"}, "", ""}).output.find("Open MPI") != std::string::npos)
      mpirun_ += " --allow-run-as-root --oversubscribe";
    write("shared_out/shared_out.yaml", kWorkload);
    write("shared_out/shared_out.cu", kKernel);
  }

  /// `modes`: of the sweep.
  void write_job(const std::string& modes, const std::string& more = "") {
    write("job.yaml", "workload: shared_out\nsweep: {mode: [" + modes + "]}\n" +
                          "measure: {min_time: 0 s, min_samples: 3, max_samples: 3}\n" + more);
  }
  [[nodiscard]] std::string program(const std::string& command, const std::string& results,
                                    const std::string& cache = "cache") const {
    return "'" KILN_PROGRAM "' " + command + " '" + path("job.yaml") +
           "' --device cpu --cpu-threads 1 --output '" + path(results) + "' --cache-dir '" + path(cache) +
           "' --workload-path '" + path("") + "'";
  }
  [[nodiscard]] std::string compile(const std::string& cache) const {
    return "'" KILN_PROGRAM "' compile '" + path("job.yaml") + "' --cache-dir '" + path(cache) +
           "' --workload-path '" + path("") + "'";
  }
  [[nodiscard]] std::string over_ranks(int ranks, const std::string& program) const {
    return mpirun_ + " -n " + std::to_string(ranks) + " " + program;
  }
  static ProcessResult shell(const std::string& command) {
    Command bash{"bash", {"-c", command}, "", ""};
    bash.time_limit = std::chrono::seconds(120);
    return make_process_runner()->run(bash);
  }

  /// Three sections. `set`: more values, each with a comma behind it.
  void write_study(const std::string& set = "") {
    std::string text = "device: cpu\nworkloads:\n";
    for (const char* section : {"first", "second", "third"})
      text += std::string("  - {workload: shared_out, name: ") + section + ", set: {" + set + "n: 64}}\n";
    write("study.yaml", text + "constants: [n]\nmeasure: {rounds: 6, samples: 1, compiles: 1}\n");
  }
  /// `results`: the folder, and more options.
  [[nodiscard]] std::string study(const std::string& results) const {
    return "'" KILN_PROGRAM "' study '" + path("study.yaml") +
           "' --device cpu --cpu-threads 1 --cache-dir '" + path("cache") + "' --workload-path '" + path("") +
           "' --output '" + path("") + "'" + results;
  }
  /// How often each case of each section was visited, by all files of studies.
  std::map<std::string, int> visits_of(const std::string& results) {
    std::map<std::string, int> visits;
    for (const std::string& name : files_->list(path(results))) {
      if (!name.starts_with("study") || !name.ends_with(".jsonl")) continue;
      for (const std::string& line :
           split(files_->read_file(path(results) + "/" + name).value_or(""), '\n')) {
        const json visit = json::parse(line, nullptr, false);
        if (visit.is_object() && visit.at("kind") == "visit")
          ++visits[visit.at("section").get<std::string>() + " " + visit.at("case").get<std::string>()];
      }
    }
    return visits;
  }

  std::vector<json> records(const std::string& results) {
    std::vector<json> all;
    for (const std::string& line :
         split(files_->read_file(path(results) + "/records.jsonl").value_or(""), '\n')) {
      auto record = json::parse(line, nullptr, false);
      if (record.is_object()) all.push_back(std::move(record));
    }
    return all;
  }
  /// By label: all but times, where the code came from, and which run it was.
  std::map<std::string, std::string> without_times(const std::string& results) {
    std::map<std::string, std::string> found;
    for (json record : records(results)) {
      for (const char* member : {"run_id", "time", "step_seconds", "first_launch_seconds", "metrics",
                                 "clocks_before", "clocks_after", "steps_per_sample", "stop_reason"})
        record.erase(member);
      for (json& unit : record.at("units")) {
        for (const char* member : {"origin", "compile_seconds", "load_seconds"}) unit.erase(member);
      }
      for (json& launch : record.at("launches")) launch.erase("seconds");
      EXPECT_FALSE(found.contains(record.at("label"))) << record.at("label") << " was recorded twice";
      found[record.at("label")] = record.dump();
    }
    return found;
  }
  std::uint64_t entries(const std::string& cache = "cache") {
    std::uint64_t count = 0;
    for (const std::string& prefix : files_->list(path(cache) + "/v1"))
      count += files_->list(path(cache) + "/v1/" + prefix).size();
    return count;
  }
  /// Of all processes that used the cache folder.
  ServiceCounters counters(const std::string& cache = "cache") {
    const auto clock = make_system_clock();
    return StatisticsFile(*files_, *clock, path(cache)).read().counters;
  }

  std::string mpirun_ = "mpirun";
};

TEST_F(Ranks, RecordsAreThoseOfASerialRunAndEachKeyIsCompiledOnce) {
  write_job("0, 1, 2, 3, 4, 5, 6, 7");
  const ProcessResult serial = shell(program("run --isolation process", "serial", "serial_cache"));
  EXPECT_EQ(serial.exit_code, kExitFailed) << serial.error;
  const auto expected = without_times("serial");
  ASSERT_EQ(expected.size(), 8U);
  EXPECT_THAT(expected.at("mode=1"), HasSubstr(R"("status":"crashed")"));
  EXPECT_THAT(expected.at("mode=3"), HasSubstr(R"("status":"wrong")"));
  EXPECT_THAT(expected.at("mode=4"), HasSubstr(R"("status":"compile failed")"));
  for (const int ranks : {2, 4}) {
    const std::string number = std::to_string(ranks), cache = "cache" + number;
    const ProcessResult result = shell(over_ranks(ranks, program("run", number, cache)));
    EXPECT_EQ(result.exit_code, kExitFailed) << result.error;
    const auto found = without_times(number);
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [label, record] : expected) EXPECT_EQ(found.at(label), record) << ranks << " ranks";
    EXPECT_EQ(counters(cache).compiled, entries(cache)) << ranks << " ranks";
    EXPECT_EQ(entries(cache), entries("serial_cache"));
    EXPECT_THAT(result.output, HasSubstr("code: " + std::to_string(entries(cache)) + " compiled"));
    EXPECT_THAT(result.error, AllOf(HasSubstr("[8/8]"), Not(HasSubstr("internal error"))));
  }
}

TEST_F(Ranks, ARunIsResumedWithAnotherNumberOfRanks) {
  write_job("0, 2, 5, 6, 7, 8");
  ASSERT_EQ(shell(over_ranks(3, program("run", "results"))).exit_code, kExitDone);
  const auto all = without_times("results");
  ASSERT_EQ(all.size(), 6U);
  std::vector<std::string> lines = split(files_->read_file(path("results/records.jsonl")).value_or(""), '\n');
  write("results/records.jsonl", lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n");
  const ProcessResult result = shell(over_ranks(2, program("run --resume", "results")));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_THAT(result.error, HasSubstr("resumed: 3 of 6 variants are known"));
  EXPECT_TRUE(without_times("results") == all);
  EXPECT_EQ(counters().compiled, entries()) << "the second run compiled nothing";
}

TEST_F(Ranks, ARunIsResumedWhicheverOfTheDevicesMeasured) {
  write_job("0, 2, 5");
  ASSERT_EQ(shell(over_ranks(2, program("run", "results"))).exit_code, kExitDone);
  const std::string records = files_->read_file(path("results/records.jsonl")).value_or("");
  std::string elsewhere = records;
  const std::string own = R"("id":"cpu")";
  std::size_t changed = 0;
  for (std::size_t at = elsewhere.find(own); at != std::string::npos; at = elsewhere.find(own, at + 1)) {
    elsewhere.replace(at, own.size(), R"("id":"cpu:1")");
    ++changed;
  }
  ASSERT_EQ(changed, 3U);
  write("results/records.jsonl", elsewhere);
  const ProcessResult result = shell(over_ranks(2, program("run --resume", "results")));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_THAT(result.error, HasSubstr("resumed: 3 of 3 variants are known"));
  EXPECT_EQ(files_->read_file(path("results/records.jsonl")), elsewhere) << "nothing is measured again";
}

/// Of ranks that run the job in `folder`.
std::vector<pid_t> ranks_of(const std::string& folder) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    std::ifstream variables(entry.path() / "environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(variables), {}};
    if (words.find(folder) != std::string::npos && words.starts_with(KILN_PROGRAM) &&
        words.find("--serve-trials") == std::string::npos &&
        environment.find("OMPI_COMM_WORLD_RANK=1") != std::string::npos)
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

TEST_F(Ranks, ARankThatIsKilledEndsTheJobAndResumeLosesOnlyWhatWasInFlight) {
  std::string modes = "6";
  for (int mode = 7; mode < 18; ++mode) modes += ", " + std::to_string(mode);
  write_job(modes, "set: {work: 60000}\n");
  auto run = std::async(std::launch::async, [&] { return shell(over_ranks(2, program("run", "results"))); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (records("results").size() < 3 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto victims = ranks_of(path(""));
  ASSERT_EQ(victims.size(), 1U);
  ::kill(victims.front(), SIGKILL);
  EXPECT_NE(run.get().exit_code, kExitDone);
  const std::size_t kept = without_times("results").size();
  ASSERT_GE(kept, 3U);
  ASSERT_LT(kept, 12U);
  const ProcessResult resumed = shell(over_ranks(3, program("run --resume", "results")));
  EXPECT_EQ(resumed.exit_code, kExitDone) << resumed.error;
  EXPECT_THAT(resumed.error, HasSubstr("resumed: " + std::to_string(kept) + " of 12 variants"));
  EXPECT_EQ(without_times("results").size(), 12U);
}

TEST_F(Ranks, CodeIsSentWhereTheCacheFolderIsNotShared) {
  write_job("0, 2, 5, 6");
  const ProcessResult result = shell(over_ranks(1, program("run", "results", "here")) + " : -n 1 " +
                                     program("run", "results", "there"));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(without_times("results").size(), 4U);
  EXPECT_EQ(entries("here"), 4U);
  EXPECT_EQ(counters("here").compiled, 4U);
  EXPECT_GE(entries("there"), 1U);
  EXPECT_EQ(counters("there").compiled, 0U) << "what it ran came by message";
}

TEST_F(Ranks, ASlowRankIsNamed) {
  write("shared_out/shared_out.cu", R"(#include "kiln/params.h"
#include <cstdlib>
#include <time.h>
extern "C" __global__ void shared_out(float* y, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) {
    timespec left = {0, getenv("KILN_TEST_SLOW") != nullptr ? 50000000 : 5000000};
    nanosleep(&left, nullptr);
  }
  if (i < p.n) y[i] = 1;
}
)");
  std::string modes = "0";
  for (int mode = 1; mode < 24; ++mode) modes += ", " + std::to_string(mode);
  write_job(modes);
  const std::string command = program("run", "results");
  const ProcessResult result = shell(over_ranks(2, command) + " : -n 1 -x KILN_TEST_SLOW=1 " + command);
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_THAT(result.error, AllOf(HasSubstr("rank 2 ("), HasSubstr("% more than the median of 3 devices")));
  EXPECT_THAT(result.error, Not(HasSubstr("rank 1 (")));
  EXPECT_EQ(records("results").size(), 24U);
}

TEST_F(Ranks, ASearchMeasuresOnAllRanks) {
  write("job.yaml",
        "workload: shared_out\nmeasure: {min_time: 0 s, min_samples: 3, max_samples: 3}\n"
        "tune: {space: {mode: [0, 1, 2, 3, 4, 5, 6, 7]}, searcher: exhaustive, budget: {evaluations: 50}}\n");
  const ProcessResult result = shell(over_ranks(3, program("tune --no-wisdom", "results")));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  std::map<std::string, std::string> statuses;
  for (const json& record : records("results")) statuses[record.at("label")] = record.at("status");
  EXPECT_EQ(statuses.size(), 8U);
  EXPECT_EQ(statuses["mode=1"], "crashed");
  EXPECT_EQ(statuses["mode=3"], "wrong");
  EXPECT_EQ(statuses["mode=4"], "compile failed");
  EXPECT_THAT(result.output, HasSubstr("ended: every point is known"));
  EXPECT_THAT(files_->read_file(path("results/best.yaml")).value_or(""), HasSubstr("mode: "));
  const std::size_t measured = records("results").size();
  const ProcessResult resumed = shell(over_ranks(2, program("tune --no-wisdom --resume", "results")));
  EXPECT_THAT(resumed.error, HasSubstr("points are known from"));
  const std::vector<json> all = records("results");
  for (std::size_t i = measured; i < all.size(); ++i)
    EXPECT_EQ(all[i].at("label"), "mode=1") << "only what has ended its process once has a second chance";
}

TEST_F(Ranks, ACompileIsDealtOutAndCompilesEachKeyOnce) {
  write_job("0, 2, 5, 6, 7, 8");
  const ProcessResult result = shell(over_ranks(3, compile("cache")));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(entries(), 6U);
  EXPECT_EQ(counters().compiled, 6U);
  EXPECT_THAT(result.output, HasSubstr("code: 6 compiled"));
}

TEST_F(Ranks, ACompileFillsFoldersThatAreNotShared) {
  write_job("0, 2, 5, 6");
  const ProcessResult result = shell(over_ranks(1, compile("here")) + " : -n 1 " + compile("there"));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_EQ(entries("here"), 4U);
  EXPECT_EQ(entries("there"), 4U);
  EXPECT_EQ(counters("here").compiled, 4U);
  EXPECT_EQ(counters("there").compiled, 0U) << "all of it came by message";
}

TEST_F(Ranks, WhatDoesNotCompileIsSaidOnce) {
  write_job("0, 4");
  const ProcessResult result = shell(over_ranks(2, compile("cache")));
  EXPECT_EQ(result.exit_code, kExitFailed) << result.error;
  const std::string text = result.output + result.error;
  const std::size_t first = text.find("static assertion failed");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_EQ(text.find("static assertion failed", first + 1), std::string::npos) << text;
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Ranks, AStudyIsSharedOutAndJoined) {
  write_study();
  const ProcessResult result = shell(over_ranks(3, study("results")));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  EXPECT_THAT(result.output, AllOf(HasSubstr("first on "), HasSubstr("second on "), HasSubstr("third on "),
                                   HasSubstr("results/study.jsonl")));
  EXPECT_THAT(files_->list(path("results")), Not(testing::Contains(testing::MatchesRegex(".*shard.*jsonl"))));
  const std::map<std::string, int> visits = visits_of("results");
  EXPECT_EQ(visits.size() % 3, 0U);
  for (const char* section : {"first", "second", "third"})
    EXPECT_EQ(visits.count(section + std::string(" jit_specialised")), 1U) << section;
  for (const auto& [which, count] : visits) EXPECT_EQ(count, 6) << which;
  EXPECT_EQ(records("results").size(), visits.size());

  const ProcessResult again = shell(over_ranks(2, study("results --resume")));
  EXPECT_EQ(again.exit_code, kExitDone) << again.error;
  EXPECT_EQ(visits_of("results"), visits) << "what is known is not measured again";
  EXPECT_EQ(again.output, result.output);
}

TEST_F(Ranks, AStudyWhoseRankIsKilledGoesOnWithAnotherNumberOfRanks) {
  write_study("work: 200000, ");
  const std::string killer = " & p=$!; until ls '" + path("results") +
                             "'/study-shard-2-of-3.jsonl > /dev/null 2>&1 && [ $(grep -l kind.*visit '" +
                             path("results") + "'/study-shard-*.jsonl | wc -l) = 3 ]; do sleep 0.05; done; ";
  const ProcessResult killed =
      shell(over_ranks(3, study("results")) + killer + "pkill -KILL -P $p -n; wait $p");
  EXPECT_NE(killed.exit_code, kExitDone);
  const std::map<std::string, int> before = visits_of("results");
  EXPECT_FALSE(before.empty());
  const ProcessResult fresh = shell(over_ranks(2, study("results")));
  EXPECT_EQ(fresh.exit_code, kExitBadInput) << "nothing is lost by a command without --resume";
  EXPECT_THAT(fresh.error, HasSubstr("--resume goes on with it"));
  const ProcessResult result = shell(over_ranks(2, study("results --resume --retry-crashed")));
  EXPECT_EQ(result.exit_code, kExitDone) << result.error;
  const std::map<std::string, int> visits = visits_of("results");
  EXPECT_EQ(visits.size() % 3, 0U);
  for (const auto& [which, count] : visits) EXPECT_EQ(count, 6) << which;
}

TEST_F(Ranks, AStudyOverRanksNeedsAFolderAndOneDeviceEach) {
  write_study();
  const std::string bare = "'" KILN_PROGRAM "' study '" + path("study.yaml") + "' --workload-path '" +
                           path("") + "' --cache-dir '" + path("cache") + "'";
  const ProcessResult result = shell(over_ranks(2, bare));
  EXPECT_EQ(result.exit_code, kExitBadInput);
  EXPECT_THAT(result.error, HasSubstr("--output is missing"));
  const ProcessResult shard = shell(over_ranks(2, study("results --shard 1/2")));
  EXPECT_EQ(shard.exit_code, kExitBadInput);
  EXPECT_THAT(shard.error, HasSubstr("not shard 1/2"));
  EXPECT_FALSE(files_->status(path("results"))) << "nothing is begun";
}

TEST_F(Ranks, ABatchStartsItsJobsByALauncher) {
  write_job("0, 2, 5, 6");
  write("batch.yaml", "jobs: [{run: job.yaml, name: over_ranks}]\nlauncher: " + mpirun_ + " -n 2\n");
  const ProcessResult result =
      shell("'" KILN_PROGRAM "' run '" + path("batch.yaml") + "' --device cpu --cpu-threads 1 --output '" +
            path("results") + "' --cache-dir '" + path("cache") + "' --workload-path '" + path("") + "'");
  EXPECT_EQ(result.exit_code, kExitDone) << result.output << result.error;
  EXPECT_EQ(without_times("results/over_ranks").size(), 4U)
      << "the ranks share the job, and run no variant twice";
  EXPECT_EQ(counters().compiled, 4U);
}

TEST_F(Ranks, WhatIsWrongIsSaidOnceWithTheExitCodeOfASerialRun) {
  write("job.yaml", "workload: shared_out\nset: {mod: 1}\n");
  const ProcessResult result = shell(over_ranks(3, program("run", "results")));
  EXPECT_EQ(result.exit_code, kExitBadInput);
  const std::size_t first = result.error.find("has no parameter 'mod'");
  ASSERT_NE(first, std::string::npos) << result.error;
  EXPECT_EQ(result.error.find("has no parameter 'mod'", first + 1), std::string::npos) << result.error;
}

TEST_F(Ranks, WithoutThePlugInRanksDoNotRunOneJobSeveralTimes) {
  write_job("0");
  const ProcessResult result =
      shell("KILN_MPI_PLUGIN=/nowhere/libkiln_mpi.so " + over_ranks(2, program("run", "results")));
  EXPECT_EQ(result.exit_code, kExitEnvironment);
  EXPECT_THAT(result.error, AllOf(HasSubstr("looked for: /nowhere/libkiln_mpi.so"),
                                  HasSubstr("every rank would run the whole job"), HasSubstr("--ranks off")));
  EXPECT_TRUE(records("results").empty());
  EXPECT_EQ(shell(over_ranks(1, program("run", "results"))).exit_code, kExitDone) << "one rank is alone";
}

}  // namespace
}  // namespace kiln
