// A job whose step is a program: what the loop did is checked, measured and recorded.
#include <gmock/gmock.h>

#include "job/job_fixture.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

class ProgramJob : public test::JobTest {
 protected:
  ProgramJob() {
    disk_.files.write_file("/kernels/scale/halve.cu", "__global__ void halve(double* r) { *r /= 2; }", false);
    test::FakeKernel halve;
    halve.seconds = 1e-3;
    halve.attributes.parameter_bytes = {8};
    halve.body = [](const LaunchShape&, void* const* arguments) {
      **static_cast<double* const*>(arguments[0]) /= 2;
    };
    device_->define("_Zhalve", std::move(halve));
  }

  /// Halves a number until it is below 0.1: four iterations.
  static std::string job(const std::string& checks, const std::string& measure = "{max_samples: 5}",
                         const std::string& verify_run = "[]") {
    return "workload:\n"
           "  workload: halving\n"
           "  buffers: {r: {type: double, shape: [1]}}\n"
           "  kernels: {halve: {source: /kernels/scale/halve.cu, grid: [1], block: [1], args: [r]}}\n"
           "  run:\n"
           "    - {fill: {buffer: r, value: 1}}\n"
           "    - {repeat: {until: \"left < 0.1\", most: 100, index: iterations, read: {left: r}}, do: "
           "halve}\n"
           "  verify: {run: " +
           verify_run + ", checks: " + checks +
           "}\n"
           "  metrics: {rate: {unit: 1/s, value: \"iterations / time\"}}\n"
           "measure: " +
           measure + "\n";
  }
};

TEST_F(ProgramJob, ChecksAndMetricsReadWhatTheProgramDid) {
  const auto records = run(job("[{variable: iterations, expected: 4}, {buffer: r, expected: 0.0625}]"));
  ASSERT_EQ(records.size(), 1U);
  const Record& record = records[0];
  EXPECT_EQ(record.status, RunStatus::kOk) << record.message;
  EXPECT_EQ(record.checks[0].name, "iterations");
  EXPECT_EQ(record.checks[0].compared, 1U);
  EXPECT_EQ(record.waits_per_step, 4U);
  ASSERT_TRUE(record.step.has_value());
  EXPECT_NEAR(record.step->median, 4e-3, 1e-9);
  EXPECT_NEAR(record.metrics[0].value, 1000, 1e-3);
}

TEST_F(ProgramJob, StepsThatRunAsGraphsAreMeasuredAndRecordedAsSuch) {
  const std::string checks = "[{variable: iterations, expected: 4}, {buffer: r, expected: 0.0625}]";
  const auto plain = run(job(checks));
  const auto graphs = run("graph: true\n" + job(checks));
  ASSERT_EQ(graphs.size(), 1U);
  EXPECT_EQ(graphs[0].status, RunStatus::kOk) << graphs[0].message;
  EXPECT_TRUE(graphs[0].graph);
  EXPECT_EQ(graphs[0].graphs_per_step, 5U);  // fill, and four times the loop's body
  EXPECT_EQ(graphs[0].waits_per_step, 4U);
  EXPECT_DOUBLE_EQ(graphs[0].step->median, plain[0].step->median);
  EXPECT_FALSE(plain[0].graph);
  EXPECT_EQ(plain[0].graphs_per_step, 0U);
}

TEST_F(ProgramJob, ASweepComparesStepsWithAndWithoutGraphs) {
  const auto records = run("sweep: {graph: [false, true]}\n" + job("[{buffer: r, expected: 0.0625}]"));
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].label, "graph=false");
  EXPECT_EQ(records[0].graphs_per_step, 0U);
  EXPECT_EQ(records[1].graphs_per_step, 5U);
}

TEST_F(ProgramJob, LaunchesOfGraphsAreTimedInAPassWithoutThem) {
  const std::string text =
      "graph: true\n"
      "workload:\n"
      "  workload: twice\n"
      "  buffers: {r: {type: double, shape: [1], init: 8}}\n"
      "  kernels: {halve: {source: /kernels/scale/halve.cu, grid: [1], block: [1], args: [r]}}\n"
      "  run: [halve, {kernel: halve, as: again}]\n"
      "  verify: {checks: [{buffer: r, expected: 2}]}\n"
      "measure: {max_samples: 5}\n";
  const auto records = run(text);
  ASSERT_EQ(records.size(), 1U);
  const Record& record = records[0];
  EXPECT_EQ(record.graphs_per_step, 1U);
  EXPECT_NEAR(record.step->median, 2e-3, 1e-9);
  EXPECT_GT(record.profiled_steps, 0U);
  ASSERT_EQ(record.launches.size(), 2U);
  for (const LaunchUse& launch : record.launches) EXPECT_NEAR(launch.seconds->median, 1e-3, 1e-9);
}

TEST_F(ProgramJob, AVariableThatDisagreesIsWrong) {
  const auto records = run(job("[{variable: iterations, expected: 5}]"));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, RunStatus::kWrong);
  EXPECT_THAT(records[0].message, HasSubstr("'iterations' is 4, expected 5"));
}

TEST_F(ProgramJob, VerifyRunContinuesWithTheVariablesOfTheStep) {
  const auto records = run(job("[{variable: twice, expected: 8}, {variable: iterations, expected: 4}]",
                               "{max_samples: 5}", "[{set: {twice: \"2 * iterations\"}}]"));
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, RunStatus::kOk) << records[0].message;
}

TEST_F(ProgramJob, AParameterThatAProgramChangesIsARunTimeValueInTheRecord) {
  const auto records =
      run("workload:\n"
          "  workload: halving\n"
          "  parameters: {level: {type: int, default: 3}}\n"
          "  buffers: {r: {type: double, shape: [1]}}\n"
          "  kernels: {halve: {source: /kernels/scale/halve.cu, grid: [1], block: [1], args: [r]}}\n"
          "  run:\n"
          "    - {fill: {buffer: r, value: 1}}\n"
          "    - {set: {level: \"level + 1\"}}\n"
          "    - {kernel: halve, when: \"level > 2\"}\n"
          "  verify: {checks: [{variable: level, expected: 4}, {buffer: r, expected: 0.5}]}\n"
          "measure: {max_samples: 5}\n");
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].status, RunStatus::kOk) << records[0].message;
  ASSERT_EQ(records[0].parameters.size(), 1U);
  EXPECT_FALSE(records[0].parameters[0].compile_time);
}

/// Code is compiled ahead for all variants, comparisons of results included.
TEST_F(ProgramJob, ASweepMayCheckVariables) {
  const auto records =
      run("workload:\n"
          "  workload: halving\n"
          "  parameters: {turns: {type: int, default: 1}}\n"
          "  buffers: {r: {type: double, shape: [1]}}\n"
          "  kernels: {halve: {source: /kernels/scale/halve.cu, grid: [1], block: [1], args: [r]}}\n"
          "  run:\n"
          "    - {fill: {buffer: r, value: 1}}\n"
          "    - {repeat: {count: turns, index: done}, do: halve}\n"
          "  verify: {checks: [{variable: done, expected: turns}]}\n"
          "sweep: {turns: [1, 2, 3]}\n"
          "measure: {max_samples: 5}\n");
  ASSERT_EQ(records.size(), 3U);
  for (const Record& record : records) EXPECT_EQ(record.status, RunStatus::kOk) << record.message;
}

TEST_F(ProgramJob, AnUnknownVariableOfACheckIsBadInput) {
  try {
    run(job("[{variable: iteration, expected: 5}]"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown program variable 'iteration'; did you mean 'iterations'?"));
  }
}

}  // namespace
}  // namespace kiln
