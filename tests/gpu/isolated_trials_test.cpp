// Variants in processes of their own on a GPU: a fault takes the device from its process, and the next
// variant gets a new one.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/cli_fixture.h"
#include "device/cuda/cuda_backend.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

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
    shared: "mode == 5 ? 1000000000 : 0"
    args: [y, params]
run: [planted]
verify:
  checks:
    - {buffer: y, expected: 1, rtol: 0}
)yaml";

constexpr const char* kKernel = R"(#include "kiln/params.h"
extern "C" __global__ void planted(float* y, const Params p) {
  constexpr int mode = Params::mode;
  static_assert(mode != 4, "planted");
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) y[i] = mode == 3 ? 2 : 1;
  if (i != 0) return;
  if (mode == 1) *(volatile int*)16 = 1;
  volatile float* first = y;
  if (mode == 2) while (*first != 0) {}
}
)";

class IsolatedGpuTrials : public CliTest {
 protected:
  void SetUp() override {
    const auto backend = make_cuda_backend(cuda_places(""), *files_);
    if (const std::string problem = backend->problem(); !problem.empty()) GTEST_SKIP() << problem;
    write("planted/planted.yaml", kWorkload);
    write("planted/planted.cu", kKernel);
  }
  std::map<std::string, int> ends() {
    std::map<std::string, int> found;
    for (const std::string& line :
         split(files_->read_file(path("results/records.jsonl")).value_or(""), '\n')) {
      const auto json = nlohmann::json::parse(line, nullptr, false);
      if (json.is_object())
        ++found[json.at("label").get<std::string>() + ": " + json.at("status").get<std::string>()];
    }
    return found;
  }
};

TEST_F(IsolatedGpuTrials, ExactlyTheBadVariantsFail) {
  const std::string job = write("job.yaml",
                                "workload: planted\nsweep: {mode: [0, 1, 2, 3, 4, 5, 6, 8]}\n"
                                "measure: {min_time: 0 s, max_samples: 5}\n");
  const CliResult result = kiln({"run", job, "--device", "cuda:0", "--isolation", "process", "--output",
                                 path("results"), "--launch-time-limit", "3s"});
  EXPECT_EQ(result.code, kExitFailed) << result.err;
  EXPECT_EQ(ends(), (std::map<std::string, int>{{"mode=0: ok", 1},
                                                {"mode=1: faulted", 1},
                                                {"mode=2: timed out", 1},
                                                {"mode=3: wrong", 1},
                                                {"mode=4: compile failed", 1},
                                                {"mode=5: does not fit", 1},
                                                {"mode=6: ok", 1},
                                                {"mode=8: ok", 1}}))
      << result.out << result.err;
}

TEST_F(IsolatedGpuTrials, ASearchPassesTheBadVariantsOver) {
  const std::string job = write("job.yaml",
                                "workload: planted\nmeasure: {min_time: 0 s, max_samples: 5}\n"
                                "tune: {space: {mode: [0, 1, 2, 3, 4, 5, 6, 7, 8]}, searcher: exhaustive, "
                                "budget: {evaluations: 50}}\n");
  const CliResult result = kiln({"tune", job, "--device", "cuda:0", "--output", path("results"),
                                 "--no-wisdom", "--launch-time-limit", "3s"});
  EXPECT_EQ(result.code, kExitDone) << result.err;
  std::map<std::string, int> statuses;
  for (const auto& [end, count] : ends()) ++statuses[end.substr(end.find(": ") + 2)];
  EXPECT_EQ(statuses, (std::map<std::string, int>{{"ok", 4},
                                                  {"faulted", 1},
                                                  {"timed out", 1},
                                                  {"wrong", 1},
                                                  {"compile failed", 1},
                                                  {"does not fit", 1}}))
      << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("best: "));
}

}  // namespace
}  // namespace kiln::test
