#include "study/study_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

/// The message of what is refused; empty if nothing is.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_study(text, "study.yaml"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

TEST(StudySpec, HasDefaultsForAllButTheWorkload) {
  const StudySpec study = parse_study("workload: scale\n", "study.yaml").at(0);
  EXPECT_EQ(study.workload, "scale");
  EXPECT_EQ(study.devices, std::vector<std::string>{"auto"});
  EXPECT_EQ(study.fast_math.of("cpu"), std::vector<bool>{false});
  EXPECT_EQ(study.launch_bounds.of("cuda"), std::vector<bool>{true});
  EXPECT_TRUE(study.constants.empty());
  EXPECT_FALSE(study.factorial);
  EXPECT_EQ(study.seed, 1U);
  EXPECT_GE(study.rounds, kLeastRounds);
}

TEST(StudySpec, ReadsValuesForEachBackEnd) {
  const StudySpec study =
      parse_study(
          "workload: w\nset: {n: {cpu: 10, otherwise: 1000}, m: 3}\n"
          "instantiate: {k: {cpu: [1, 2], otherwise: [1, 2, 4]}}\nfast_math: [false, true]\n"
          "launch_bounds: {cpu: true, otherwise: [true, false]}\n"
          "measure: {rounds: 9, samples: 2, compiles: 1, cache: cold}\norder_seed: 5\n",
          "study.yaml")
          .front();
  EXPECT_EQ(study.set[0].second.of("cpu").text, "10");
  EXPECT_EQ(study.set[0].second.of("cuda").text, "1000");
  EXPECT_EQ(study.set[1].second.of("hip").text, "3");
  EXPECT_EQ(study.instantiate[0].second.of("cpu").size(), 2U);
  EXPECT_EQ(study.instantiate[0].second.of("hip").size(), 3U);
  EXPECT_EQ(study.fast_math.of("cpu"), (std::vector<bool>{false, true}));
  EXPECT_EQ(study.launch_bounds.of("cpu"), (std::vector<bool>{true}));
  EXPECT_EQ(study.launch_bounds.of("hip"), (std::vector<bool>{true, false}));
  EXPECT_EQ(study.rounds, 9U);
  EXPECT_TRUE(study.cold);
  EXPECT_EQ(study.seed, 5U);
}

TEST(StudySpec, RefusesWhatIsWrongWithItsPlace) {
  EXPECT_THAT(refusal("worklod: w\n"),
              HasSubstr("study.yaml:1:1: unknown key 'worklod'; did you mean 'workload'?"));
  EXPECT_THAT(refusal("set: {n: 1}\n"), HasSubstr("workload"));
  EXPECT_THAT(refusal("workload: w\nmeasure: {round: 9}\n"),
              HasSubstr("study.yaml:2:11: unknown key 'measure.round'; did you mean 'rounds'?"));
  EXPECT_THAT(refusal("workload: w\nmeasure: {rounds: 5}\n"),
              HasSubstr("study.yaml:2:19: measure.rounds: expected 6 to 10000; found 5"));
  EXPECT_THAT(refusal("workload: w\nmeasure: {cache: hot}\n"),
              HasSubstr("expected warm or cold; found 'hot'"));
  EXPECT_THAT(refusal("workload: w\nset: {bind.n: run}\n"),
              HasSubstr("study.yaml:2:7: 'bind.n' is what a study"));
  EXPECT_THAT(refusal("workload: w\nset: {fast_math: true}\n"),
              HasSubstr("'fast_math' is what a study varies"));
  EXPECT_THAT(refusal("workload: w\nset: {n: {cpu: 1}}\n"),
              HasSubstr("study.yaml:2:10: set.n: expected a value `otherwise`"));
  EXPECT_THAT(refusal("workload: w\nset: {n: {cpu: 1, othrwise: 2}}\n"),
              HasSubstr("did you mean 'otherwise'?"));
  EXPECT_THAT(refusal("workload: w\nset: {n: [1, 2]}\n"), HasSubstr("study.yaml:2:10: set.n"));
  EXPECT_THAT(refusal("workload: w\nfast_math: [true, true]\n"),
              HasSubstr("study.yaml:2:19: fast_math[1]: true is there already"));
  EXPECT_THAT(refusal("workload: w\nfast_math: both\n"), HasSubstr("study.yaml:2:12"));
  EXPECT_THAT(refusal("workload: w\ninstantiate: {k: []}\n"), HasSubstr("expected at least one value"));
  EXPECT_THAT(refusal("workload: w\ninstantiate: {k: [4, 8, 4]}\n"),
              HasSubstr("study.yaml:2:25: instantiate.k[2]: 4 is there already"));
  EXPECT_THAT(refusal("workload: w\ninstantiate: {k: {cpu: [1], otherwise: [a, 'a']}}\n"),
              HasSubstr("instantiate.k.otherwise[1]: a is there already"));
  EXPECT_THAT(refusal("workload: w\norder_seed: -1\n"), HasSubstr("expected 0 or more; found -1"));
  EXPECT_THAT(refusal("workload: w\ndevice: []\n"), HasSubstr("found an empty list"));
  EXPECT_THAT(refusal("workload: w\nisolation: proces\n"), HasSubstr("did you mean 'process'?"));
}

TEST(StudySpec, SeveralWorkloadsShareWhatStandsAtTheTop) {
  const auto sections = parse_study(
      "workloads:\n- scale\n- {workload: dir/scale.yaml, name: other, set: {m: 2}, fast_math: true}\n"
      "set: {n: 5}\nfactorial: true\nmeasure: {rounds: 9}\noutput: here\n",
      "study.yaml");
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].section, "scale");
  EXPECT_EQ(sections[0].set.at(0).first, "n");
  EXPECT_EQ(sections[1].section, "other");
  EXPECT_EQ(sections[1].workload, "dir/scale.yaml");
  ASSERT_EQ(sections[1].set.size(), 1U);
  EXPECT_EQ(sections[1].set[0].first, "m");
  EXPECT_EQ(sections[1].fast_math.of("cpu"), std::vector<bool>{true});
  for (const StudySpec& section : sections) {
    EXPECT_TRUE(section.factorial);
    EXPECT_EQ(section.rounds, 9U);
    EXPECT_EQ(section.output, "here");
  }
}

TEST(StudySpec, RefusesSectionsThatAreWrongWithTheirPlace) {
  EXPECT_THAT(refusal("workloads: [a, a]\n"),
              HasSubstr("study.yaml:1:16: workloads[1]: there is a 'a' already"));
  EXPECT_THAT(refusal("workloads: []\n"), HasSubstr("expected at least one workload"));
  EXPECT_THAT(refusal("workload: a\nworkloads: [b]\n"), HasSubstr("either `workload` or `workloads`"));
  EXPECT_THAT(refusal("workloads: [{set: {n: 1}}]\n"), HasSubstr("workload"));
  EXPECT_THAT(refusal("workloads: [{workload: a, measure: {rounds: 9}}]\n"),
              HasSubstr("unknown key 'workloads[0].measure'"));
}

TEST(StudySpec, TheCommandLineReplacesWhatTheFileSets) {
  StudySpec study = parse_study("workload: w\nset: {n: {cpu: 10, otherwise: 1000}}\n", "study.yaml").front();
  apply_set(study, "n=7");
  ASSERT_EQ(study.set.size(), 1U);
  EXPECT_EQ(study.set[0].second.of("cpu").text, "7");
  EXPECT_THROW(apply_set(study, "n"), Error);
  EXPECT_THROW(apply_set(study, "launch_bounds=true"), Error);
}

}  // namespace
}  // namespace kiln
