#include "trial/checks.h"

#include <gmock/gmock.h>

#include <cstring>

#include "support/fake_clock.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"
#include "workload/workload.h"

namespace kiln {
namespace {

using test::FakeClock;
using test::FakeDevice;
using test::MemoryFileSystem;
using testing::HasSubstr;

/// Three parts of an array and a bit: 5 x 700 x 1000 elements.
constexpr std::uint64_t kCount = 3'500'000;

const char* const kWorkload = R"yaml(workload: large
summary: arrays of several parts
parameters:
  T: {type: type, default: double, values: [float, double]}
buffers:
  y: {type: T, shape: [5, 700, 1000], init: 0.5}
  other: {type: double, shape: [5, 700, 1000], init: 0.5}
  flags: {type: int, shape: [7], init: 3}
  fresh: {type: T, shape: [5, 700, 1000]}
  ids: {type: long, shape: [3], init: 3}
  other_ids: {type: ulong, shape: [3], init: 3}
  part: {type: int, shape: [6, 2], used: found, init: 1}
  found_here: {type: int, shape: [1]}
kernels:
  none: {source: none.cu, grid: [1], block: [1], args: [y, other, flags, fresh, ids, other_ids]}
run: [{read: {found: found_here}}, none]
verify:
  checks:
    - {name: all, buffer: y, expected: 0.5}
    - {name: inside, buffer: y, expected: 0.5, region: [[1, 4], [1, 699], [1, 999]]}
    - {name: column, buffer: y, expected: 0.5, region: [[0, 5], [0, 700], [999, 1000]]}
    - {name: reference, buffer: y, reference: {kernel: none, buffer: other}, atol: 1e-3}
    - {name: sum, buffer: y, reduce: sum, expected: 1750000}
    - {name: flags, buffer: flags, expected: 3}
    - {name: fresh, buffer: fresh, expected: 0}
    - {name: part, buffer: part, expected: "found // 4"}
    - {name: beginning, buffer: part, expected: 1, region: [[0, "found - 1"], [0, 2]]}
    - {name: ids, buffer: ids, reference: {kernel: none, buffer: other_ids}}
)yaml";

/// With memory that the host sees, and without.
class Checks : public testing::TestWithParam<bool> {
 protected:
  Checks() {
    if (GetParam()) device_.hide_memory();
    files_.make_directories("/large", false);
    files_.write_file("/large/large.yaml", kWorkload, false);
    workload_ = load_workload_file(files_, "/large/large.yaml");
  }

  void prepare(const std::string& type) {
    ConfigurationResult result = configure(workload_, {{"T", {type, false, {}}}}, device_.info(), files_);
    configuration_.emplace(std::move(result.configuration));
    workspace_.emplace(device_, *stream_, *configuration_, files_, pool_);
    workspace_->allocate({"y", "other", "flags", "fresh", "ids", "other_ids", "part"});
    for (const char* name : {"y", "other", "flags", "fresh", "ids", "other_ids", "part"})
      workspace_->fill(name);
  }

  template <class T>
  void set(const std::string& buffer, std::uint64_t index, T value) {
    static_cast<T*>(workspace_->buffer(buffer).data())[index] = value;
  }

  CheckResult check(const std::string& name) {
    for (const CheckSpec& spec : workload_->checks) {
      if (spec.name != name) continue;
      const auto reference = [&](const CheckSpec& which) {
        return ReferenceContent{ArrayContent(*workspace_, which.reference_buffer), "kernel none"};
      };
      return run_check(*configuration_, spec, variables_, *workspace_, reference, files_);
    }
    ADD_FAILURE() << "no check " << name;
    return {};
  }

