#include "service/finishing_tasks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace kiln {
namespace {

TEST(FinishingTasks, NobodyWaitsForThemButTheEndDoes) {
  std::atomic<int> done{0};
  {
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    FinishingTasks tasks;
    for (int i = 0; i < 20; ++i) {
      tasks.add([&done, gone] {
        gone.wait();
        ++done;
      });
    }
    EXPECT_EQ(done, 0);
    go.set_value();
  }
  EXPECT_EQ(done, 20);
}

TEST(FinishingTasks, FinishWaitsForAllThatWasAdded) {
  std::atomic<int> done{0};
  FinishingTasks tasks;
  tasks.finish();
  for (int round = 1; round <= 50; ++round) {
    for (int i = 0; i < 10; ++i) tasks.add([&done] { ++done; });
    tasks.finish();
    EXPECT_EQ(done, 10 * round);
  }
}

TEST(FinishingTasks, FinishDoesNotWaitForWhatIsAddedLater) {
  std::promise<void> first, later;
  const std::shared_future<void> first_may_end = first.get_future().share();
  const std::shared_future<void> later_may_end = later.get_future().share();
  FinishingTasks tasks;
  tasks.add([first_may_end] { first_may_end.wait(); });
  std::atomic<bool> waits{false};
  std::future<void> finished = std::async(std::launch::async, [&] {
    waits = true;
    tasks.finish();
  });
  while (!waits) std::this_thread::yield();
  EXPECT_EQ(finished.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  tasks.add([later_may_end] { later_may_end.wait(); });
  first.set_value();
  finished.get();
  later.set_value();
}

TEST(FinishingTasks, AFewRunAtOnce) {
  std::atomic<int> at_once{0}, most{0};
  {
    FinishingTasks tasks;
    for (int i = 0; i < 40; ++i) {
      tasks.add([&] {
        const int now = ++at_once;
        int seen = most;
        while (seen < now && !most.compare_exchange_weak(seen, now)) continue;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --at_once;
      });
    }
  }
  EXPECT_GE(most, 2);
  EXPECT_LE(most, 4);
}

}  // namespace
}  // namespace kiln
