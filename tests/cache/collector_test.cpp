#include "cache/collector.h"

#include <gmock/gmock.h>

#include "base/process_identity.h"
#include "cache/disk_cache_fixture.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using test::key_of;
using test::make_code;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr double kHour = 3600;

/// Three entries, "old", "middle" and "new", made an hour apart by a process that has ended.
class CollectorTest : public test::DiskCacheTest {
 protected:
  void SetUp() override {
    for (const char* name : {"old", "middle", "new"}) {
      publish(name);
      clock_.advance(kHour);
    }
    entry_bytes_ = cache_.collect({}).bytes / 3;
  }

  void publish(const std::string& name) {
    DiskCache ended(files_, clock_, log_, "/cache");
    ended.publish(key_of(name), make_code(), label_);
  }
  [[nodiscard]] bool has(const std::string& name) {
    return files_.status(entry_of(key_of(name))).has_value();
  }
  [[nodiscard]] std::vector<std::string> left() {
    std::vector<std::string> names;
    for (const char* name : {"old", "middle", "new"}) {
      if (has(name)) names.emplace_back(name);
    }
    return names;
  }
  /// A name as another process of this machine, which has ended, would have made it.
  [[nodiscard]] static std::string ended_owner() {
    const ProcessIdentity& self = this_process();
    return owner_prefix().substr(0, 12) + "-" + std::to_string(self.pid) + "-" +
           std::to_string(self.start + 1);
  }

  std::uint64_t entry_bytes_ = 0;
};

TEST_F(CollectorTest, WithoutALimitNothingGoes) {
  const CollectReport report = cache_.collect({});
  EXPECT_EQ(report.entries, 3U);
  EXPECT_GT(report.bytes, 3 * make_code().binary.size());
  EXPECT_EQ(report.removed_entries, 0U);
  EXPECT_EQ(left().size(), 3U);
}

TEST_F(CollectorTest, TheLeastRecentlyUsedGoFirst) {
  EXPECT_TRUE(DiskCache(files_, clock_, log_, "/cache").load(key_of("old")).has_value());
  const CollectReport report = cache_.collect({2 * entry_bytes_ + 10, {}, false});
  EXPECT_THAT(left(), UnorderedElementsAre("old", "new"));
  EXPECT_EQ(report.removed_entries, 1U);
  EXPECT_NEAR(static_cast<double>(report.removed_bytes), static_cast<double>(entry_bytes_), 2);
  EXPECT_THAT(files_.list("/cache/tmp"), IsEmpty());
}

TEST_F(CollectorTest, ByAge) {
  const CollectReport report = cache_.collect({{}, 1.5 * kHour, false});
  EXPECT_THAT(left(), UnorderedElementsAre("new"));
  EXPECT_EQ(report.removed_entries, 2U);
}

TEST_F(CollectorTest, ADryRunRemovesNothing) {
  files_.make_directories("/cache/tmp/" + ended_owner() + "-new-x", true);
  const auto before = files_.files_below("/");
  const CollectReport report = cache_.collect({0, {}, true});
  EXPECT_EQ(report.removed_entries, 3U);
  EXPECT_EQ(report.temporaries, 1U);
  EXPECT_EQ(files_.files_below("/"), before);
  EXPECT_EQ(files_.list("/cache/tmp").size(), 1U);
}

TEST_F(CollectorTest, WhatARunningProcessHasLoadedStays) {
  DiskCache running(files_, clock_, log_, "/cache");
  EXPECT_TRUE(running.load(key_of("old")).has_value());
  clock_.advance(100 * 24 * kHour);
  const CollectReport report = cache_.collect({0, kHour, false});
  EXPECT_THAT(left(), UnorderedElementsAre("old"));
  EXPECT_EQ(report.in_use, 1U);
  EXPECT_EQ(cache_.collect({0, {}, true}).in_use, 1U);
}

