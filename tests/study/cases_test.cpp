#include "study/cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "support/fake_compiler.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Cases : public ::testing::Test {
 protected:
  DeviceCases expand(const std::string& more) {
    DeviceInfo device;
    device.id = "cuda:0";
    device.target.backend = "cuda";
    return expand_study(parse_study("workload: scale\n" + more, "study.yaml").front(), disk_.workload(),
                        device, disk_.files, ahead_);
  }

  static std::vector<std::string> names(const DeviceCases& cases) {
    std::vector<std::string> list;
    for (const StudyCase& which : cases.cases) list.push_back(which.name);
    return list;
  }

  static Binding binding(const DeviceCases& cases, const std::string& name, const std::string& parameter) {
    for (const Variant& variant : cases.variants) {
      if (variant.label == name) return variant.configuration.value(parameter).binding;
    }
    ADD_FAILURE() << "no case " << name;
    return Binding::kRun;
  }

  std::string refusal(const std::string& more) {
    try {
      static_cast<void>(expand(more));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "";
  }

  test::SmallDisk disk_;
  AheadCompiler ahead_;
};

TEST_F(Cases, StudiesTheConstantsThatTheStepReads) {
  const DeviceCases cases = expand("");
  EXPECT_THAT(cases.constants, ElementsAre("n", "factor"));
  EXPECT_THAT(cases.unread, ElementsAre("unused"));
  EXPECT_THAT(names(cases),
              ElementsAre("aot_generic", "jit_generic", "jit_specialised", "only.n", "only.factor"));
  ASSERT_EQ(cases.variants.size(), cases.cases.size());
}

TEST_F(Cases, BindsWhatEachCaseSays) {
  const DeviceCases cases = expand("");
  EXPECT_EQ(binding(cases, "aot_generic", "n"), Binding::kRun);
  EXPECT_EQ(binding(cases, "aot_generic", "block"), Binding::kCompile);  // always
  EXPECT_EQ(binding(cases, "jit_specialised", "n"), Binding::kCompile);
  EXPECT_EQ(binding(cases, "jit_specialised", "factor"), Binding::kCompile);
  EXPECT_EQ(binding(cases, "only.n", "n"), Binding::kCompile);
  EXPECT_EQ(binding(cases, "only.n", "factor"), Binding::kRun);
}

TEST_F(Cases, SwitchesMultiplyTheCases) {
  const DeviceCases cases = expand("fast_math: [false, true]\nlaunch_bounds: [true, false]\n");
  EXPECT_EQ(cases.cases.size(), 20U);
  EXPECT_THAT(names(cases), Contains("only.n fast_math no_launch_bounds"));
  EXPECT_TRUE(cases.variants.back().configuration.fast_math());
  EXPECT_FALSE(cases.variants.back().configuration.launch_bounds());
}

TEST_F(Cases, InstancesHaveTheirValuesAndNameThoseThatAConstraintExcludes) {
  const DeviceCases cases = expand("instantiate: {block: [64, 256], n: [100, 10000]}\n");
  EXPECT_THAT(names(cases), Contains("aot_instantiated.block=64.n=100"));
  EXPECT_EQ(binding(cases, "aot_instantiated.block=256.n=100", "n"), Binding::kCompile);
  EXPECT_EQ(binding(cases, "aot_instantiated.block=256.n=100", "factor"), Binding::kRun);
  ASSERT_EQ(cases.excluded.size(), 1U);
  EXPECT_THAT(cases.excluded.front(),
              HasSubstr("aot_instantiated.block=256.n=10000: violates 'n * block <= 1000000'"));
}

TEST_F(Cases, RefusesAnInstanceThatIsThereInOtherWords) {
  EXPECT_THAT(refusal("instantiate: {block: [64, 6.4e1]}\n"),
              HasSubstr("study.yaml:2:27: instantiate.block: 6.4e1 is there already"));
  EXPECT_THAT(refusal("instantiate: {factor: [4, 4.0], block: [64, 128]}\n"),
              HasSubstr("study.yaml:2:27: instantiate.factor: 4.0 is there already: "
                        "aot_instantiated.factor=4.block=64 has the same values"));
  // The instances that a constraint leaves out, too.
  EXPECT_THAT(refusal("instantiate: {n: [100000, 1e5]}\n"), HasSubstr("study.yaml:2:27"));
  EXPECT_EQ(expand("instantiate: {factor: [4, 4.5], n: [4, 8]}\n").cases.size(), 9U);
}

