#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kiln/error.h"
#include "service/kernel_service.h"
#include "support/fake_clock.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"

namespace kiln {
namespace {

using test::make_specialization;

class CompileAheadTest : public testing::Test {
 protected:
  std::vector<WantedCode> wanted(int n, int first = 0) {
    std::vector<WantedCode> list;
    for (int i = first; i < first + n; ++i)
      list.push_back({make_specialization(std::to_string(i)), &compiler_});
    return list;
  }
  std::variant<ServiceResult, Diagnostic> get(int i) {
    return service_.get(make_specialization(std::to_string(i)), compiler_, nullptr);
  }
  Origin origin_of(int i) { return std::get<ServiceResult>(get(i)).origin; }
  void wait_for_waiting(std::uint64_t n) {
    while (service_.counters().waited < n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  test::FakeClock clock_;
  test::FakeCompiler compiler_;
  KernelService service_{nullptr, clock_, 4};
};

TEST_F(CompileAheadTest, TheFirstWhoAsksPaysForIt) {
  const auto ahead = service_.compile_ahead(wanted(10));
  ahead->wait();
  EXPECT_EQ(compiler_.compiles(), 10);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(origin_of(i), Origin::kCompiled);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(origin_of(i), Origin::kMemory);
  EXPECT_EQ(compiler_.compiles(), 10);
  EXPECT_EQ(service_.counters().compiled, 10U);
}

TEST_F(CompileAheadTest, AsManyAtOnceAsThereAreJobs) {
  compiler_.block();
  const auto ahead = service_.compile_ahead(wanted(10));
  compiler_.wait_for_begun(4);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(compiler_.compiles(), 4);
  compiler_.unblock();
  ahead->wait();
  EXPECT_EQ(compiler_.compiles(), 10);
}

TEST_F(CompileAheadTest, TheCompilerIsToldHowManyAreExpected) {
  class Expecting : public test::FakeCompiler {
   public:
    void expect(int compiles) override { expected += compiles; }
    std::atomic<int> expected{0};
  };
  Expecting compiler;
  std::vector<WantedCode> list = wanted(10);
  for (WantedCode& code : list) code.compiler = &compiler;
  auto ahead = service_.compile_ahead(std::move(list));
  EXPECT_EQ(compiler.expected, 10);
  ahead.reset();
  EXPECT_EQ(compiler.expected, 0);
}

TEST_F(CompileAheadTest, TheSameKeyTwiceIsOneCompile) {
  auto twice = wanted(3);
  for (WantedCode& code : wanted(3)) twice.push_back(std::move(code));
  service_.compile_ahead(std::move(twice))->wait();
  EXPECT_EQ(compiler_.compiles(), 3);
}

TEST_F(CompileAheadTest, ACallerJoinsACompileThatHasBegun) {
  compiler_.block();
  const auto ahead = service_.compile_ahead(wanted(4));
  compiler_.wait_for_begun(4);
  std::thread caller([&] { EXPECT_EQ(origin_of(2), Origin::kCompiled); });
  wait_for_waiting(1);
  compiler_.unblock();
  caller.join();
  ahead->wait();
  EXPECT_EQ(compiler_.compiles(), 4);
}

TEST_F(CompileAheadTest, WhatACallerWaitsForGoesBeforeTheRest) {
  class Recording : public test::FakeCompiler {
   public:
    CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override {
      {
        const std::lock_guard lock(mutex_);
        order.push_back(specialization.source_text);
      }
      return FakeCompiler::compile(specialization, stop);
    }
    std::vector<std::string> order;

   private:
    std::mutex mutex_;
  };
  Recording recording;
  KernelService one_at_a_time(nullptr, clock_, 1);
  recording.block();
  std::vector<WantedCode> list = wanted(20);
  for (WantedCode& code : list) code.compiler = &recording;
  const auto ahead = one_at_a_time.compile_ahead(std::move(list));
  recording.wait_for_begun(1);
  std::thread caller([&] { (void)one_at_a_time.get(make_specialization("99"), recording, nullptr); });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(recording.compiles_of("99"), 0);  // the only slot is taken
  recording.unblock();
  caller.join();
  ahead->wait();
  ASSERT_EQ(recording.order.size(), 21U);
  EXPECT_EQ(recording.order[1], "99");
}

TEST_F(CompileAheadTest, GoingAwayDropsWhatHasNotBegun) {
  compiler_.block();
  auto ahead = service_.compile_ahead(wanted(100));
  compiler_.wait_for_begun(4);
  std::thread end([&] { ahead.reset(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  compiler_.unblock();
  end.join();
  EXPECT_LE(compiler_.compiles(), 8);
  EXPECT_EQ(origin_of(0), Origin::kCompiled);  // code that was never requested is forgotten
}

TEST_F(CompileAheadTest, GoingAwayEndsWhatCompiles) {
  compiler_.obey_stops();
  compiler_.block();
  auto ahead = service_.compile_ahead(wanted(100));
  compiler_.wait_for_begun(4);
  ahead.reset();  // while all compiles are blocked
  EXPECT_EQ(compiler_.compiles(), 4);
  EXPECT_EQ(service_.counters().compiled + service_.counters().failed, 0U);
  compiler_.unblock();
  EXPECT_EQ(origin_of(0), Origin::kCompiled);
  EXPECT_EQ(compiler_.compiles(), 5);
}

TEST_F(CompileAheadTest, StopDoesNotWait) {
  compiler_.block();
  auto ahead = service_.compile_ahead(wanted(100));
  compiler_.wait_for_begun(4);
  ahead->stop();
  EXPECT_FALSE(ahead->wait_for(std::chrono::milliseconds(0)));
  compiler_.unblock();
  ahead->wait();
  EXPECT_EQ(compiler_.compiles(), 4);
}

TEST_F(CompileAheadTest, ACallerWhoJoinedACompileThatIsEndedCompilesAnew) {
  compiler_.obey_stops();
  compiler_.block();
  auto ahead = service_.compile_ahead(wanted(1));
  compiler_.wait_for_begun(1);
  std::thread caller([&] { EXPECT_EQ(origin_of(0), Origin::kCompiled); });
  wait_for_waiting(1);
  ahead.reset();
  compiler_.wait_for_begun(2);
  compiler_.unblock();
  caller.join();
  EXPECT_EQ(compiler_.compiles_of("0"), 2);
  EXPECT_EQ(service_.counters().compiled, 1U);
  EXPECT_EQ(service_.counters().failed, 0U);
}

TEST_F(CompileAheadTest, OthersWhoMakeTheSameAheadGoOnWithIt) {
  compiler_.obey_stops();
  compiler_.block();
  auto first = service_.compile_ahead(wanted(1));
  compiler_.wait_for_begun(1);
  const auto second = service_.compile_ahead(wanted(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  first.reset();
  compiler_.wait_for_begun(2);
  EXPECT_FALSE(second->wait_for(std::chrono::milliseconds(0)));
  compiler_.unblock();
  second->wait();
  EXPECT_EQ(origin_of(0), Origin::kCompiled);
  EXPECT_EQ(compiler_.compiles(), 2);
}

TEST_F(CompileAheadTest, GoingAwayDoesNotWaitForACallersCompile) {
  compiler_.block();
  std::thread caller([&] { EXPECT_EQ(origin_of(0), Origin::kCompiled); });
  compiler_.wait_for_begun(1);
  auto ahead = service_.compile_ahead(wanted(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ahead.reset();  // the caller's compile is blocked
  compiler_.unblock();
  caller.join();
  EXPECT_EQ(compiler_.compiles(), 1);
}

TEST_F(CompileAheadTest, ADiagnosticIsKeptForTheOneWhoAsks) {
  compiler_.set_diagnostic(Diagnostic{"wrong", "log", "", false});
  const auto ahead = service_.compile_ahead(wanted(2));
  ahead->wait();
  EXPECT_EQ(std::get<Diagnostic>(get(0)).summary, "wrong");
  EXPECT_EQ(compiler_.compiles(), 2);
}

TEST_F(CompileAheadTest, AnExceptionIsForTheOneWhoAsks) {
  compiler_.set_exception("fell over");
  const auto ahead = service_.compile_ahead(wanted(2));
  ahead->wait();
  EXPECT_THROW((void)get(0), Error);
  compiler_.set_exception("");
  EXPECT_EQ(origin_of(1), Origin::kCompiled);
}

TEST_F(CompileAheadTest, ManyCallersAndBatchesAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto ahead = service_.compile_ahead(wanted(30, 10 * t));
      for (int i = 10 * t; i < 10 * t + 25; ++i) {
        const auto result = get(i);
        EXPECT_EQ(std::get<ServiceResult>(result).code->code().binary,
                  test::fake_binary(make_specialization(std::to_string(i))));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kiln
