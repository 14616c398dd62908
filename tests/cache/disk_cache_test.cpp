#include "cache/disk_cache.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "cache/disk_cache_fixture.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using test::DiskCacheTest;
using test::expect_same;
using test::key_of;
using test::make_code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(DiskCacheTest, ColdThenWarm) {
  EXPECT_FALSE(cache_.load(key_).has_value());
  cache_.publish(key_, make_code(), label_);
  const auto first = cache_.load(key_);
  const auto second = other_.load(key_);
  ASSERT_TRUE(first && second);
  expect_same(*first, make_code());
  expect_same(*second, make_code());

  const CacheCounters counters = cache_.counters();
  EXPECT_EQ(counters.hits, 1);
  EXPECT_EQ(counters.misses, 1);
  EXPECT_EQ(counters.published, 1);
  EXPECT_EQ(counters.damaged + counters.lost_races + counters.failed_writes, 0);
  EXPECT_EQ(other_.counters().hits, 1);
  EXPECT_EQ(other_.counters().misses, 0);
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(DiskCacheTest, ALabelThatIsNotUtf8IsShownByItsBytes) {
  label_.label = "k\xe9.cu k";
  EXPECT_TRUE(cache_.publish(key_, make_code(), label_));
  EXPECT_TRUE(other_.load(key_).has_value());
  ASSERT_EQ(cache_.list().size(), 1U);
  EXPECT_EQ(cache_.list().front().label, "k\\xe9.cu k");
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(DiskCacheTest, WhatIsNotKeptIsNotCountedAsKept) {
  CodeObject code = make_code();
  code.lowered_names["k\xe9"] = "_Zk";
  EXPECT_FALSE(cache_.publish(key_, code, label_));
  EXPECT_FALSE(cache_.load(key_).has_value());
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("a kernel's name is not UTF-8")));
}

TEST_F(DiskCacheTest, EntryHasItsFilesAndNothingElseStays) {
  cache_.publish(key_, make_code(), label_);
  const std::string entry = entry_of(key_);
  EXPECT_THAT(files_.files_below("/cache/v1"),
              ElementsAre(entry + "/binary", entry + "/entry.json", entry + "/log.txt",
                          entry + "/preimage.txt", entry + "/source.cu"));
  EXPECT_EQ(files_.read_file(entry + "/source.cu"), label_.source_text);
  EXPECT_EQ(files_.read_file(entry + "/preimage.txt"), key_.preimage);
  EXPECT_EQ(files_.status("/cache")->mode, 0700);
  EXPECT_THAT(files_.list("/cache/tmp"), IsEmpty());
}

/// Its checksums detect the damage of a machine's crash; no caller waits for the disk.
TEST_F(DiskCacheTest, AllFilesAreThereBeforeItIsPublishedAndNoneIsSynced) {
  cache_.publish(key_, make_code(), label_);
  const std::vector<std::string> operations = files_.operations();
  const auto renamed = std::find_if(operations.begin(), operations.end(),
                                    [](const std::string& line) { return line.starts_with("rename "); });
  ASSERT_NE(renamed, operations.end());
  EXPECT_EQ(std::count_if(operations.begin(), renamed,
                          [](const std::string& line) { return line.starts_with("write /cache/tmp/"); }),
            5);
  EXPECT_THAT(operations, testing::Each(testing::Not(HasSubstr("sync"))));
}

TEST_F(DiskCacheTest, EmptyBinaryAndLogAreKept) {
  CodeObject code;
  code.format = "ptx";
  cache_.publish(key_, code, label_);
  const auto loaded = cache_.load(key_);
  ASSERT_TRUE(loaded.has_value());
  expect_same(*loaded, code);
}

TEST_F(DiskCacheTest, TwoKeysAreTwoEntries) {
  const CacheKey other = key_of("another kernel");
  cache_.publish(key_, make_code("one"), label_);
  cache_.publish(other, make_code("two"), label_);
  EXPECT_EQ(cache_.load(key_)->binary, "one");
  EXPECT_EQ(cache_.load(other)->binary, "two");
}