TEST_F(Cases, AFactorialHasTheSubsetsThatNoOtherCaseHas) {
  // Of two constants none, one and all are there already; of three, the pairs are not.
  EXPECT_EQ(expand("factorial: true\n").cases.size(), 5U);
  std::string yaml = test::kScaleYaml;
  yaml.replace(yaml.find("factor: {type: T, default: 3}"), 29,
               "factor: {type: T, default: 3}\n  third: {type: int, default: 1}");
  disk_.files.write_file("/kernels/scale/scale.yaml", yaml, false);
  disk_.files.write_file(
      "/kernels/scale/scale.cu",
      std::string(test::kScaleSource) + "inline int third_of(Params p) { return p.third; }\n", false);
  const DeviceCases cases = expand("factorial: true\n");
  EXPECT_EQ(cases.cases.size(), 9U);
  EXPECT_THAT(names(cases), Contains("factorial.n+factor"));
  EXPECT_EQ(binding(cases, "factorial.n+factor", "third"), Binding::kRun);
}

TEST_F(Cases, OnlyTheConstantsThatAreNamed) {
  EXPECT_THAT(expand("constants: [factor]\n").constants, ElementsAre("factor"));
  EXPECT_THAT(expand("constants: [unused]\n").unread, ElementsAre("unused"));
}

TEST_F(Cases, RefusesWhatTheWorkloadDoesNotHave) {
  EXPECT_THAT(refusal("constants: [facto]\n"),
              HasSubstr("study.yaml:2:13: constants: workload 'scale' has no "
                        "parameter 'facto'; did you mean 'factor'?"));
  EXPECT_THAT(refusal("constants: [block]\n"),
              HasSubstr("study.yaml:2:13: constants: 'block' is always bound at compile time"));
  EXPECT_THAT(refusal("constants: [T]\n"), HasSubstr("'T' is no number"));
  EXPECT_THAT(refusal("constants: [n, n]\n"), HasSubstr("study.yaml:2:16: constants: 'n' is there already"));
  EXPECT_THAT(refusal("set: {blok: 64}\n"), HasSubstr("study.yaml:2:13: workload 'scale' has no parameter"));
  EXPECT_THAT(refusal("instantiate: {block: [63]}\n"), HasSubstr("study.yaml:2:23"));
  EXPECT_THAT(refusal("set: {n: 100000}\n"), HasSubstr("constraint violated: 'n * block <= 1000000'"));
}

TEST_F(Cases, OfACompilerForProgramsStandBesideThoseAheadOfTime) {
  test::FakeCompiler nvcc;
  ahead_ = {"nvcc", &nvcc, ""};
  const DeviceCases cases = expand("instantiate: {block: [64, 256]}\nfast_math: [false, true]\n");
  const auto all = names(cases);
  EXPECT_THAT(std::vector(all.begin(), all.begin() + 8),
              ElementsAre("aot_generic", "aot_generic.nvcc", "aot_instantiated.block=64",
                          "aot_instantiated.block=64.nvcc", "aot_instantiated.block=256",
                          "aot_instantiated.block=256.nvcc", "jit_generic", "jit_specialised"));
  EXPECT_THAT(all, Contains("aot_generic.nvcc fast_math"));
  EXPECT_EQ(cases.cases[0].compiler, "");
  EXPECT_EQ(cases.cases[1].compiler, "nvcc");
  EXPECT_TRUE(cases.no_ahead.empty());
}

TEST_F(Cases, WithoutACompilerForProgramsSayWhy) {
  ahead_ = {"nvcc", nullptr, "no nvcc was found"};
  const DeviceCases cases = expand("");
  EXPECT_EQ(cases.cases.size(), 5U);
  EXPECT_EQ(cases.no_ahead, "no nvcc was found");
}

TEST_F(Cases, AllButOneConstantWhereAskedFor) {
  const DeviceCases cases = expand("leave_one_out: true\n");
  EXPECT_THAT(names(cases), ElementsAre("aot_generic", "jit_generic", "jit_specialised", "only.n",
                                        "only.factor", "all_but.n", "all_but.factor"));
  EXPECT_EQ(binding(cases, "all_but.n", "n"), Binding::kRun);
  EXPECT_EQ(binding(cases, "all_but.n", "factor"), Binding::kCompile);
  EXPECT_EQ(binding(cases, "all_but.n", "unused"), Binding::kCompile);
  EXPECT_THAT(names(expand("constants: [n]\nleave_one_out: true\n")),
              ElementsAre("aot_generic", "jit_generic", "jit_specialised", "only.n"));
}

}  // namespace
}  // namespace kiln
