#include "record/known_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/sample_records.h"

namespace kiln {
namespace {

Record record_of(const std::string& run, const std::string& block) {
  Record record = test::ok_record("block_x=" + block, 1);
  record.run_id = run;
  record.parameters.push_back({"block", block, true, false});
  return record;
}

std::vector<bool> found(const std::vector<Record>& kept, const std::vector<Record>& wanted) {
  std::vector<bool> result;
  for (const auto& known : find_known_records(kept, wanted)) result.push_back(known.has_value());
  return result;
}

TEST(KnownRecords, AreThoseOfTheSameVariantInTheOrderThatIsWanted) {
  const Record a = record_of("1", "32");
  const Record b = record_of("1", "64");
  const Record c = record_of("1", "128");
  const auto known = find_known_records({a, b}, {c, b, a});
  EXPECT_FALSE(known[0]);
  ASSERT_TRUE(known[1] && known[2]);
  EXPECT_EQ(known[1]->parameters.back().value, "64");
  EXPECT_EQ(known[2]->parameters.back().value, "32");
}

TEST(KnownRecords, TheNewestOfAVariantCountsWhateverItsRunAndPlace) {
  Record old_a = record_of("1", "32");
  Record new_a = record_of("2", "32");
  new_a.time = "2026-11-21T09:36:00.000Z";
  const Record b = record_of("1", "64");
  const std::vector<Record> wanted = {record_of("", "32"), record_of("", "64")};
  for (const auto& kept : {std::vector{old_a, b, new_a}, std::vector{new_a, b, old_a}}) {
    const auto known = find_known_records(kept, wanted);
    ASSERT_TRUE(known[0] && known[1]);
    EXPECT_EQ(known[0]->run_id, "2");
    EXPECT_EQ(known[1]->run_id, "1");
  }
}

TEST(KnownRecords, WhatWasNotRunIsNotKnownAndWhatFailedIs) {
  Record not_run = record_of("1", "32");
  not_run.status = RunStatus::kNotRun;
  Record wrong = record_of("1", "64");
  wrong.status = RunStatus::kWrong;
  EXPECT_EQ(found({not_run, wrong}, {record_of("", "32"), record_of("", "64")}),
            (std::vector<bool>{false, true}));
}

TEST(KnownRecords, EverythingThatDecidesTheResultCounts) {
  const Record base = record_of("1", "32");
  const auto differs = [&](auto change) {
    Record other = base;
    change(other);
    return !find_known_records({base}, {other})[0].has_value();
  };
  EXPECT_FALSE(differs([](Record&) {}));
  EXPECT_FALSE(differs([](Record& r) { r.time = "another"; }));
  EXPECT_TRUE(differs([](Record& r) { r.kiln_revision = "other"; }));
  EXPECT_TRUE(differs([](Record& r) { r.source_digest = "other"; }));
  EXPECT_TRUE(differs([](Record& r) { r.device.id = "cuda:1"; }));
  EXPECT_TRUE(differs([](Record& r) { r.device.driver = "1.0"; }));
  EXPECT_TRUE(differs([](Record& r) { r.device.memory_bandwidth = 4800; }));
  EXPECT_TRUE(differs([](Record& r) { ++r.device.compute_units; }));
  EXPECT_TRUE(differs([](Record& r) { r.device.limits.max_shared_bytes_per_block = 1; }));
  EXPECT_FALSE(differs([](Record& r) { ++r.device.memory_bytes; }));
  EXPECT_TRUE(differs([](Record& r) { r.compiler.version = "99"; }));
  EXPECT_TRUE(differs([](Record& r) { r.parameters.back().compile_time = false; }));
  EXPECT_TRUE(differs([](Record& r) { r.parameters.back().value = "33"; }));
  EXPECT_TRUE(differs([](Record& r) { r.fast_math = !r.fast_math; }));
  EXPECT_TRUE(differs([](Record& r) { r.launch_bounds = !r.launch_bounds; }));
  EXPECT_TRUE(differs([](Record& r) { r.lineinfo = !r.lineinfo; }));
  EXPECT_TRUE(differs([](Record& r) { ++r.seed; }));
  EXPECT_TRUE(differs([](Record& r) { r.cache_mode = "other"; }));
}

TEST(KnownRecords, NumbersCompareAsTheyReadInAFile) {
  Record wanted = record_of("", "32");
  wanted.parameters.back().value = "2.50";
  Record kept = record_of("1", "32");
  kept.parameters.back().value = "2.5";
  EXPECT_EQ(found({kept}, {wanted}), std::vector<bool>{true});
}

}  // namespace
}  // namespace kiln