  FakeClock clock_;
  FakeDevice device_{clock_};
  MemoryFileSystem files_{clock_};
  std::shared_ptr<const Workload> workload_;
  std::unique_ptr<Stream> stream_ = device_.create_stream();
  BufferPool pool_;
  Variables variables_;
  std::optional<Configuration> configuration_;
  std::optional<Workspace> workspace_;
};

TEST_P(Checks, EachElementOfALargeArrayIsLookedAtOnce) {
  prepare("double");
  for (const char* name : {"all", "reference"}) {
    const CheckResult result = check(name);
    EXPECT_TRUE(result.ok) << result.message;
    EXPECT_EQ(result.compared, kCount);
  }
  EXPECT_EQ(check("inside").compared, 3U * 698 * 998);
  EXPECT_EQ(check("column").compared, 5U * 700);
  EXPECT_EQ(check("flags").compared, 7U);
  EXPECT_TRUE(check("sum").ok);
}

TEST_P(Checks, WhatIsNotInUseIsNotCompared) {
  prepare("double");
  variables_["found"] = 4;
  set("part", 8, 99);  // behind the fourth row
  const CheckResult result = check("part");
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.compared, 8U);
  EXPECT_EQ(check("beginning").compared, 6U);
  variables_["found"] = 5;
  EXPECT_FALSE(check("part").ok);
  EXPECT_EQ(check("beginning").compared, 8U);
}

TEST_P(Checks, WholeNumbersThatOneDoubleStandsForDiffer) {
  prepare("double");
  set<std::int64_t>("ids", 1, 9'007'199'254'740'993);
  set<std::uint64_t>("other_ids", 1, 9'007'199'254'740'992U);
  const CheckResult result = check("ids");
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.message,
            "1 of 3 elements differ; worst: ids[1] is 9007199254740993, expected 9007199254740992 (exact)");
  set<std::uint64_t>("other_ids", 1, 9'007'199'254'740'993U);
  EXPECT_TRUE(check("ids").ok);
}

TEST_P(Checks, WrongElementsAreCountedAndTheWorstIsNamedWhicheverPartItIsIn) {
  prepare("double");
  set("y", 0, 0.75);            // outside of `inside` and `column`
  set("y", 1'048'575, 0.625);   // the last of the first part: [1, 348, 575]
  set("y", 1'048'576, 0.5625);  // the first of the second
  set("y", kCount - 1, 1.5);    // [4, 699, 999]
  const CheckResult all = check("all");
  EXPECT_FALSE(all.ok);
  EXPECT_EQ(all.mismatches, 4U);
  EXPECT_EQ(all.worst_index, "[0, 0, 0]") << "with no tolerance all are infinitely wrong: the first";
  EXPECT_EQ(all.max_relative_error, 2.0);
  const CheckResult inside = check("inside");
  EXPECT_EQ(inside.mismatches, 2U);
  EXPECT_EQ(inside.worst_index, "[1, 348, 575]");
  const CheckResult column = check("column");
  EXPECT_EQ(column.mismatches, 1U);
  EXPECT_EQ(column.worst_index, "[4, 699, 999]");
  const CheckResult reference = check("reference");
  EXPECT_EQ(reference.mismatches, 4U);
  EXPECT_EQ(reference.worst_index, "[4, 699, 999]") << "the one that exceeds its tolerance most";
  EXPECT_THAT(check("sum").message, HasSubstr("1750001.4375"));
}

TEST_P(Checks, AnArrayIsComparedWithOneOfAnotherType) {
  prepare("float");
  EXPECT_TRUE(check("reference").ok);
  set("other", 2'500'000, 0.25);
  const CheckResult result = check("reference");
  EXPECT_EQ(result.mismatches, 1U);
  EXPECT_EQ(result.worst_index, "[3, 400, 0]");
  EXPECT_EQ(result.worst_expected, 0.25);
}

TEST_P(Checks, WhatNothingHasWrittenIsNotANumberToTheLastElement) {
  prepare("double");
  EXPECT_EQ(check("fresh").mismatches, kCount);
}

INSTANTIATE_TEST_SUITE_P(All, Checks, testing::Bool(),
                         [](const auto& hidden) { return hidden.param ? "OnADevice" : "OnTheHost"; });

}  // namespace
}  // namespace kiln
