// Entries are evicted while threads, and what stands for other processes, ask for them. Run under
// ThreadSanitizer:
// ./tools/test.sh --sanitize thread
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/scratch_folder.h"
#include "service/kernel_service.h"
#include "support/fake_compiler.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::make_specialization;

constexpr int kThreads = 16;
constexpr int kKeys = 200;
constexpr int kAsksOfAProcess = 25;

class CollectWhileAsked : public testing::Test {
 protected:
  static std::filesystem::path fast_folder() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
  }
  [[nodiscard]] DiskCacheOptions options(std::uint64_t max_bytes) const {
    DiskCacheOptions wanted{scratch_.get().path / "cache"};
    wanted.max_bytes = max_bytes;
    return wanted;
  }

  /// Asks for `count` keys from `first` on; every third time for one that all threads ask for.
  void ask(KernelService& service, int first, int count) {
    for (int i = 0; i < count; ++i) {
      const int key = i % 3 == 0 ? i % kKeys : (first + i * 7) % kKeys;
      const Specialization wanted = make_specialization("kernel " + std::to_string(key));
      const auto result = service.get(wanted, compiler_, nullptr);
      const auto* got = std::get_if<ServiceResult>(&result);
      if (got == nullptr || got->code->code().binary != test::fake_binary(wanted)) ++wrong_;
    }
  }

  /// Caches that come and go, as in short processes.
  void ask_as_processes(int thread) {
    for (int asked = 0; asked < kKeys; asked += kAsksOfAProcess) {
      DiskCache disk(*files_, *clock_, log_, options(100'000));
      KernelService service(&disk, *clock_);
      ask(service, thread * 13 + asked, kAsksOfAProcess);
    }
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::unique_ptr<Clock> clock_ = make_system_clock();
  ScratchFolder scratch_ = make_scratch_folder(*files_, fast_folder(), "kiln-collect-");
  test::RecordingLog log_;
  test::FakeCompiler compiler_;
  std::atomic<int> wrong_ = 0;
};

TEST_F(CollectWhileAsked, NothingWrongIsLoadedAndNothingIsLeft) {
  std::uint64_t removed = 0;
  {
    DiskCache shared_disk(*files_, *clock_, log_, options(0));
    KernelService shared(&shared_disk, *clock_);
    std::atomic<int> running = kThreads;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        if (thread % 2 == 0) {
          ask(shared, thread * 13, kKeys);
        } else {
          ask_as_processes(thread);
        }
        --running;
      });
    }
    DiskCache collecting(*files_, *clock_, log_, options(0));
    while (running > 0) removed += collecting.collect({20'000, {}, false}).removed_entries;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(collecting.verify().damaged, std::vector<std::string>());
  }
  EXPECT_EQ(wrong_, 0);
  EXPECT_EQ(log_.warnings(), std::vector<std::string>());
  DiskCache last(*files_, *clock_, log_, options(0));
  const CollectReport report = last.collect({0, {}, false});
  EXPECT_EQ(report.in_use, 0U);
  EXPECT_GT(removed + report.removed_entries, 0U);
  for (const char* folder : {"tmp", "locks", "in-use"})
    EXPECT_TRUE(files_->list(options(0).root / folder).empty()) << folder;
}

}  // namespace
}  // namespace kiln
