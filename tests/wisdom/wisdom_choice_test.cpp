#include "wisdom/wisdom_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_workload.h"

namespace kiln {
namespace {

using test::SmallDisk;
using testing::ElementsAre;
using testing::IsEmpty;

WisdomRecord record(const std::string& block, std::int64_t n, double time = 1e-3) {
  WisdomRecord made;
  made.key = {"scale", "time", {"NVIDIA H200", "cuda", "sm_90", 132, 4800}, {{"T", "double"}}, {{"n", n}}};
  made.values = {{"block", block}};
  made.result.time = {time};
  made.made = {"0.1.0", "sha256:a", "NVRTC 12.8", "570.86", "2026-11-11", ""};
  return made;
}

WisdomRecord on(WisdomRecord record, const WisdomDevice& device) {
  record.key.device = device;
  return record;
}

class WisdomChoiceTest : public testing::Test {
 protected:
  WisdomChoiceTest() {
    question_.workload = disk_.workload();
    question_.device = unknown_device({"cuda", "sm_90"});
    question_.device.name = "NVIDIA H200";
    question_.device.compute_units = 132;
    question_.device.memory_bandwidth = 4800;
    set("n", "1000");
  }
  void set(const std::string& name, const std::string& value) {
    question_.set.emplace_back(name, RawValue{value, false, {"job.yaml", 1, 1}});
  }
  std::vector<std::string> blocks(const std::vector<WisdomRecord>& records, std::size_t most = 10,
                                  bool far = false) {
    std::vector<std::string> found;
    for (const WisdomChoice& choice : choose_wisdom(WisdomBook(records), question_, disk_.files, most, far))
      found.push_back(choice.record.values.front().second);
    return found;
  }

