#include "report/portability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "kiln/error.h"
#include "report/device_records.h"

namespace kiln {
namespace {

using test::result;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kExact = 1e-12;

TEST(HarmonicMean, IsTheInverseOfTheMeanInverse) {
  EXPECT_NEAR(harmonic_mean(std::array{1.0, 0.5}), 2 / (1 + 2.0), kExact);
  EXPECT_NEAR(harmonic_mean(std::array{0.25, 0.5, 1.0}), 3.0 / 7, kExact);
}

TEST(HarmonicMean, IsZeroWithADeviceThatIsNotSupported) {
  EXPECT_EQ(harmonic_mean(std::array{1.0, 0.0, 1.0}), 0);
  EXPECT_EQ(harmonic_mean(std::array<double, 0>{}), 0);
}

TEST(HarmonicMean, OfOneDeviceIsItsEfficiency) {
  EXPECT_EQ(harmonic_mean(std::array{0.75}), 0.75);
  EXPECT_EQ(arithmetic_mean(std::array{0.75}), 0.75);
}

TEST(ArithmeticMean, CountsADeviceThatIsNotSupportedAsZero) {
  EXPECT_NEAR(arithmetic_mean(std::array{1.0, 0.5}), 0.75, kExact);
  EXPECT_NEAR(arithmetic_mean(std::array{1.0, 0.0}), 0.5, kExact);
  EXPECT_EQ(arithmetic_mean(std::array<double, 0>{}), 0);
}

const PortabilityRow& row_of(const Portability& report, std::string_view application) {
  for (const PortabilityRow& row : report.rows) {
    if (row.application == application) return row;
  }
  throw std::runtime_error("no row " + std::string(application));
}

/// On A block 64 is best, on B block 256.
std::vector<Record> two_devices() {
  return {result("block=64", "A", 100), result("block=256", "A", 80), result("block=64", "B", 50),
          result("block=256", "B", 200)};
}

TEST(CompareDevices, VariantsAgainstTheBestOfEachDevice) {
  const std::vector<Record> records = two_devices();
  const Portability report = compare_devices(records, {}, {});
  EXPECT_THAT(report.devices, ElementsAre("A", "B"));
  ASSERT_EQ(report.rows.size(), 3U);
  const PortabilityRow& best = row_of(report, kBestVariant);
  EXPECT_EQ(best.figure, (Figure{"effective_bandwidth", "GB/s", true}));
  EXPECT_EQ(best.devices[0].best->label, "block=64");
  EXPECT_EQ(best.devices[1].best->label, "block=256");
  EXPECT_EQ(best.harmonic, 1);
  const PortabilityRow& small = row_of(report, "block=64");
  EXPECT_EQ(small.devices[0].efficiency, 1);
  EXPECT_EQ(small.devices[1].efficiency, 0.25);
  EXPECT_NEAR(*small.harmonic, 2 / (1 + 4.0), kExact);
  EXPECT_NEAR(*small.arithmetic, 0.625, kExact);
  EXPECT_NEAR(*row_of(report, "block=256").harmonic, 2 / (1 / 0.8 + 1), kExact);
}

TEST(CompareDevices, WrongOnADeviceIsZero) {
  std::vector<Record> records = two_devices();
  records[2] = test::on_device(test::wrong_record("block=64"), "B", "cuda", 0);
  const Portability report = compare_devices(records, {}, {});
  const PortabilityRow& small = row_of(report, "block=64");
  EXPECT_EQ(small.devices[1].status, "wrong");
  EXPECT_EQ(small.devices[1].efficiency, 0);
  EXPECT_EQ(small.harmonic, 0);
  EXPECT_EQ(small.arithmetic, 0.5);
  EXPECT_EQ(row_of(report, kBestVariant).harmonic, 1);
}

TEST(CompareDevices, ADeviceWithoutARecordIsNotSupported) {
  std::vector<Record> records = two_devices();
  records.pop_back();
  const Portability report = compare_devices(records, {}, {});
  const PortabilityRow& large = row_of(report, "block=256");
  EXPECT_EQ(large.devices[1].status, "no record");
  EXPECT_EQ(large.harmonic, 0);
  EXPECT_NEAR(*large.arithmetic, 0.4, kExact);
}

TEST(CompareDevices, WhatWasNotMeasuredIsNotUnsupported) {
  std::vector<Record> records = two_devices();
  records[2].metrics.clear();
  const Portability report = compare_devices(records, {}, {});
  const PortabilityRow& small = row_of(report, "block=64");
  EXPECT_EQ(small.devices[1].status, "not measured");
  EXPECT_FALSE(small.devices[1].efficiency);
  EXPECT_FALSE(small.harmonic);
  EXPECT_FALSE(small.arithmetic);
  EXPECT_EQ(row_of(report, kBestVariant).harmonic, 1);
}

TEST(CompareDevices, AFailedVariantSaysHow) {
  const std::vector<Record> records = {result("a=1", "A", 1),
                                       test::on_device(test::uncompiled_record("a=1"), "B", "hip", 0)};
  const Portability report = compare_devices(records, {}, {});
  ASSERT_EQ(report.rows.size(), 1U);
  EXPECT_EQ(report.rows[0].devices[1].status, "compile failed");
  EXPECT_EQ(report.rows[0].harmonic, 0);
}

TEST(CompareDevices, AReferenceIsTheBaseline) {
  const std::vector<Record> records = two_devices();
  const std::vector<Record> vendor = {result("", "A", 125), result("", "B", 160)};
  const Portability report = compare_devices(records, vendor, {});
  const PortabilityRow& best = row_of(report, kBestVariant);
  EXPECT_NEAR(*best.devices[0].efficiency, 0.8, kExact);
  EXPECT_NEAR(*best.devices[1].efficiency, 1.25, kExact);
  EXPECT_NEAR(*best.arithmetic, 1.025, kExact);
  EXPECT_NEAR(*best.harmonic, 2 / (1 / 0.8 + 1 / 1.25), kExact);
  EXPECT_TRUE(report.has_reference);
}

TEST(CompareDevices, WithoutAReferenceForADeviceThereIsNoMean) {
  const std::vector<Record> records = two_devices();
  const std::vector<Record> vendor = {result("", "A", 125)};
  const Portability report = compare_devices(records, vendor, {});
  const PortabilityRow& best = row_of(report, kBestVariant);
  EXPECT_FALSE(best.devices[1].efficiency);
  EXPECT_FALSE(best.harmonic);
  EXPECT_FALSE(best.arithmetic);
  EXPECT_THAT(report.notes, Contains(HasSubstr("no reference for stencil7")));
}

TEST(CompareDevices, LowerIsBetterForTimes) {
  std::vector<Record> records = two_devices();
  for (Record& record : records) record.metrics.front().higher_is_better = false;
  const Portability report = compare_devices(records, {}, {});
  const PortabilityRow& small = row_of(report, "block=64");
  EXPECT_EQ(small.devices[0].efficiency, 0.8);
  EXPECT_EQ(small.devices[1].efficiency, 1);
}

TEST(CompareDevices, TheTimeOfAStepWhereThereIsNoMetric) {
  std::vector<Record> records = {result("v=1", "A", 0), result("v=2", "A", 0)};
  for (Record& record : records) record.metrics.clear();
  records[1].step->median = 0.002;
  const Portability report = compare_devices(records, {}, {});
  EXPECT_EQ(report.rows.front().figure, (Figure{"time", "s", false}));
  EXPECT_EQ(row_of(report, "v=2").devices[0].efficiency, 0.5);
}

TEST(CompareDevices, ProblemsThatDifferAreNotCompared) {
  const std::vector<Record> records = {test::with(result("", "A", 10), "nx", "64"),
                                       test::with(result("", "A", 40), "nx", "128")};
  const Portability report = compare_devices(records, {}, {});
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_EQ(report.rows[0].problem_text, "T=double nx=64");
  EXPECT_EQ(report.rows[1].problem_text, "T=double nx=128");
  EXPECT_EQ(report.rows[0].devices[0].efficiency, 1);
}

TEST(CompareDevices, ASetOfDevicesByPartsOfTheirNames) {
  const std::vector<Record> records = {result("", "NVIDIA H200", 1), result("", "NVIDIA A100", 1),
                                       result("", "AMD EPYC", 1, "cpu")};
  EXPECT_THAT(compare_devices(records, {}, {{"epyc", "H200"}, {}, ""}).devices,
              ElementsAre("AMD EPYC", "NVIDIA H200"));
  EXPECT_THAT(compare_devices(records, {}, {{"cpu"}, {}, ""}).devices, ElementsAre("AMD EPYC"));
}

std::string refusal(const PortabilityOptions& options) {
  try {
    static_cast<void>(
        compare_devices({result("", "NVIDIA H200", 1), result("", "NVIDIA H100", 1)}, {}, options));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

TEST(CompareDevices, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_THAT(refusal({{"NVIDIA H20"}, {}, ""}), IsEmpty()) << "a part of one name";
  EXPECT_THAT(refusal({{"nvidia"}, {}, ""}), HasSubstr("may be any of NVIDIA H200, NVIDIA H100"));
  EXPECT_THAT(refusal({{"MI300A"}, {}, ""}), HasSubstr("no record is of 'MI300A'"));
  EXPECT_THAT(refusal({{}, {"nxx"}, ""}), HasSubstr("did you mean 'nx'?"));
  EXPECT_THAT(refusal({{}, {}, "bandwith"}), HasSubstr("--metric: no record has 'bandwith'"));
}

}  // namespace
}  // namespace kiln
