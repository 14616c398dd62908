#include "device/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>

namespace kiln {
namespace {

TEST(ThreadPool, CoversEachIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::uint64_t total : {0ULL, 1ULL, 2ULL, 7ULL, 64ULL, 1000ULL, 100003ULL}) {
      std::vector<std::atomic<int>> seen(total);
      pool.run(total, false, [&](int thread, std::uint64_t first, std::uint64_t last) {
        EXPECT_LT(thread, threads);
        EXPECT_LT(first, last);
        for (std::uint64_t i = first; i < last; ++i) ++seen[i];
      });
      for (const std::atomic<int>& count : seen) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ThreadPool, GivesTheCallerAllWhereAsked) {
  ThreadPool pool(4);
  int calls = 0;
  pool.run(1000, true, [&](int thread, std::uint64_t first, std::uint64_t last) {
    ++calls;
    EXPECT_EQ(thread, 0);
    EXPECT_EQ(first, 0U);
    EXPECT_EQ(last, 1000U);
  });
  EXPECT_EQ(calls, 1);
}

TEST(ThreadPool, HelpsThreadsThatAreBehind) {
  ThreadPool pool(2);
  std::atomic<int> slow{0};
  std::vector<std::atomic<int>> by_thread(2);
  pool.run(64, false, [&](int thread, std::uint64_t first, std::uint64_t last) {
    if (first < 4 && slow++ == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    by_thread[static_cast<std::size_t>(thread)] += static_cast<int>(last - first);
  });
  EXPECT_EQ(by_thread[0] + by_thread[1], 64);
  EXPECT_GT(std::max(by_thread[0].load(), by_thread[1].load()), 32);
}

TEST(ThreadPool, RunsOnSeveralThreadsThatWaitForEachOther) {
  ThreadPool pool(4);
  for (const int threads : {1, 2, 3, 4}) {
    std::vector<std::atomic<int>> calls(4);
    std::atomic<int> here{0};
    pool.run_on_each(threads, [&](int thread, std::uint64_t, std::uint64_t) {
      ++calls[static_cast<std::size_t>(thread)];
      for (++here; here < threads;) std::this_thread::yield();  // ends only if all run at the same time
    });
    for (int thread = 0; thread < 4; ++thread)
      EXPECT_EQ(calls[static_cast<std::size_t>(thread)], thread < threads ? 1 : 0) << threads;
    std::atomic<int> sum{0};
    pool.run(100, false,
             [&](int, std::uint64_t first, std::uint64_t last) { sum += static_cast<int>(last - first); });
    EXPECT_EQ(sum, 100);
  }
}

TEST(ThreadPool, TakesLoopsOfSeveralCallersInTurn) {
  ThreadPool pool(3);
  std::atomic<std::uint64_t> sum{0};
  std::vector<std::jthread> callers;
  callers.reserve(4);
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        pool.run(100, false, [&](int, std::uint64_t first, std::uint64_t last) { sum += last - first; });
      }
    });
  }
  callers.clear();
  EXPECT_EQ(sum, 4U * 200 * 100);
}

TEST(ThreadPool, SleepsBetweenLoopsAndWakesUp) {
  ThreadPool pool(3);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    std::atomic<std::uint64_t> sum{0};
    pool.run(30, false, [&](int, std::uint64_t first, std::uint64_t last) { sum += last - first; });
    EXPECT_EQ(sum, 30U);
  }
}

}  // namespace
}  // namespace kiln