  SmallDisk disk_;
  WisdomQuestion question_;
};

TEST_F(WisdomChoiceTest, TheNearestSizeComesFirstThenTheFastest) {
  EXPECT_THAT(blocks({record("32", 4000), record("64", 1200, 5e-3), record("128", 1200, 4e-3)}),
              ElementsAre("128", "64", "32"));
  EXPECT_THAT(blocks({record("32", 4000), record("64", 1200)}, 1), ElementsAre("64"));
}

TEST_F(WisdomChoiceTest, OtherTypesWorkloadsAndObjectivesAreNotUsed) {
  WisdomRecord types = record("32", 1000), workload = types, objective = types;
  types.key.types = {{"T", "float"}};
  workload.key.workload = "other";
  objective.key.objective = "energy";
  EXPECT_THAT(blocks({types, workload, objective}), IsEmpty());
  set("T", "float");
  EXPECT_THAT(blocks({types}), ElementsAre("32"));
}

TEST_F(WisdomChoiceTest, ValuesMustBeAllowedForTheAskedSize) {
  set("n", "10000");  // n * block <= 1000000
  WisdomRecord unknown = record("32", 10000), path = unknown, not_allowed = unknown, resizes = unknown;
  unknown.values = {{"blok", "32"}};
  path.values = {{"input", "/etc/passwd"}};
  not_allowed.values = {{"block", "33"}};
  resizes.values = {{"mode", "fancy"}, {"n", "5"}};
  EXPECT_THAT(blocks({record("128", 10000), record("64", 50), unknown, path, not_allowed, resizes}),
              ElementsAre("64"));
}

TEST_F(WisdomChoiceTest, WhatTheJobSetsStays) {
  set("block", "256");
  WisdomRecord both = record("32", 1000);
  both.values.emplace_back("mode", "fancy");
  const auto choices = choose_wisdom(WisdomBook({both}), question_, disk_.files);
  ASSERT_EQ(choices.size(), 1U);
  ASSERT_EQ(choices[0].values.size(), 1U);
  EXPECT_EQ(choices[0].values[0].first, "mode");
}

TEST_F(WisdomChoiceTest, ARecordWithAnotherChoiceThanTheJobsIsNotUsed) {
  WisdomRecord fancy = record("32", 1000), plain = record("64", 4000);
  fancy.values.emplace_back("mode", "fancy");
  plain.values.emplace_back("mode", "plain");
  EXPECT_THAT(blocks({fancy, plain}), ElementsAre("32", "64"));
  set("mode", "plain");
  EXPECT_THAT(blocks({fancy, plain}), ElementsAre("64"));
}

TEST_F(WisdomChoiceTest, BindingsOfAllParametersByTheJobStay) {
  WisdomRecord bound = record("32", 1000);
  bound.values.emplace_back("bind.n", "run");
  set("bind.all", "compile");
  const auto choices = choose_wisdom(WisdomBook({bound}), question_, disk_.files);
  ASSERT_EQ(choices.size(), 1U);
  ASSERT_EQ(choices[0].values.size(), 1U);
  EXPECT_EQ(choices[0].values[0].first, "block");
}

TEST_F(WisdomChoiceTest, AnotherImplementationHasItsOwnRecords) {
  std::string yaml = test::kScaleYaml;
  yaml.replace(yaml.find("parameters:\n"), 12,
               "parameters:\n  implementation: {type: choice, values: [tuned, paper], default: tuned}\n");
  question_.workload = parse_workload(YamlNode::parse(yaml, "scale.yaml"), yaml, "/kernels/scale");
  WisdomRecord paper = record("64", 1000);
  set("implementation", "tuned");
  const WisdomKey tuned_key = wisdom_key(question_, {"block"}, disk_.files);
  EXPECT_EQ(tuned_key.types, record("32", 1000).key.types);
  question_.set.pop_back();
  set("implementation", "paper");
  paper.key = wisdom_key(question_, {"block"}, disk_.files);
  EXPECT_EQ(paper.key.types, (NamedTexts{{"T", "double"}, {"implementation", "paper"}}));
  EXPECT_THAT(blocks({record("32", 1000), paper}), ElementsAre("64"));
  question_.set.pop_back();
  EXPECT_THAT(blocks({record("32", 1000), paper}), ElementsAre("32"));
}

TEST_F(WisdomChoiceTest, DevicesAreNearByNameThenArchitectureThenFamily) {
  const auto nearness = [&](const WisdomDevice& device) { return device_nearness(device, question_.device); };
  EXPECT_EQ(nearness({"NVIDIA H200", "cuda", "sm_90", 132, 4800}), DeviceNearness::kSame);
  EXPECT_EQ(nearness({"NVIDIA H200", "cuda", "sm_90", 16, 600}), DeviceNearness::kFamily);  // a slice
  EXPECT_EQ(nearness({"NVIDIA H100 80GB HBM3", "cuda", "sm_90", 132, 3352}), DeviceNearness::kAlike);
  EXPECT_EQ(nearness({"H200 141GB", "cuda", "sm_90a", 132, 4800}), DeviceNearness::kAlike);
  EXPECT_EQ(nearness({"NVIDIA A100", "cuda", "sm_80", 108, 1555}), DeviceNearness::kOther);
  EXPECT_EQ(nearness({"NVIDIA H200", "hip", "gfx90a", 132, 4800}), DeviceNearness::kOther);
  question_.device = unknown_device({"hip", "gfx90a:sramecc+:xnack-"});
  EXPECT_EQ(nearness({"MI300X", "hip", "gfx942", 304, 5300}), DeviceNearness::kFamily);
  EXPECT_EQ(nearness({"RX", "hip", "gfx1100", 96, 960}), DeviceNearness::kOther);
}

TEST_F(WisdomChoiceTest, FarSizesOfTheDeviceYieldToEqualSizesOfOneAlike) {
  const WisdomDevice alike{"NVIDIA H100", "cuda", "sm_90", 132, 3352};
  const WisdomDevice other{"NVIDIA A100", "cuda", "sm_80", 108, 1555};
  EXPECT_THAT(blocks({record("32", 3900), on(record("64", 1000), alike)}), ElementsAre("32", "64"));
  EXPECT_THAT(blocks({record("32", 4100), on(record("64", 1000), alike)}), ElementsAre("64", "32"));
  EXPECT_THAT(blocks({record("32", 4100), on(record("64", 1200), alike)}), ElementsAre("32", "64"));
  EXPECT_THAT(blocks({on(record("64", 1000), other)}), IsEmpty());
  EXPECT_THAT(blocks({on(record("64", 1000), other)}, 1, true), ElementsAre("64"));
}

TEST_F(WisdomChoiceTest, TheSentenceSaysHowNearItIs) {
  question_.now = {"0.1.0", "sha256:b", "NVRTC 12.8", "580.1", "", ""};
  const auto choices = choose_wisdom(WisdomBook({record("32", 2000)}), question_, disk_.files);
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].sentence("2026-11-23"),
            "wisdom: NVIDIA H200, n 2000 -> 1000 (d 0.69), measured 12 days ago, source and driver differ");
  EXPECT_THAT(choices[0].stale, ElementsAre("source", "driver"));
}

TEST_F(WisdomChoiceTest, AKeyHasWhatIsAskedForAndNotTuned) {
  const WisdomKey key = wisdom_key(question_, {"block"}, disk_.files);
  EXPECT_EQ(key.size, (NamedSizes{{"n", 1000}}));
  EXPECT_EQ(key.types, (NamedTexts{{"T", "double"}}));
  EXPECT_EQ(key.device.name, "NVIDIA H200");
  EXPECT_TRUE(wisdom_key(question_, {"n"}, disk_.files).size.empty());
}

}  // namespace
}  // namespace kiln
