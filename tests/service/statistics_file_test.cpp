#include "service/statistics_file.h"

#include <gtest/gtest.h>

#include <system_error>
#include <thread>
#include <vector>

#include "base/file.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

ServiceCounters some(std::uint64_t scale) {
  ServiceCounters counters;
  counters.memory_hits = scale;
  counters.disk_hits = 2 * scale;
  counters.compiled = 3 * scale;
  counters.waited = 4 * scale;
  counters.waited_processes = 5 * scale;
  counters.failed = 6 * scale;
  counters.bytes_read = 7 * scale;
  counters.bytes_written = 8 * scale;
  const auto seconds = static_cast<double>(scale);
  counters.read_seconds = 0.25 * seconds;
  counters.write_seconds = 0.5 * seconds;
  counters.compile_seconds = 0.75 * seconds;
  counters.wait_seconds = 1.25 * seconds;
  counters.failed_seconds = 1.5 * seconds;
  counters.load_seconds = 1.75 * seconds;
  return counters;
}

void expect_some(const ServiceCounters& counters, std::uint64_t scale) {
  const ServiceCounters expected = some(scale);
  EXPECT_EQ(counters.memory_hits, expected.memory_hits);
  EXPECT_EQ(counters.disk_hits, expected.disk_hits);
  EXPECT_EQ(counters.compiled, expected.compiled);
  EXPECT_EQ(counters.waited, expected.waited);
  EXPECT_EQ(counters.waited_processes, expected.waited_processes);
  EXPECT_EQ(counters.failed, expected.failed);
  EXPECT_EQ(counters.bytes_read, expected.bytes_read);
  EXPECT_EQ(counters.bytes_written, expected.bytes_written);
  EXPECT_EQ(counters.read_seconds, expected.read_seconds);
  EXPECT_EQ(counters.write_seconds, expected.write_seconds);
  EXPECT_EQ(counters.compile_seconds, expected.compile_seconds);
  EXPECT_EQ(counters.wait_seconds, expected.wait_seconds);
  EXPECT_EQ(counters.failed_seconds, expected.failed_seconds);
  EXPECT_EQ(counters.load_seconds, expected.load_seconds);
}

class StatisticsFileTest : public testing::Test {
 protected:
  StatisticsFileTest() { files_.make_directories("/cache", true); }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  StatisticsFile file_{files_, clock_, "/cache"};
};

TEST_F(StatisticsFileTest, RunsAddUp) {
  EXPECT_EQ(file_.read().runs, 0U);
  const std::int64_t first = clock_.system_ns();
  file_.add(some(1));
  clock_.advance(5);
  StatisticsFile(files_, clock_, "/cache").add(some(10));
  const StoredStatistics sum = file_.read();
  EXPECT_EQ(sum.runs, 2U);
  EXPECT_EQ(sum.since_ns, first);
  EXPECT_EQ(sum.unreadable, 0U);
  expect_some(sum.counters, 11);
}

TEST_F(StatisticsFileTest, NothingIsWrittenForNothingAndWhereNoCacheIs) {
  file_.add({});
  StatisticsFile(files_, clock_, "/other").add(some(1));
  EXPECT_TRUE(files_.files_below("/cache").empty());
  EXPECT_FALSE(files_.status("/other"));
}

TEST_F(StatisticsFileTest, DamageCostsItsLinesOnly) {
  file_.add(some(1));
  file_.add(some(2));
  const std::string text = *files_.read_file("/cache/statistics");
  for (std::size_t i = 0; i < text.size() / 2; ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    files_.write_file("/cache/statistics", damaged, false);
    if (text[i] == '\n') continue;
    const StoredStatistics sum = file_.read();
    EXPECT_EQ(sum.unreadable, 1U) << i;
    expect_some(sum.counters, 2);
  }
  files_.write_file("/cache/statistics", text.substr(0, text.size() / 4), false);
  file_.add(some(3));
  expect_some(file_.read().counters, 3);
  EXPECT_EQ(file_.read().unreadable, 1U);
}

TEST_F(StatisticsFileTest, AFileThatGrowsIsMerged) {
  std::uint64_t runs = 0;
  std::uint64_t largest = 0;
  for (; runs < 1000; ++runs) {
    file_.add(some(1));
    largest = std::max(largest, files_.status("/cache/statistics")->size);
  }
  EXPECT_LT(largest, 80U << 10U);
  EXPECT_EQ(files_.files_below("/cache").size(), 1U);
  EXPECT_EQ(file_.read().runs, runs);
  expect_some(file_.read().counters, runs);
}

TEST_F(StatisticsFileTest, WhatAnInterruptedMergeLeftCountsAndIsMergedLater) {
  file_.add(some(1));
  ASSERT_TRUE(files_.rename("/cache/statistics", "/cache/statistics.old-0-1-2-3"));
  file_.add(some(2));
  expect_some(file_.read().counters, 3);
  clock_.advance(7200);
  std::uint64_t sum = 3;
  for (; files_.files_below("/cache").size() > 1 && sum < 1000; ++sum) file_.add(some(1));
  EXPECT_LT(sum, 1000U);
  expect_some(file_.read().counters, sum);
}

TEST_F(StatisticsFileTest, ADiskThatRefusesIsNoMatter) {
  files_.set_full(true);
  file_.add(some(1));
  files_.set_full(false);
  files_.set_read_only(true);
  file_.add(some(1));
  files_.set_read_only(false);
  files_.add_symlink("/cache/link", "/elsewhere");
  file_.add(some(1));
  expect_some(file_.read().counters, 1);
  files_.remove_all("/cache/statistics");
  files_.add_symlink("/cache/statistics", "/elsewhere");
  file_.add(some(1));
  EXPECT_FALSE(files_.status("/elsewhere"));
}

TEST_F(StatisticsFileTest, ResetForgets) {
  file_.add(some(1));
  file_.reset();
  EXPECT_EQ(file_.read().runs, 0U);
  file_.add(some(2));
  expect_some(file_.read().counters, 2);
}

TEST(StatisticsOnDisk, NoLineOfManyProcessesIsLost) {
  const auto files = make_real_file_system();
  const auto clock = make_system_clock();
  const auto folder =
      files->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_statistics_");
  constexpr std::uint64_t kThreads = 8;
  constexpr std::uint64_t kRuns = 20;  // stays below the size at which lines are merged
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        StatisticsFile file(*files, *clock, folder);  // one of its own, as a process would have
        for (std::uint64_t i = 0; i < kRuns; ++i) file.add(some(1));
      });
    }
  }
  const StoredStatistics sum = StatisticsFile(*files, *clock, folder).read();
  files->remove_all(folder);
  EXPECT_EQ(sum.unreadable, 0U);
  expect_some(sum.counters, kThreads * kRuns);
}

}  // namespace
}  // namespace kiln
