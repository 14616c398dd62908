// Implementations of a workload through a whole job: what is selected is compiled, allocated and recorded.

#include "job/job_fixture.h"
#include "support/error_matchers.h"
#include "support/implementations_workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::JobTest;
using testing::HasSubstr;

class ImplementationTest : public JobTest {
 protected:
  ImplementationTest() {
    disk_.files.make_directories("/kernels/implementations", false);
    write_workload(test::kImplementationsYaml);
    disk_.files.write_file("/kernels/implementations/tuned.cu", "scale", false);
    disk_.files.write_file("/kernels/implementations/paper.cu", "scale_paper extra", false);
    define_scale("scale", 3.0, 1e-3);
    define_scale("_Zscale", 3.0, 1e-3);
    define_scale("_Zscale_paper", 3.0, 2e-3);
    define_scale("_Zextra", 3.0, 1e-3);
  }

  void write_workload(const std::string& text) {
    disk_.files.write_file("/kernels/implementations/implementations.yaml", text, false);
  }

  void write_with(const std::string& from, const std::string& to) {
    std::string text = test::kImplementationsYaml;
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    write_workload(text.replace(place, from.size(), to));
  }
};

std::string job(const std::string& rest) {
  return "workload: implementations\nmeasure: {min_time: 1 ms, max_time: 10 ms, min_samples: 3}\n" + rest;
}

std::string implementation_of(const Record& record) {
  for (const BoundParameter& parameter : record.parameters) {
    if (parameter.name == "implementation")
      return parameter.value + (parameter.compile_time ? " compile" : " run");
  }
  return "";
}

TEST_F(ImplementationTest, OnlyWhatIsSelectedIsCompiledAndRun) {
  const Record record = run(job("")).at(0);
  ASSERT_EQ(record.status, RunStatus::kOk) << record.message;
  ASSERT_EQ(record.units.size(), 1U);
  EXPECT_EQ(record.units[0].source, "tuned.cu");
  EXPECT_EQ(implementation_of(record), "tuned compile");
}

TEST_F(ImplementationTest, AStepHasTheSameNameInEachImplementation) {
  const auto records = run(job("sweep: {implementation: [tuned, paper]}\n"));
  ASSERT_EQ(records.size(), 2U);
  const Record& paper = records[1];
  ASSERT_EQ(paper.status, RunStatus::kOk) << paper.message;
  ASSERT_EQ(paper.launches.size(), 2U);
  EXPECT_EQ(paper.launches[0].step, "scale");
  EXPECT_EQ(paper.launches[0].kernel, "scale_paper");
  EXPECT_EQ(paper.launches[1].step, "extra");
  EXPECT_NEAR(records[0].metrics.at(0).value, 16 * 1000 / 1e-3 * 1e-9, 1e-9);
  EXPECT_NEAR(paper.metrics.at(0).value, 16 * 1000 / 2e-3 * 1e-9, 1e-9);
}

TEST_F(ImplementationTest, AJobMayNameTheImplementationAtItsTop) {
  const Record record = run(job("implementation: paper\n")).at(0);
  EXPECT_EQ(record.status, RunStatus::kOk) << record.message;
  EXPECT_EQ(implementation_of(record), "paper compile");
}

TEST_F(ImplementationTest, AnUnknownImplementationIsNamedWithTheNearest) {
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(plan(job("implementation: papr\n"))); }),
              HasSubstr("job.yaml:3:17: implementation: papr is not allowed; did you mean 'paper'?"));
}

TEST_F(ImplementationTest, AWorkloadWithoutImplementationsSaysSo) {
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(plan("workload: scale\nimplementation: paper\n")); }),
              HasSubstr("job.yaml:2:17: workload 'scale' has no parameter 'implementation'"));
}

TEST_F(ImplementationTest, TheWordOfOlderJobsIsRefusedWithTodays) {
  for (const std::string rest : {"set: {variant: paper}\n", "sweep: {variant: [tuned, paper]}\n"}) {
    EXPECT_THAT(bad_input_of([&] { static_cast<void>(plan(job(rest))); }),
                HasSubstr("has no parameter 'variant'; did you mean 'implementation'?"));
  }
}

TEST_F(ImplementationTest, AKernelThatNeedsAnAbsentBufferIsAnError) {
  write_with("args: [y, x]}\n  scale_paper", "args: [y, x, scratch]}\n  scale_paper");
  EXPECT_THAT(bad_input_of([&] { run(job("")); }),
              HasSubstr("/kernels/implementations/implementations.yaml:11:88: buffer 'scratch' is needed "
                        "here, but not there: it is "
                        "made when 'implementation == paper' (implementation = tuned)"));
}

TEST_F(ImplementationTest, ACheckThatNeedsAnAbsentBufferIsAnError) {
  write_with("{buffer: y, region", "{buffer: scratch, region");
  EXPECT_THAT(bad_input_of([&] { run(job("")); }),
              HasSubstr("buffer 'scratch' is needed here, but not there"));
}

}  // namespace
}  // namespace kiln
