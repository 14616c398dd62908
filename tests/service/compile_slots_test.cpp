#include "service/compile_slots.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace kiln {
namespace {

void let_others_run() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

class CompileSlotsTest : public testing::Test {
 protected:
  /// A thread that waits for a slot and then adds its key to the order.
  std::thread waiter(const std::string& key, Urgency urgency, const std::stop_token& stop = {}) {
    std::thread thread([this, key, urgency, stop] {
      const CompileSlot slot = slots_.take(key, urgency, stop);
      const std::lock_guard lock(mutex_);
      order_ += slot ? key : "-";
    });
    let_others_run();  // it is in the queue before the next one
    return thread;
  }

  CompileSlots slots_{1};
  std::mutex mutex_;
  std::string order_;
};

TEST_F(CompileSlotsTest, WantedGoesFirstThenInOrder) {
  CompileSlot held = slots_.take("x", Urgency::kWanted);
  std::vector<std::thread> threads;
  threads.push_back(waiter("a", Urgency::kAhead));
  threads.push_back(waiter("b", Urgency::kAhead));
  threads.push_back(waiter("c", Urgency::kWanted));
  threads.push_back(waiter("d", Urgency::kWanted));
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order_, "cdab");
}

TEST_F(CompileSlotsTest, OneThatIsRaisedGoesFirst) {
  CompileSlot held = slots_.take("x", Urgency::kWanted);
  std::vector<std::thread> threads;
  threads.push_back(waiter("a", Urgency::kAhead));
  threads.push_back(waiter("b", Urgency::kAhead));
  slots_.raise("b");
  held.reset();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order_, "ba");
}

TEST_F(CompileSlotsTest, AStopEndsTheWait) {
  CompileSlot held = slots_.take("x", Urgency::kWanted);
  std::stop_source stop;
  std::vector<std::thread> threads;
  threads.push_back(waiter("a", Urgency::kAhead, stop.get_token()));
  threads.push_back(waiter("b", Urgency::kAhead, stop.get_token()));
  slots_.raise("b");
  stop.request_stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order_, "--");
  held.reset();
  EXPECT_FALSE(slots_.take("a", Urgency::kAhead, stop.get_token()));
  EXPECT_TRUE(slots_.take("c", Urgency::kAhead));
}

TEST(CompileSlotsCount, IsNeverExceeded) {
  CompileSlots slots(3);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        const CompileSlot slot = slots.take("k", k % 2 == 0 ? Urgency::kAhead : Urgency::kWanted);
        int seen = ++inside;
        for (int known = most; known < seen && !most.compare_exchange_weak(known, seen);) {
        }
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 1);
}

}  // namespace
}  // namespace kiln
