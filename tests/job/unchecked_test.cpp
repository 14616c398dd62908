#include "trial/unchecked.h"

#include <gmock/gmock.h>

#include "job/job_fixture.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::JobTest;
using testing::HasSubstr;

constexpr const char* kJob =
    "workload: scale\nmeasure: {min_time: 0.01 s, max_time: 1 s, min_samples: 5, max_samples: 50}\n";
constexpr const char* kGoodCheck =
    "    - {name: reference, buffer: y, reference: {kernel: scale_reference, buffer: y_reference}, rtol: "
    "1e-12}\n";

/// The small workload with other checks.
class UncheckedTest : public JobTest {
 protected:
  /// `verify` is the whole section; empty: none.
  void set_verify(const std::string& verify) {
    std::string text = test::kScaleYaml;
    const std::size_t begin = text.find("verify:");
    const std::size_t end = text.find("metrics:");
    disk_.files.write_file("/kernels/scale/scale.yaml", text.replace(begin, end - begin, verify), false);
  }
  void set_checks(const std::string& checks) { set_verify("verify:\n  checks:\n" + checks); }

  Record only() {
    const auto records = run(kJob);
    EXPECT_EQ(records.size(), 1U);
    return records.at(0);
  }
};

struct UncheckedCase {
  const char* checks;
  const char* reason;
  bool known_before = true;  ///< `kiln validate` can say it
};

class WithoutEffect : public UncheckedTest, public testing::WithParamInterface<UncheckedCase> {};

TEST_P(WithoutEffect, TheVariantIsMeasuredAndUnchecked) {
  set_verify(GetParam().checks);
  const Record record = only();
  EXPECT_EQ(record.status, RunStatus::kUnchecked);
  EXPECT_THAT(record.message, HasSubstr(GetParam().reason));
  EXPECT_TRUE(record.step);
  EXPECT_EQ(record.metrics.size(), 1U);
  for (const CheckResult& check : record.checks) {
    EXPECT_EQ(check.compared, 0U);
    EXPECT_EQ(check.worst_index, "");
  }
  const JobPlan planned = plan(kJob);
  const auto before = why_unchecked(planned.variants.at(0).configuration, disk_.files);
  EXPECT_EQ(before, GetParam().known_before ? std::optional(record.message) : std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
    Checks, WithoutEffect,
    testing::Values(
        UncheckedCase{"", "the workload has no check"},
        UncheckedCase{"verify: {checks: []}\n", "the workload has no check"},
        UncheckedCase{"verify: {checks: [{buffer: y, expected: 0, when: n > 5000}]}\n", "no check applies"},
        UncheckedCase{
            "verify: {checks: [{buffer: y, expected: {file: {path: '{input}', optional: true}}}]}\n",
            "y: compared nothing: there is no expected value in the input"},
        UncheckedCase{"verify: {checks: [{buffer: y, file: {path: '{input}', optional: true}}]}\n",
                      "y: compared nothing: there is no expected value in the input"},
        UncheckedCase{"verify: {checks: [{buffer: y, expected: 0, region: [[5, 5]]}]}\n",
                      "y: compared nothing: the region is empty"},
        UncheckedCase{"verify: {checks: [{buffer: y, reduce: sum, expected: 0, region: [[5, 5]]}]}\n",
                      "y: compared nothing: the region is empty"},
        UncheckedCase{"verify: {checks: [{buffer: y, expected: 77, skip_below: 1e9}]}\n",
                      "y: compared nothing: all elements are below skip_below (1000000000)", false}));

TEST_F(UncheckedTest, OneCheckThatComparesIsEnough) {
  set_checks(std::string(kGoodCheck) + "    - {name: none, buffer: y, expected: 0, region: [[5, 5]]}\n");
  const Record record = only();
  EXPECT_EQ(record.status, RunStatus::kOk) << record.message;
  EXPECT_EQ(record.checks.at(1).compared, 0U);
  EXPECT_EQ(why_unchecked(plan(kJob).variants.at(0).configuration, disk_.files), std::nullopt);
}

TEST_F(UncheckedTest, AWrongResultStaysWrongBesideAnEmptyCheck) {
  set_checks(
      "    - {name: none, buffer: y, expected: 0, region: [[5, 5]]}\n"
      "    - {name: one, buffer: y, expected: 0, region: [[5, 6]]}\n");
  EXPECT_EQ(only().status, RunStatus::kWrong);
}

TEST_F(UncheckedTest, EachVariantIsJudgedByItsOwnChecks) {
  set_checks("    - {name: small, buffer: y, expected: 3, region: [[0, 1]], when: block < 64}\n");
  const auto records = run(std::string(kJob) + "sweep: {block: [32, 64]}\n");
  EXPECT_EQ(records.at(0).status, RunStatus::kOk) << records[0].message;
  EXPECT_EQ(records.at(1).status, RunStatus::kUnchecked);
}

struct ToleranceCase {
  const char* tolerance;
  const char* message;
};

class AbsurdTolerance : public UncheckedTest, public testing::WithParamInterface<ToleranceCase> {};

TEST_P(AbsurdTolerance, IsRefusedWithItsPlaceBeforeAnythingIsCompiled) {
  set_verify(std::string("verify:\n  checks:\n    - {name: c, buffer: y, expected: 3, ") +
             GetParam().tolerance + "}\n");
  const std::string message = bad_input_of([this] { run(kJob); });
  EXPECT_THAT(message, HasSubstr("/kernels/scale/scale.yaml:28:"));  // line and column of the value
  EXPECT_THAT(message, HasSubstr("verify.checks[0]."));
  EXPECT_THAT(message, HasSubstr(GetParam().message));
  EXPECT_EQ(compiler_.compiles(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Tolerances, AbsurdTolerance,
    testing::Values(ToleranceCase{"rtol: 1", "rtol: expected a number of at least 0 and below 1"},
                    ToleranceCase{"rtol: 1e9", "zeros agree with any result); '1e9' is"},
                    ToleranceCase{"rtol: 'n / 500'", "'n / 500' is 2"},
                    ToleranceCase{"rtol: -1e-9", "rtol: expected"},
                    ToleranceCase{"rtol: nan", "expected a finite number; found 'nan'"},
                    ToleranceCase{"atol: inf", "expected a finite number; found 'inf'"},
                    ToleranceCase{"atol: -1", "atol: expected a number of at least 0; found -1"},
                    ToleranceCase{"skip_below: inf", "expected a finite number; found 'inf'"},
                    ToleranceCase{"skip_below: -1", "skip_below: expected a number of at least 0"}));

TEST_F(UncheckedTest, AToleranceOfACheckThatDoesNotApplyIsNotEvaluated) {
  set_checks(std::string(kGoodCheck) + "    - {buffer: y, expected: 3, rtol: 'n / 10', when: n < 10}\n");
  EXPECT_EQ(only().status, RunStatus::kOk);
}

}  // namespace
}  // namespace kiln
