#include "report/problem_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/device_records.h"

namespace kiln {
namespace {

using test::result;
using test::with;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::vector<const Record*> pointers(const std::vector<Record>& records) {
  std::vector<const Record*> all;
  for (const Record& record : records) all.push_back(&record);
  return all;
}

TEST(ProblemSplit, WhatASweepVariesIsTheVariant) {
  const std::vector<Record> records = {with(result("nx=64 bind.nx=run", "A", 1), "nx", "64"),
                                       with(result("nx=128 bind.nx=run", "A", 1), "nx", "128")};
  const ProblemSplit split(pointers(records), {});
  EXPECT_THAT(split.problem(records[0]), ElementsAre(Pair("T", "double"), Pair("scale", "0.5")));
  EXPECT_EQ(split.variant(records[0]), "nx=64 bind.nx=run");
  EXPECT_EQ(split.problem_text(records[0]), "T=double");
}

TEST(ProblemSplit, ATypeIsOfTheProblemThoughItIsSwept) {
  const std::vector<Record> records = {with(result("T=float nx=64", "A", 1), "T", "float"),
                                       with(result("T=double nx=64", "A", 1), "T", "double")};
  const ProblemSplit split(pointers(records), {});
  EXPECT_EQ(split.problem_text(records[0]), "T=float");
  EXPECT_EQ(split.variant(records[0]), "nx=64");
}

TEST(ProblemSplit, TheUserChooses) {
  const std::vector<Record> records = {with(result("nx=64", "A", 1), "nx", "64"),
                                       with(with(result("nx=128", "A", 1), "nx", "128"), "scale", "2")};
  const ProblemSplit split(pointers(records), {"nx"});
  EXPECT_THAT(split.problem(records[1]), ElementsAre(Pair("T", "double"), Pair("nx", "128")));
  EXPECT_EQ(split.variant(records[1]), "scale=2");
}

TEST(ProblemSplit, DefaultsOfBackEndsAreNotOfTheProblem) {
  const std::vector<Record> records = {with(result("", "A", 1, "cpu"), "nx", "64"),
                                       with(result("", "B", 1, "cuda"), "nx", "128"),
                                       with(result("", "C", 1, "cuda"), "nx", "128")};
  const ProblemSplit split(pointers(records), {});
  EXPECT_EQ(split.problem(records[0]), split.problem(records[1]));
  EXPECT_THAT(split.by_backend(), ElementsAre("nx"));
  const ProblemSplit one(pointers({records[1], records[2]}), {});
  EXPECT_THAT(one.by_backend(), IsEmpty());
}

TEST(ProblemSplit, WhatIsComputedFromASweptParameterIsNotOfTheProblem) {
  std::vector<Record> records = {with(result("block=4", "A", 1), "scale", "2"),
                                 with(result("block=8", "A", 1), "scale", "4")};
  const ProblemSplit one_run(pointers(records), {});
  EXPECT_EQ(one_run.problem(records[0]), one_run.problem(records[1]));
  EXPECT_EQ(one_run.variant(records[0]), "block=4");
  EXPECT_THAT(one_run.by_backend(), IsEmpty());
  records[1].run_id = "fedcba9876543210";  // of two runs the user may have set it
  const ProblemSplit two_runs(pointers(records), {});
  EXPECT_NE(two_runs.problem(records[0]), two_runs.problem(records[1]));
}

TEST(ProblemSplit, ASwitchThatDiffersWithoutASweepIsToldInTheVariant) {
  std::vector<Record> records = {result("nx=1", "A", 1), result("nx=1", "A", 1)};
  records[1].fast_math = true;
  const ProblemSplit split(pointers(records), {});
  EXPECT_EQ(split.variant(records[0]), "nx=1 fast_math=false");
  EXPECT_EQ(split.variant(records[1]), "nx=1 fast_math=true");
}

TEST(ProblemSplit, WhatOneJobSweepsAndAnotherSetsIsToldOfBoth) {
  std::vector<Record> records = {result("nx=1 fast_math=false", "A", 1),
                                 result("nx=1 fast_math=true", "A", 1), result("nx=1", "A", 1)};
  records[1].fast_math = true;
  records[2].run_id = "fedcba9876543210";
  const ProblemSplit split(pointers(records), {});
  EXPECT_EQ(split.variant(records[1]), "nx=1 fast_math=true");
  EXPECT_EQ(split.variant(records[2]), "nx=1 fast_math=false");
}

TEST(ProblemSplit, AVariantIsTheSameInWhateverOrderAJobSweeps) {
  const std::vector<Record> records = {
      with(with(result("nx=64 scale=2 bind.all=run", "A", 1), "nx", "64"), "scale", "2"),
      with(with(result("bind.all=run scale=2 nx=64", "B", 1), "nx", "64"), "scale", "2")};
  const ProblemSplit split(pointers(records), {});
  EXPECT_EQ(split.variant(records[0]), split.variant(records[1]));
  const ProblemSplit one(pointers({records[1]}), {});
  EXPECT_EQ(one.variant(records[1]), "bind.all=run scale=2 nx=64");
}

TEST(ProblemSplit, BindingsThatAreAllAlikeAreOneWord) {
  std::vector<Record> records = {result("bind.all=run", "A", 1), result("bind.all=compile", "A", 1),
                                 result("nx=1", "A", 1), result("nx=2", "A", 1)};
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (BoundParameter& parameter : records[i].parameters)
      parameter.compile_time = i == 1 || i == 2 || (i == 3 && parameter.name == "nx");
  }
  const ProblemSplit split(pointers(records), {});
  EXPECT_EQ(split.variant(records[0]), "bind.all=run");
  EXPECT_EQ(split.variant(records[2]), "nx=1 bind.all=compile");
  EXPECT_EQ(split.variant(records[3]), "nx=2 bind.T=run bind.nx=compile bind.scale=run");
}

TEST(ProblemSplit, ASingleVariantHasTheWorkloadsName) {
  const std::vector<Record> records = {result("", "A", 1)};
  EXPECT_EQ(ProblemSplit(pointers(records), {}).variant(records[0]), "stencil7");
}

}  // namespace
}  // namespace kiln
