#include "cache/size_cap.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/process_identity.h"
#include "cache/disk_cache_fixture.h"

namespace kiln {
namespace {

using test::key_of;
using test::make_code;

constexpr std::uint64_t kCap = 100'000;

class SizeCapTest : public test::DiskCacheTest {
 protected:
  DiskCacheOptions options(std::uint64_t cap = kCap) {
    DiskCacheOptions wanted{"/cache"};
    wanted.max_bytes = cap;
    return wanted;
  }
  /// As a process of its own would, which ends afterwards.
  void publish(const std::string& name, std::uint64_t cap = kCap) {
    clock_.advance(1);
    DiskCache process(files_, clock_, log_, options(cap));
    process.publish(key_of(name), make_code(std::string(9'000, 'b')), label_);
  }
  [[nodiscard]] bool has(int i) { return files_.status(entry_of(key_of(std::to_string(i)))).has_value(); }
  [[nodiscard]] std::uint64_t bytes() { return cache_.collect({}).bytes; }
};

TEST_F(SizeCapTest, HoldsOverManyProcesses) {
  for (int i = 0; i < 40; ++i) {
    publish(std::to_string(i));
    EXPECT_LE(bytes(), kCap) << i;
    EXPECT_TRUE(has(i));
  }
  EXPECT_GT(bytes(), kCap / 2);
  EXPECT_FALSE(has(0));
  EXPECT_TRUE(has(36));
  EXPECT_TRUE(log_.warnings().empty());
}

TEST_F(SizeCapTest, WhatWasUsedLastStays) {
  for (int i = 0; i < 9; ++i) publish(std::to_string(i));
  clock_.advance(100);
  EXPECT_TRUE(DiskCache(files_, clock_, log_, "/cache").load(key_of("0")).has_value());
  for (int i = 9; i < 14; ++i) publish(std::to_string(i));
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(has(1));
}

/// 64 small kernels of one job are one entry in the books, not 64.
TEST_F(SizeCapTest, AProcessWritesWhatItPublishedOnceASecondAndAtItsEnd) {
  constexpr std::uint64_t kLargeCap = 1'000'000'000;
  const auto counted = [&] { return std::stoull(files_.read_file("/cache/usage").value_or("0")); };
  {
    DiskCache process(files_, clock_, log_, options(kLargeCap));
    const auto publish_one = [&](const std::string& name) {
      process.publish(key_of(name), make_code(std::string(9'000, 'b')), label_);
    };
    publish_one("first");
    const auto first = counted();
    EXPECT_GT(first, 9'000U);
    publish_one("second");
    EXPECT_EQ(counted(), first);
    clock_.advance(1.1);
    publish_one("third");
    EXPECT_GT(counted(), 27'000U);
    publish_one("fourth");
    EXPECT_LT(counted(), 36'000U);
  }
  EXPECT_GT(counted(), 36'000U);
  EXPECT_LT(counted(), 48'000U);
}

TEST_F(SizeCapTest, WithoutACapNothingIsCounted) {
  for (int i = 0; i < 20; ++i) publish(std::to_string(i), 0);
  EXPECT_GT(bytes(), kCap);
  EXPECT_FALSE(files_.status("/cache/usage"));
}

TEST_F(SizeCapTest, OneProcessMayExceedItWithWhatItUses) {
  DiskCache process(files_, clock_, log_, options());
  for (int i = 0; i < 20; ++i)
    process.publish(key_of(std::to_string(i)), make_code(std::string(9'000, 'b')), label_);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(has(i));
}

TEST_F(SizeCapTest, ALostOrWrongCountIsMadeAnew) {
  for (int i = 0; i < 9; ++i) publish(std::to_string(i));
  for (const std::string text : {"", "nonsense", "12", "-5 x", "5 99999999999999999999"}) {
    files_.write_file("/cache/usage", text, false);
    publish("a" + text);
    EXPECT_LE(bytes(), kCap) << text;
  }
  files_.write_file("/cache/usage", "1 " + std::to_string(clock_.system_ns()) + "\n", false);
  clock_.advance(601);
  publish("b");
  EXPECT_LE(bytes(), kCap);
}

TEST_F(SizeCapTest, TheFolderIsNotWalkedAtEachPublish) {
  publish("first");
  const auto count_before = files_.read_file("/cache/usage");
  publish("second");
  const auto count_after = files_.read_file("/cache/usage");
  ASSERT_TRUE(count_before && count_after);
  const auto walked = [](const std::string& text) { return text.substr(text.find(' ')); };
  EXPECT_EQ(walked(*count_before), walked(*count_after));
  EXPECT_NE(*count_before, *count_after);
}

TEST_F(SizeCapTest, AWalkCollectsWhatTheDeadLeft) {
  const std::string left =
      "/cache/tmp/" + owner_prefix().substr(0, 12) + "-" + std::to_string(this_process().pid) + "-1-new-abc";
  publish("first");
  files_.make_directories(left, true);
  publish("second");
  EXPECT_TRUE(files_.status(left));
  clock_.advance(601);
  publish("third");
  EXPECT_FALSE(files_.status(left));
}

TEST_F(SizeCapTest, ACapBelowOneEntryKeepsTheNewest) {
  for (int i = 0; i < 4; ++i) publish(std::to_string(i), 10);
  EXPECT_TRUE(has(3));
  EXPECT_EQ(cache_.collect({}).entries, 1U);
}

}  // namespace
}  // namespace kiln
