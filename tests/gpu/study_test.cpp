// A small study through the command line on the GPU: the properties that only a GPU reports for its cases.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/cli_fixture.h"
#include "gpu/gpu_fixture.h"

namespace kiln::test {
namespace {

class GpuStudy : public CliTest {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
  }
};

TEST_F(GpuStudy, TellsRegistersAndOccupancyOfEachCase) {
  const std::string study = write("study.yaml",
                                  "workload: minibude\ndevice: cuda:0\nset: {nposes: 1024}\n"
                                  "instantiate: {ppwi: [1, 4]}\nlaunch_bounds: [true, false]\n"
                                  "measure: {rounds: 6, samples: 1, compiles: 1}\n");
  const CliResult result = kiln({"study", study, "--format", "json"});
  ASSERT_EQ(result.code, 0) << result.out << result.err;
  const auto line = nlohmann::json::parse(result.out);
  EXPECT_GT(line["cases"].size(), 10U);
  for (const auto& found : line["cases"]) {
    EXPECT_GT(found["registers"].get<int>(), 0) << found["case"];
    EXPECT_GT(found["occupancy"].get<double>(), 0) << found["case"];
    EXPECT_GT(found["step_seconds"]["median"].get<double>(), 0) << found["case"];
    EXPECT_GT(found["code_bytes"].get<int>(), 0) << found["case"];
    EXPECT_GT(found["instructions"].get<int>(), 0) << found["case"];
  }
  // With nvcc on this machine, each case ahead of time stands beside one of nvcc's; else a sentence says why
  // not.
  const std::size_t ahead_of_time = 6;  // generic and two instances, with and without launch bounds
  const bool has_nvcc = line["no_ahead"].get<std::string>().empty();
  EXPECT_EQ(line["compilers"].size(), has_nvcc ? ahead_of_time : 0U);
  ASSERT_EQ(line["amortisation"].size(), 2U);
  for (const auto& flavour : line["amortisation"])
    EXPECT_EQ(flavour["curves"].size(), has_nvcc ? 7U : 6U) << flavour;
  ASSERT_FALSE(line["controls"].empty());
  for (const auto& control : line["controls"]) EXPECT_TRUE(control["same_code"].get<bool>());
}

}  // namespace
}  // namespace kiln::test
