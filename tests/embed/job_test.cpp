// Jobs inside a program, on the cpu with a real compiler.
#include "kiln/job.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kJob = R"yaml(workload: babelstream
device: cpu
set: {n: 4096}
sweep: {T: [float, double]}
measure: {min_time: 0 s, max_samples: 5}
)yaml";

class Jobs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "kiln_jobs.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    settings_.cache_dir = (folder_ / "cache").string();
    settings_.workload_path = {KILN_SOURCE_DIR "/kernels_src"};
    settings_.log_level = "off";
    service_.emplace(settings_);
  }
  void TearDown() override {
    service_.reset();
    std::filesystem::remove_all(folder_);
  }

  /// A workload of one kernel with this body, and a job for it.
  [[nodiscard]] std::string job_of_kernel(const std::string& body) const {
    std::ofstream(folder_ / "fill.cu")
        << "#include \"kiln/params.h\"\nextern \"C\" __global__ void fill(float* x) { " << body << " }\n";
    std::ofstream(folder_ / "fill.yaml")
        << "workload: fill\nparameters: {n: {type: int, default: 8}}\nbuffers:\n  x: {type: float, shape: "
           "[8]}\n"
           "kernels:\n  fill: {source: fill.cu, args: [x], grid: [1], block: [8]}\n"
           "run: [fill]\n";
    return "device: cpu\nworkload: " + (folder_ / "fill.yaml").string() + "\n";
  }

  std::filesystem::path folder_;
  Settings settings_;
  std::optional<Service> service_;
};

TEST_F(Jobs, EachVariantIsARecordTheProgramIsToldOf) {
  std::vector<std::string> labels, running;
  JobOptions options;
  options.on_record = [&](const JobRecord& record) { labels.push_back(record.label); };
  options.on_progress = [&](const JobProgress& progress) {
    EXPECT_EQ(progress.count, 2U);
    EXPECT_LT(progress.index, 2U);
    if (progress.stage == JobProgress::Stage::kRunning) running.push_back(progress.label);
  };
  const JobResult result = run_job(*service_, kJob, options);
  EXPECT_TRUE(result.finished);
  EXPECT_TRUE(result.good);
  EXPECT_THAT(labels, ElementsAre("T=float", "T=double"));
  EXPECT_THAT(running, ElementsAre("T=float", "T=double"));
  ASSERT_THAT(result.records, SizeIs(2));
  for (const JobRecord& record : result.records) {
    EXPECT_EQ(record.status, "ok") << record.message;
    EXPECT_EQ(record.device, "cpu");
    ASSERT_TRUE(record.seconds.has_value());
    const auto json = nlohmann::json::parse(record.json);
    EXPECT_EQ(json.at("step_seconds").at("median").get<double>(), *record.seconds);
    EXPECT_EQ(json.at("label"), record.label);
  }
}

TEST_F(Jobs, OptionsStandInForWhatTheFileSays) {
  const std::filesystem::path file = folder_ / "job.yaml";
  std::ofstream(file) << kJob;
  JobOptions options;
  options.set = {"T=double"};
  options.sweep = {"n=1024,2048"};
  options.devices = {"cpu"};
  options.output = (folder_ / "results").string();
  const JobResult result = run_job(*service_, file.string(), options);
  EXPECT_THAT(result.records,
              ElementsAre(Field(&JobRecord::label, "n=1024"), Field(&JobRecord::label, "n=2048")));
  std::ifstream records(folder_ / "results" / "records.jsonl");
  std::string line;
  std::vector<std::string> lines;
  while (std::getline(records, line)) lines.push_back(line);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0], result.records[0].json);
}

TEST_F(Jobs, AStoppedJobIsResumed) {
  JobOptions options;
  options.output = (folder_ / "results").string();
  bool first_is_done = false;
  options.on_record = [&](const JobRecord&) { first_is_done = true; };
  options.stop = [&] { return first_is_done; };
  const JobResult stopped = run_job(*service_, kJob, options);
  EXPECT_FALSE(stopped.finished);
  EXPECT_FALSE(stopped.good);
  ASSERT_THAT(stopped.records, SizeIs(1));
  options.stop = {};
  options.resume = true;
  const JobResult resumed = run_job(*service_, kJob, options);
  EXPECT_TRUE(resumed.good);
  ASSERT_THAT(resumed.records, SizeIs(2));
  EXPECT_EQ(resumed.records[0].json, stopped.records[0].json) << "not run again";
  const auto id = [](const JobRecord& record) { return nlohmann::json::parse(record.json).at("run_id"); };
  EXPECT_EQ(id(resumed.records[0]), id(resumed.records[1])) << "one run";
}

TEST_F(Jobs, AVariantThatFailsIsARecordAndABadJobAnError) {
  const JobResult result = run_job(
      *service_, job_of_kernel("static_assert(Params::n < 9, \"too many\");") + "sweep: {n: [8, 9]}\n");
  EXPECT_TRUE(result.finished);
  EXPECT_FALSE(result.good);
  ASSERT_THAT(result.records, SizeIs(2));
  EXPECT_TRUE(result.records[0].good);
  const JobRecord& failed = result.records[1];
  EXPECT_EQ(failed.status, "compile failed");
  EXPECT_FALSE(failed.good);
  EXPECT_FALSE(failed.seconds.has_value());
  EXPECT_THAT(failed.message, HasSubstr("too many"));
  EXPECT_THAT(message_of(ErrorKind::kCompile,
                         [&] { static_cast<void>(run_job(*service_, job_of_kernel("no_such_name();"))); }),
              HasSubstr("no_such_name"))
      << "no variant can run";
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(run_job(*service_, "/no/such/job.yaml")); }),
              HasSubstr("/no/such/job.yaml"));
  JobOptions options;
  options.resume = true;
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(run_job(*service_, kJob, options)); }),
              HasSubstr("output"));
}

TEST_F(Jobs, RequiredChecksDecideWhetherAnUncheckedResultIsGood) {
  const std::string job = job_of_kernel("x[threadIdx.x] = 1;") + "measure: false\n";
  EXPECT_TRUE(run_job(*service_, job).good);
  const JobResult required = run_job(*service_, job + "require_checks: true\n");
  EXPECT_EQ(required.records.at(0).status, "unchecked");
  EXPECT_FALSE(required.good);
}

}  // namespace
}  // namespace kiln::test