TEST_F(DiskCacheTest, LoserOfARaceUsesTheWinners) {
  files_.before_next_rename([this] { other_.publish(key_, make_code("winner"), label_); });
  cache_.publish(key_, make_code("loser"), label_);
  EXPECT_EQ(cache_.load(key_)->binary, "winner");
  EXPECT_EQ(cache_.counters().lost_races, 1);
  EXPECT_EQ(cache_.counters().published, 0);
  EXPECT_EQ(other_.counters().published, 1);
  EXPECT_THAT(files_.list("/cache/tmp"), IsEmpty());
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(DiskCacheTest, ManyThreadsManyKeysOneEntryEach) {
  constexpr int kThreads = 8;
  constexpr int kKeys = 10;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([this] {
      for (int i = 0; i < kKeys; ++i) {
        const CacheKey key = key_of(std::to_string(i));
        if (!cache_.load(key)) cache_.publish(key, make_code(std::to_string(i)), label_);
        EXPECT_EQ(cache_.load(key)->binary, std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const CacheCounters counters = cache_.counters();
  EXPECT_EQ(counters.published, kKeys);
  EXPECT_EQ(counters.damaged + counters.failed_writes, 0);
  EXPECT_EQ(counters.misses, counters.published + counters.lost_races);
  EXPECT_EQ(cache_.verify().entries, kKeys);
}

TEST_F(DiskCacheTest, ListsWhatIsThere) {
  EXPECT_THAT(cache_.list(), IsEmpty());
  clock_.advance(5);
  cache_.publish(key_, make_code(), label_);
  const auto entries = cache_.list();
  ASSERT_EQ(entries.size(), 1);
  EXPECT_EQ(entries[0].digest, key_.digest);
  EXPECT_EQ(entries[0].label, "axpy.cu axpy");
  EXPECT_EQ(entries[0].target, "cuda:sm_90");
  EXPECT_EQ(entries[0].compiler, "NVRTC 12.8");
  EXPECT_EQ(entries[0].created_ns, clock_.system_ns());
  EXPECT_EQ(entries[0].compile_seconds, make_code().compile_seconds);
  std::uint64_t bytes = 0;
  for (const std::string& path : files_.files_below(entry_of(key_))) bytes += files_.read_file(path)->size();
  EXPECT_EQ(entries[0].bytes, bytes);
}

TEST_F(DiskCacheTest, ClearRemovesEntriesOnly) {
  cache_.publish(key_, make_code(), label_);
  cache_.publish(key_of("another"), make_code(), label_);
  files_.write_file("/cache/README.md", "kept", false);
  EXPECT_EQ(cache_.clear(), 2);
  EXPECT_THAT(files_.files_below("/cache/v1"), IsEmpty());
  EXPECT_EQ(files_.read_file("/cache/README.md"), "kept");
  EXPECT_FALSE(cache_.load(key_).has_value());
  EXPECT_EQ(cache_.clear(), 0);
  cache_.publish(key_, make_code(), label_);
  EXPECT_TRUE(cache_.load(key_).has_value());
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

TEST_F(DiskCacheTest, ClearCollectsOldTemporariesOnly) {
  constexpr double kHour = 3600;
  files_.make_directories("/cache/tmp/old", true);
  files_.write_file("/cache/tmp/old/binary", "half", false);
  clock_.advance(kHour + 1);
  files_.make_directories("/cache/tmp/young", true);
  EXPECT_EQ(cache_.verify().stale_temporaries, 1);
  EXPECT_EQ(cache_.clear(), 0);
  EXPECT_THAT(files_.list("/cache/tmp"), ElementsAre("young"));
  EXPECT_EQ(cache_.verify().stale_temporaries, 0);
}

TEST_F(DiskCacheTest, AUseIsNotedByWhoeverFoundTheEntry) {
  cache_.publish(key_, make_code(), label_);
  const CacheTurn found = other_.find(key_);
  EXPECT_TRUE(found.code.has_value());
  EXPECT_TRUE(found.in_root);
  EXPECT_EQ(files_.files_below("/cache/in-use").size(), 1);
  EXPECT_EQ(other_.list()[0].hits, 0U);
  other_.note_use(key_.digest);
  EXPECT_EQ(files_.files_below("/cache/in-use").size(), 2);
  EXPECT_EQ(other_.list()[0].hits, 1U);
  EXPECT_FALSE(other_.find(key_of("another kernel")).in_root);
}

TEST_F(DiskCacheTest, WhatItHasLoadedIsMarkedWhileItLives) {
  const CacheKey second = key_of("another kernel");
  cache_.publish(key_, make_code(), label_);
  {
    DiskCache process(files_, clock_, log_, "/cache");
    EXPECT_TRUE(process.load(key_).has_value());
    EXPECT_TRUE(process.load(key_).has_value());
    EXPECT_FALSE(process.load(second).has_value());
    const auto marks = files_.files_below("/cache/in-use");
    ASSERT_EQ(marks.size(), 2);
    EXPECT_EQ(files_.read_file(marks[0]), key_.digest + "\n");
    EXPECT_EQ(files_.read_file(marks[1]), key_.digest + "\n");
  }
  EXPECT_EQ(files_.files_below("/cache/in-use").size(), 1);
}

TEST_F(DiskCacheTest, ListTellsHitsAndRegisters) {
  cache_.publish(key_, make_code(), label_);
  EXPECT_EQ(cache_.list()[0].hits, 0U);
  EXPECT_EQ(cache_.list()[0].used_ns, 0);
  EXPECT_EQ(cache_.list()[0].registers, 40);
  clock_.advance(100);
  EXPECT_TRUE(other_.load(key_).has_value());
  EXPECT_EQ(cache_.list()[0].hits, 1U);
  EXPECT_EQ(cache_.list()[0].used_ns, clock_.system_ns());
}

TEST_F(DiskCacheTest, VerifyRepairs) {
  const CacheKey second = key_of("another kernel");
  cache_.publish(key_, make_code(), label_);
  cache_.publish(second, make_code(), label_);
  files_.write_file(entry_of(key_) + "/binary", "garbage", false);
  EXPECT_EQ(cache_.verify().repaired, 0U);
  EXPECT_EQ(cache_.verify(true).repaired, 1U);
  const VerifyReport after = cache_.verify();
  EXPECT_EQ(after.entries, 1U);
  EXPECT_THAT(after.damaged, IsEmpty());
  EXPECT_TRUE(cache_.load(second).has_value());
}

TEST_F(DiskCacheTest, ClearSaysWhyItCannot) {
  cache_.publish(key_, make_code(), label_);
  files_.set_read_only(true);
  try {
    cache_.clear();
    FAIL() << "should have thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_THAT(error.what(), HasSubstr("Read-only file system"));
  }
}

TEST_F(DiskCacheTest, WorksOnTheRealDisk) {
  const auto real = make_real_file_system();
  const auto root = real->make_unique_directory(std::filesystem::temp_directory_path() / "kiln-cache-test-");
  {
    DiskCache cold(*real, clock_, log_, root);
    EXPECT_FALSE(cold.load(key_).has_value());
    cold.publish(key_, make_code(), label_);
  }
  DiskCache warm(*real, clock_, log_, root);
  const auto code = warm.load(key_);
  ASSERT_TRUE(code.has_value());
  expect_same(*code, make_code());
  EXPECT_EQ(warm.verify().entries, 1);
  EXPECT_THAT(warm.verify().damaged, IsEmpty());
  EXPECT_EQ(warm.clear(), 1);
  EXPECT_FALSE(warm.load(key_).has_value());
  EXPECT_THAT(log_.warnings(), IsEmpty());
  real->remove_all(root);
}

TEST_F(DiskCacheTest, AStopEndsTheWaitForAnotherProcess) {
  const CacheTurn held = cache_.load_or_lock(key_);
  ASSERT_TRUE(static_cast<bool>(held.lock));
  std::stop_source stop;
  stop.request_stop();
  const CacheTurn turn = other_.load_or_lock(key_, stop.get_token());
  EXPECT_TRUE(turn.waited);
  EXPECT_FALSE(turn.code.has_value());
  EXPECT_FALSE(static_cast<bool>(turn.lock));
}

}  // namespace
}  // namespace kiln
