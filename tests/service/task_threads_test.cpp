#include "service/task_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace kiln {
namespace {

TEST(TaskThreads, DoesEachTaskOnce) {
  std::vector<std::atomic<int>> done(100);
  TaskThreads threads(8, done.size(), [&](std::size_t i, const std::stop_token&) { ++done[i]; });
  threads.wait();
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(TaskThreads, NoTaskIsNothingToDo) {
  TaskThreads threads(4, 0, [](std::size_t, const std::stop_token&) { ADD_FAILURE(); });
  threads.wait();
}

TEST(TaskThreads, AWaitThatIsLimitedSaysWhetherAllAreDone) {
  std::atomic<bool> may_end = false;
  TaskThreads threads(2, 4, [&](std::size_t, const std::stop_token&) {
    while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_FALSE(threads.wait_for(std::chrono::milliseconds(1)));
  may_end = true;
  threads.wait();
  EXPECT_TRUE(threads.wait_for(std::chrono::milliseconds(0)));
}

TEST(TaskThreads, WhatHasNotBegunIsDroppedAndTheRestIsTold) {
  std::atomic<int> begun = 0;
  std::atomic<int> told = 0;
  {
    TaskThreads threads(2, 1000, [&](std::size_t, const std::stop_token& stop) {
      ++begun;
      while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++told;
    });
    while (begun < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(told, 2);
}

TEST(ForEachTask, DoesEachTaskOnceAndWaits) {
  for (const std::size_t count : {0U, 1U, 2U, 100U}) {
    std::vector<std::atomic<int>> done(count);
    for_each_task(count, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(ForEachTask, ASingleTaskRunsWhereItIsAskedFor) {
  std::thread::id ran;
  for_each_task(1, [&](std::size_t) { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(ForEachTask, ThrowsAgainWhatTheFirstOfThoseThatThrewDidOnceAllAreDone) {
  std::vector<std::atomic<int>> done(50);
  try {
    for_each_task(done.size(), [&](std::size_t i) {
      ++done[i];
      if (i == 7 || i == 31) throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "7");
  }
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace kiln
