#include "service/task_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
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

}  // namespace
}  // namespace kiln
