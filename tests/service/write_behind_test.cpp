// A caller that waits for a compile does not wait for the disk, and nothing is lost by that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

#include "service/kernel_service.h"
#include "support/fake_clock.h"
#include "support/fake_compiler.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::make_specialization;

/// Its renames, by which entries are published, wait until they may go on.
class HeldDisk : public test::MemoryFileSystem {
 public:
  using MemoryFileSystem::MemoryFileSystem;
  bool rename(const Path& from, const Path& to) override {
    if (to.string().find("/v1/") != std::string::npos) {
      ++held;
      released_.wait();
    }
    return MemoryFileSystem::rename(from, to);
  }
  void release() { release_.set_value(); }

  std::atomic<int> held{0};

 private:
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
};

class WriteBehind : public testing::Test {
 protected:
  Origin origin_of(KernelService& service, const std::string& text = "void axpy();") {
    return std::get<ServiceResult>(service.get(make_specialization(text), compiler_, nullptr)).origin;
  }

  test::FakeClock clock_;
  HeldDisk files_{clock_};
  test::RecordingLog log_;
  test::FakeCompiler compiler_;
};

TEST_F(WriteBehind, TheCodeIsThereBeforeItsEntry) {
  DiskCache disk(files_, clock_, log_, "/cache");
  auto service = std::make_unique<KernelService>(&disk, clock_);
  const auto result = service->get(make_specialization(), compiler_, nullptr);
  EXPECT_EQ(std::get<ServiceResult>(result).origin, Origin::kCompiled);
  EXPECT_EQ(disk.counters().published, 0U);
  EXPECT_EQ(files_.files_below("/cache/locks").size(), 1U);  // other processes know that it is on its way
  EXPECT_EQ(origin_of(*service), Origin::kMemory);
  files_.release();
  service.reset();
  EXPECT_EQ(disk.counters().published, 1U);
  EXPECT_TRUE(files_.files_below("/cache/locks").empty());

  DiskCache later(files_, clock_, log_, "/cache");
  KernelService next(&later, clock_);
  EXPECT_EQ(origin_of(next), Origin::kDisk);
  EXPECT_EQ(compiler_.compiles(), 1);
}

TEST_F(WriteBehind, AHitIsNotedBesideTheCaller) {
  files_.release();
  DiskCache disk(files_, clock_, log_, "/cache");
  {
    KernelService service(&disk, clock_);
    EXPECT_EQ(origin_of(service), Origin::kCompiled);
  }
  DiskCache later(files_, clock_, log_, "/cache");
  const std::size_t marks = files_.files_below("/cache/in-use").size();
  KernelService service(&later, clock_);
  EXPECT_EQ(origin_of(service), Origin::kDisk);
  service.finish_writing();
  EXPECT_EQ(files_.files_below("/cache/in-use").size(), marks + 1);
  ASSERT_EQ(later.list().size(), 1U);
  EXPECT_EQ(later.list()[0].hits, 1U);
}

TEST_F(WriteBehind, CountersWaitForTheDisk) {
  DiskCache disk(files_, clock_, log_, "/cache");
  KernelService service(&disk, clock_);
  static_cast<void>(origin_of(service));
  auto counters = std::async(std::launch::async, [&] { return service.counters(); });
  EXPECT_EQ(counters.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  files_.release();
  EXPECT_GT(counters.get().bytes_written, 0U);
}

TEST_F(WriteBehind, ADiskThatRefusesIsOneWarningAsEver) {
  files_.release();
  files_.set_full(true);
  DiskCache disk(files_, clock_, log_, "/cache");
  {
    KernelService service(&disk, clock_);
    EXPECT_EQ(origin_of(service), Origin::kCompiled);
    EXPECT_EQ(origin_of(service, "another"), Origin::kCompiled);
    EXPECT_EQ(service.counters().bytes_written, 0U);
  }
  EXPECT_THAT(disk.disabled_reason(), testing::HasSubstr("No space left on device"));
}

TEST_F(WriteBehind, WhatIsMadeAheadIsOnTheDiskWhenItIsDone) {
  files_.release();
  DiskCache disk(files_, clock_, log_, "/cache");
  KernelService service(&disk, clock_, 2);
  std::vector<WantedCode> wanted;
  for (int i = 0; i < 10; ++i) wanted.push_back({make_specialization(std::to_string(i)), &compiler_});
  service.compile_ahead(std::move(wanted))->wait();
  EXPECT_EQ(disk.counters().published, 10U);
}

/// The slot is free while an entry is written: another compile begins.
TEST_F(WriteBehind, ACompileDoesNotWaitForAnothersEntry) {
  DiskCache disk(files_, clock_, log_, "/cache");
  KernelService service(&disk, clock_, 1);
  std::vector<WantedCode> wanted;
  for (int i = 0; i < 2; ++i) wanted.push_back({make_specialization(std::to_string(i)), &compiler_});
  const auto ahead = service.compile_ahead(std::move(wanted));
  compiler_.wait_for_begun(2);
  files_.release();
  ahead->wait();
  EXPECT_EQ(disk.counters().published, 2U);
}

}  // namespace
}  // namespace kiln
