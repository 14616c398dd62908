#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "kiln/error.h"
#include "service/kernel_service.h"
#include "support/fake_clock.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::FakeDevice;
using test::make_specialization;

class ConcurrentService : public testing::Test {
 protected:
  /// Runs `work` in `n` threads, given their numbers.
  static void in_threads(int n, const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
  }

  /// Lets the blocked compile go on as soon as `waiting` callers wait for it.
  std::thread unblock_when_waiting(KernelService& service, std::uint64_t waiting) {
    return std::thread([this, &service, waiting] {
      compiler_.wait_for_begun(1);
      while (service.counters().waited < waiting) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      compiler_.unblock();
    });
  }

  static constexpr int kThreads = 16;
  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  DiskCache disk_{files_, clock_, log_, "/cache"};
  test::FakeCompiler compiler_;
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>(clock_);
  KernelService service_{&disk_, clock_};
};

TEST_F(ConcurrentService, OneCompilesTheOthersWait) {
  compiler_.block();
  std::thread helper = unblock_when_waiting(service_, kThreads - 1);
  std::atomic<int> compiled = 0;
  std::atomic<int> waited = 0;
  in_threads(kThreads, [&](int) {
    const auto result = std::get<ServiceResult>(service_.get(make_specialization(), compiler_, device_));
    ++(result.origin == Origin::kCompiled ? compiled : waited);
    EXPECT_EQ(result.code->function("axpy").name(), "_Zaxpy");
  });
  helper.join();
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(waited, kThreads - 1);
  EXPECT_EQ(compiler_.compiles(), 1);
  EXPECT_EQ(device_->loads(), 1);
  EXPECT_EQ(service_.counters().compiled, 1);
  EXPECT_EQ(service_.counters().waited, kThreads - 1);
}

TEST_F(ConcurrentService, MixedKeysAreCompiledOnceEach) {
  constexpr int kKeys = 12;
  constexpr int kRounds = 3;
  constexpr std::uint64_t kGets = std::uint64_t{kThreads} * kKeys * kRounds;
  for (const bool warm : {false, true}) {
    in_threads(kThreads, [&](int thread) {
      for (int i = 0; i < kKeys * kRounds; ++i) {
        const std::string source = "kernel " + std::to_string((i + thread) % kKeys);
        const auto result =
            std::get<ServiceResult>(service_.get(make_specialization(source), compiler_, device_));
        EXPECT_EQ(result.code->code().binary, test::fake_binary(make_specialization(source)));
      }
    });
    const ServiceCounters counters = service_.counters();
    EXPECT_EQ(compiler_.compiles(), kKeys);
    EXPECT_EQ(counters.compiled, kKeys);
    EXPECT_EQ(device_->loads(), kKeys);
    EXPECT_EQ(counters.compiled + counters.waited + counters.memory_hits + counters.disk_hits,
              (warm ? kGets + kGets : kGets));
  }
  for (int i = 0; i < kKeys; ++i) EXPECT_EQ(compiler_.compiles_of("kernel " + std::to_string(i)), 1);
}

TEST_F(ConcurrentService, TwoDevicesAtOnceShareTheCompile) {
  KernelService service(nullptr, clock_);
  const auto second = std::make_shared<FakeDevice>(clock_, "fake:1");
  in_threads(kThreads, [&](int i) {
    const auto result = service.get(make_specialization(), compiler_, i % 2 == 0 ? device_ : second);
    EXPECT_NE(std::get<ServiceResult>(result).code->module(), nullptr);
  });
  EXPECT_EQ(compiler_.compiles(), 1);
  EXPECT_EQ(device_->loads(), 1);
  EXPECT_EQ(second->loads(), 1);
}

TEST_F(ConcurrentService, DiagnosticReachesAllWaiters) {
  compiler_.set_diagnostic(Diagnostic{"error", "log", "", false});
  compiler_.block();
  std::thread helper = unblock_when_waiting(service_, kThreads - 1);
  std::atomic<int> diagnostics = 0;
  in_threads(kThreads, [&](int) {
    const auto result = service_.get(make_specialization(), compiler_, device_);
    if (std::holds_alternative<Diagnostic>(result)) ++diagnostics;
  });
  helper.join();
  EXPECT_EQ(diagnostics, kThreads);
  EXPECT_EQ(compiler_.compiles(), 1);
}

TEST_F(ConcurrentService, ExceptionReachesAllWaitersAndIsNotRemembered) {
  compiler_.set_exception("fell over");
  compiler_.block();
  std::thread helper = unblock_when_waiting(service_, kThreads - 1);
  std::atomic<int> thrown = 0;
  in_threads(kThreads, [&](int) {
    try {
      (void)service_.get(make_specialization(), compiler_, device_);
    } catch (const Error& error) {
      if (std::string(error.what()) == "fell over") ++thrown;
    }
  });
  helper.join();
  EXPECT_EQ(thrown, kThreads);
  EXPECT_EQ(compiler_.compiles(), 1);
  compiler_.set_exception("");
  const auto result = service_.get(make_specialization(), compiler_, device_);
  EXPECT_EQ(std::get<ServiceResult>(result).origin, Origin::kCompiled);
}

TEST_F(ConcurrentService, NoLockIsHeldWhileCompiling) {
  (void)service_.get(make_specialization("ready"), compiler_, device_);
  compiler_.block();
  std::thread slow([this] { (void)service_.get(make_specialization("slow"), compiler_, device_); });
  compiler_.wait_for_begun(2);
  const auto result = service_.get(make_specialization("ready"), compiler_, device_);
  EXPECT_EQ(std::get<ServiceResult>(result).origin, Origin::kMemory);
  compiler_.unblock();
  slow.join();
}

}  // namespace
}  // namespace kiln
