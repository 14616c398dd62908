// What a step draws, by NVML's counter: as a metric of a job, and as the objective of a search.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/cli_fixture.h"
#include "device/cuda/cuda_backend.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

class GpuEnergy : public CliTest {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
    if (!backend->open(0)->energy_joules()) GTEST_SKIP() << "NVML does not tell what the GPU draws";
  }
};

TEST_F(GpuEnergy, OfAStepIsAPowerThatAGpuHasTimesItsTime) {
  const std::string job = write("job.yaml",
                                "workload: stencil7\nset: {nx: 256, ny: 256, nz: 256}\n"
                                "measure: {min_time: 0 s, max_samples: 20, energy: true}\n");
  const CliResult result = kiln({"run", job, "--device", "cuda:0", "--output", path("results")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  const std::string text = files_->read_file(path("results/records.jsonl")).value_or("");
  const auto record = nlohmann::json::parse(text.substr(0, text.find('\n')));
  const double joules = record.at("metrics").at("energy").at("value").get<double>();
  const double watts = joules / record.at("step_seconds").at("median").get<double>();
  EXPECT_GT(watts, 50);
  EXPECT_LT(watts, 1500);
  RecordProperty("watts", std::to_string(watts));
}

TEST_F(GpuEnergy, IsAnObjectiveOfSearches) {
  const std::string job = write("job.yaml",
                                "workload: stencil7\nset: {nx: 256, ny: 256, nz: 256}\n"
                                "measure: {min_time: 0 s, max_samples: 5}\n"
                                "tune: {space: {tile_z: [2, 8]}, objective: energy, searcher: exhaustive}\n");
  const CliResult result =
      kiln({"tune", job, "--device", "cuda:0", "--no-wisdom", "--output", path("results")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" J"));
  const auto lines = split(files_->read_file(path("results/tune.jsonl")).value_or(""), '\n');
  EXPECT_THAT(lines, testing::Contains(HasSubstr("\"energy\":{\"value\":")));
}

}  // namespace
}  // namespace kiln::test