TEST_F(CollectorTest, WhatIsLockedStays) {
  KeyLocks locks(files_, clock_, "/cache/locks", 60);
  const KeyTurn turn = locks.take(key_of("old").digest, [] { return false; });
  EXPECT_EQ(cache_.collect({0, {}, false}).in_use, 1U);
  EXPECT_THAT(left(), UnorderedElementsAre("old"));
}

TEST_F(CollectorTest, AnEntryThatIsLoadedWhileItGoesIsPutBack) {
  DiskCache running(files_, clock_, log_, "/cache");
  files_.before_next_rename([&] { EXPECT_TRUE(running.load(key_of("old")).has_value()); });
  const CollectReport report = cache_.collect({0, {}, false});
  EXPECT_EQ(report.in_use, 1U);
  EXPECT_THAT(left(), UnorderedElementsAre("old"));
  EXPECT_TRUE(running.load(key_of("old")).has_value());
}

TEST_F(CollectorTest, MarksOfProcessesThatCannotBeSeenCountForADay) {
  const std::string mark = "/cache/in-use/000000000000-1-1-1";
  files_.make_directories("/cache/in-use", true);
  files_.write_file(mark, key_of("old").digest + "\n", false);
  clock_.advance(23 * kHour);
  EXPECT_EQ(cache_.collect({0, {}, false}).in_use, 1U);
  EXPECT_TRUE(has("old"));
  clock_.advance(2 * kHour);
  const CollectReport report = cache_.collect({0, {}, false});
  EXPECT_EQ(report.marks, 1U);
  EXPECT_FALSE(has("old"));
  EXPECT_FALSE(files_.status(mark));
}

TEST_F(CollectorTest, WhatTheDeadLeaveIsCollected) {
  const std::string tmp = "/cache/tmp/" + ended_owner() + "-new-abc";
  files_.make_directories(tmp, true);
  files_.write_file(tmp + "/binary", "half", false);
  files_.make_directories("/cache/tmp/" + owner_prefix() + "-new-def", true);
  files_.make_directories("/cache/tmp/000000000000-1-1-new-ghi", true);
  files_.make_directories("/cache/in-use", true);
  files_.write_file("/cache/in-use/" + ended_owner() + "-1", key_of("old").digest + "\n", false);
  files_.make_directories("/cache/locks", true);
  files_.write_file("/cache/locks/" + key_of("old").digest,
                    "held " + this_process().machine + " " + std::to_string(this_process().pid) + " " +
                        std::to_string(this_process().start + 1) + " 1\n",
                    false);
  const CollectReport report = cache_.collect({0, {}, false});
  EXPECT_EQ(report.temporaries, 1U);
  EXPECT_EQ(report.marks, 1U);
  EXPECT_EQ(report.locks, 1U);
  EXPECT_EQ(report.removed_entries, 3U);
  EXPECT_THAT(files_.list("/cache/tmp"),
              UnorderedElementsAre(owner_prefix() + "-new-def", "000000000000-1-1-new-ghi"));
  EXPECT_THAT(files_.list("/cache/locks"), IsEmpty());
  EXPECT_THAT(files_.list("/cache/in-use"), IsEmpty());
}

TEST_F(CollectorTest, DamagedEntriesGoLikeOthers) {
  files_.write_file(entry_of(key_of("old")) + "/entry.json", "", false);
  files_.remove_all(entry_of(key_of("middle")) + "/entry.json");
  EXPECT_EQ(cache_.collect({0, {}, false}).removed_entries, 3U);
}

TEST_F(CollectorTest, ADiskThatRefusesIsSaid) {
  files_.set_read_only(true);
  EXPECT_THROW(cache_.collect({0, {}, false}), Error);
}

TEST_F(CollectorTest, AFolderThatIsNotTrustedIsLeftAlone) {
  files_.set_mode("/cache", 0777);
  EXPECT_EQ(cache_.collect({0, {}, false}).removed_entries, 0U);
  EXPECT_EQ(left().size(), 3U);
}

}  // namespace
}  // namespace kiln
