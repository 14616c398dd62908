#include "config/batch_spec.h"

#include <gmock/gmock.h>

#include "kiln/error.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What `parse_batch` says of a text that is wrong.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_batch(text, "nightly/batch.yaml"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

TEST(BatchSpec, TakesPathsAndWhatIsSaidOfEachJob) {
  const BatchSpec batch = parse_batch(R"(
output: results/nightly
keep_going: true
at_once: 4
set: {nx: 256, T: double}
device: cuda:0
limits: {time: 1 h, memory: 8 GiB}
jobs:
  - ../stencil7.yaml
  - {run: bude.yaml, name: bude, set: {T: float, n: 3}, device: [cuda:1, cuda:2], limits: {time: 10 min}}
  - {study: s.yaml, after: [stencil7, bude], output: elsewhere, launcher: srun  -n 4}
  - {tune: t.yaml, after: s, launcher: [mpirun, -n, 2]}
)",
                                      "nightly/batch.yaml");
  EXPECT_EQ(batch.file, "nightly/batch.yaml");
  EXPECT_EQ(batch.output, "results/nightly");
  EXPECT_TRUE(batch.keep_going);
  EXPECT_EQ(batch.at_once, 4U);
  ASSERT_EQ(batch.jobs.size(), 4U);
  const BatchJob& first = batch.jobs[0];
  EXPECT_EQ(first.name, "stencil7");
  EXPECT_EQ(first.file, "stencil7.yaml") << "relative to the folder of the batch";
  EXPECT_THAT(first.set, ElementsAre("nx=256", "T=double"));
  EXPECT_THAT(first.devices, ElementsAre("cuda:0"));
  EXPECT_EQ(first.limits.seconds, 3600);
  const BatchJob& second = batch.jobs[1];
  EXPECT_EQ(second.name, "bude");
  EXPECT_EQ(second.file, "nightly/bude.yaml");
  EXPECT_THAT(second.set, ElementsAre("nx=256", "T=float", "n=3"));
  EXPECT_THAT(second.devices, ElementsAre("cuda:1", "cuda:2"));
  EXPECT_EQ(second.limits.seconds, 600);
  EXPECT_EQ(second.limits.memory, std::uint64_t{8} << 30);
  EXPECT_EQ(batch.jobs[2].command, BatchCommand::kStudy);
  EXPECT_THAT(batch.jobs[2].after, ElementsAre(0U, 1U));
  EXPECT_THAT(batch.jobs[2].launcher, ElementsAre("srun", "-n", "4"));
  EXPECT_EQ(batch.jobs[2].output, "elsewhere");
  EXPECT_EQ(batch.jobs[3].command, BatchCommand::kTune);
  EXPECT_THAT(batch.jobs[3].launcher, ElementsAre("mpirun", "-n", "2"));
}

TEST(BatchSpec, RefusesWithPlaceAndNearestName) {
  EXPECT_THAT(refusal("jobs: [a.yaml]\nkeep_goin: true\n"),
              AllOf(HasSubstr("batch.yaml:2:1"), HasSubstr("keep_going")));
  EXPECT_THAT(refusal("jobs:\n- {rum: a.yaml}\n"), AllOf(HasSubstr("batch.yaml:2:4"), HasSubstr("'run'")));
  EXPECT_THAT(refusal("jobs:\n- {name: a}\n"), HasSubstr("expected one of run, study, tune"));
  EXPECT_THAT(refusal("jobs:\n- {run: a.yaml, tune: a.yaml}\n"), HasSubstr("found run and tune"));
  EXPECT_THAT(refusal("jobs: []\n"), HasSubstr("at least one job"));
  EXPECT_THAT(refusal("set: {n: 1}\n"), HasSubstr("jobs"));
  EXPECT_THAT(refusal("jobs:\n- a.yaml\n- {run: b.yaml, after: aa}\n"),
              AllOf(HasSubstr("batch.yaml:3:"), HasSubstr("no job 'aa'"), HasSubstr("'a'")));
  EXPECT_THAT(refusal("jobs:\n- a.yaml\n- sub/a.yaml\n"),
              AllOf(HasSubstr("batch.yaml:3:"), HasSubstr("two have the name 'a'")));
  EXPECT_THAT(refusal("jobs:\n- {run: a.yaml, name: ../x}\n"), HasSubstr("expected a name of letters"));
  EXPECT_THAT(refusal("jobs: [a.yaml]\nat_once: 0\n"), HasSubstr("expected 1 to 1024"));
  EXPECT_THAT(refusal("jobs: [a.yaml]\ndevice: gpu:0\n"), HasSubstr("unknown device"));
  EXPECT_THAT(refusal("jobs: [a.yaml]\nlimits: {memory: much}\n"), HasSubstr("limits.memory"));
  EXPECT_THAT(refusal("jobs: [a.yaml]\nlimits: {tim: 1}\n"), HasSubstr("time"));
}

TEST(BatchSpec, NamesJobsThatWaitForEachOther) {
  EXPECT_THAT(
      refusal("jobs:\n- {run: a.yaml, after: c}\n- {run: b.yaml, after: a}\n- {run: c.yaml, after: b}\n"),
      AllOf(HasSubstr("batch.yaml:2:"), HasSubstr("a after c after b after a")));
  EXPECT_THAT(refusal("jobs:\n- {run: a.yaml, after: a}\n"), HasSubstr("a after a"));
}

TEST(BatchSpec, FilesOfACommandLineHaveNamesOfTheirOwn) {
  const BatchSpec batch = batch_of_files({"x/a.yaml", "y/a.yaml", "b c.yaml"},
                                         {BatchCommand::kRun, BatchCommand::kStudy, BatchCommand::kRun});
  ASSERT_EQ(batch.jobs.size(), 3U);
  EXPECT_EQ(batch.jobs[0].name, "a");
  EXPECT_EQ(batch.jobs[1].name, "a-2");
  EXPECT_EQ(batch.jobs[1].command, BatchCommand::kStudy);
  EXPECT_EQ(batch.jobs[2].name, "b_c");
  EXPECT_THAT(batch.output, IsEmpty());
}

}  // namespace
}  // namespace kiln
