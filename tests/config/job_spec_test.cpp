#include "config/job_spec.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;

JobSpec parse(const std::string& text) {
  return parse_job(text, "job.yaml");
}

TEST(JobSpec, ReadsAWholeJob) {
  const JobSpec job = parse(
      "workload: stencil7\n"
      "device: [cpu, 'cuda:0']\n"
      "set: {T: double, nx: 512}\n"
      "sweep: {block_x: [128, 256], bind.nx: [compile, run]}\n"
      "measure: {min_time: 20 ms, max_time: 1 s, min_samples: 3, max_samples: 9, cache: cold}\n"
      "output: results/x\n");
  EXPECT_EQ(job.workload, "stencil7");
  EXPECT_THAT(job.devices, ElementsAre("cpu", "cuda:0"));
  ASSERT_EQ(job.set.size(), 2U);
  EXPECT_EQ(job.set[1].second.text, "512");
  EXPECT_EQ(job.set[1].second.where.to_string(), "job.yaml:3:22");
  ASSERT_EQ(job.sweep.size(), 2U);
  EXPECT_EQ(job.sweep[0].first, "block_x");
  EXPECT_EQ(job.sweep[1].second[1].text, "run");
  EXPECT_DOUBLE_EQ(job.measure.min_time, 0.02);
  EXPECT_DOUBLE_EQ(job.measure.max_time, 1);
  EXPECT_EQ(job.measure.min_samples, 3U);
  EXPECT_EQ(job.measure.max_samples, 9U);
  EXPECT_TRUE(job.measure.cold);
  EXPECT_EQ(job.output, "results/x");
}

TEST(JobSpec, AnInlineWorkloadIsAMap) {
  const JobSpec job = parse("workload: {workload: mine, run: [k]}\n");
  ASSERT_TRUE(job.inline_workload);
  EXPECT_EQ(job.inline_workload->at("workload").text(), "mine");
}

TEST(JobSpec, AWorkloadsFileIsAJobOfItAlone) {
  const JobSpec job = parse_job("workload: mine\nbuffers: {}\nkernels: {}\n", "folder/mine.yaml");
  EXPECT_FALSE(job.inline_workload);
  EXPECT_EQ(job.workload, "folder/mine.yaml");
  EXPECT_EQ(job.workload_where.line, 0);  // relative to the working directory
  EXPECT_TRUE(job.set.empty());
}

TEST(JobSpec, MeasureFalseOnlyChecks) {
  EXPECT_FALSE(parse("workload: w\nmeasure: false\n").measure.enabled);
  EXPECT_TRUE(parse("workload: w\nmeasure: {energy: true}\n").measure.energy);
}

struct BadJob {
  const char* text;
  const char* message;
};
class JobSpecError : public testing::TestWithParam<BadJob> {};
TEST_P(JobSpecError, SaysWhereAndWhat) {
  EXPECT_THAT(bad_input_of([] { parse(GetParam().text); }), HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Bad, JobSpecError,
    testing::Values(
        BadJob{"device: cpu\n", "the key 'workload' is missing"},
        BadJob{"workload: w\nmesure: {}\n", "job.yaml:2:1: unknown key 'mesure'; did you mean 'measure'?"},
        BadJob{"workload: w\nmeasure: {cache: cold, energy: true}\n",
               "job.yaml:2:10: measure: energy is measured over consecutive steps: not with `cache: "
               "cold`"},
        BadJob{"workload: w\nmeasure: {cache: hot}\n", "job.yaml:2:18: measure.cache: expected warm or cold"},
        BadJob{"workload: w\nmeasure: {min_time: 2 s, max_time: 1 s}\n", "max_time is less than min_time"},
        BadJob{"workload: w\nmeasure: {min_samples: 20, max_samples: 10}\n", "max_samples is less"},
        BadJob{"workload: w\nmeasure: {max_samples: 0}\n", "expected a count from 1"},
        BadJob{"workload: w\nset: {a: 1}\nsweep: {a: [1, 2]}\n", "job.yaml:3:9: sweep.a: is also in `set`"},
        BadJob{"workload: w\nset: {implementation: a}\nimplementation: b\n",
               "job.yaml:3:17: implementation: is also in `set`"},
        BadJob{"workload: w\nset: {graph: false}\ngraph: true\n", "job.yaml:3:8: graph: is also in `set`"},
        BadJob{"workload: w\ngraph: yes please\n", "job.yaml:2:8: graph: expected"},
        BadJob{"workload: w\ngraph: true\nsweep: {graph: [true, false]}\n",
               "job.yaml:3:9: sweep.graph: is also set"},
        BadJob{"workload: w\nimplementation: b\nsweep: {implementation: [a, b]}\n",
               "job.yaml:3:9: sweep.implementation: is also set"},
        BadJob{"workload: w\nvariant: paper\n",
               "job.yaml:2:1: unknown key 'variant'; did you mean 'implementation'?"},
        BadJob{"workload: w\nsweep: {a: 3}\n", "sweep.a: expected a list"},
        BadJob{"workload: w\nsweep: {a: []}\n", "sweep.a: expected at least one value"},
        BadJob{"workload: w\nset: {a: [1]}\n", "set.a: expected one value; found a list"},
        BadJob{"workload: w\ndevice: []\n", "expected a device"}));

TEST(JobSpec, SetReplacesWhatTheFileSetsOrSweeps) {
  JobSpec job = parse("workload: w\nset: {a: 1}\nsweep: {b: [1, 2]}\n");
  apply_set(job, "a=5");
  apply_set(job, "b=7");
  ASSERT_EQ(job.set.size(), 2U);
  EXPECT_EQ(job.set[0].second.text, "5");
  EXPECT_EQ(job.set[1].first, "b");
  EXPECT_TRUE(job.sweep.empty());
}

TEST(JobSpec, SweepReplacesWhatTheFileSets) {
  JobSpec job = parse("workload: w\nset: {a: 1}\n");
  apply_sweep(job, "a=1, 2,3");
  EXPECT_TRUE(job.set.empty());
  ASSERT_EQ(job.sweep.size(), 1U);
  EXPECT_EQ(job.sweep[0].second[1].text, "2");
}

TEST(JobSpec, GraphIsShortForASwitch) {
  JobSpec job = parse_job("workload: w\ngraph: true\n", "job.yaml");
  ASSERT_EQ(job.set.size(), 1U);
  EXPECT_EQ(job.set[0].first, "graph");
  EXPECT_EQ(job.set[0].second.text, "true");
  apply_set(job, "graph=false");
  ASSERT_EQ(job.set.size(), 1U);
  EXPECT_EQ(job.set[0].second.text, "false");
}

TEST(JobSpec, AssignmentsNeedANameAndAValue) {
  JobSpec job = parse("workload: w\n");
  EXPECT_THAT(bad_input_of([&] { apply_set(job, "nx"); }),
              HasSubstr("expected --set name=value; found 'nx'"));
  EXPECT_THAT(bad_input_of([&] { apply_set(job, "=3"); }), HasSubstr("expected --set"));
  EXPECT_THAT(bad_input_of([&] { apply_sweep(job, "nx=1,,2"); }), HasSubstr("expected --sweep"));
}

TEST(JobSpec, AMissingFileIsNamed) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  EXPECT_EQ(bad_input_of([&] { static_cast<void>(load_job(files, "/none.yaml")); }),
            "/none.yaml: no such file");
}

}  // namespace
}  // namespace kiln
