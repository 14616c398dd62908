#include "service/kernel_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kiln/error.h"
#include "support/fake_clock.h"
#include "support/fake_compiler.h"
#include "support/fake_device.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using test::FakeDevice;
using test::make_specialization;

class KernelServiceTest : public testing::Test {
 protected:
  ServiceResult get(KernelService& service, const Specialization& specialization,
                    const std::shared_ptr<Device>& device) {
    return std::get<ServiceResult>(service.get(specialization, compiler_, device));
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  DiskCache disk_{files_, clock_, log_, "/cache"};
  test::FakeCompiler compiler_;
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>(clock_);
  KernelService service_{&disk_, clock_};
};

TEST_F(KernelServiceTest, ColdThenWarm) {
  const ServiceResult cold = get(service_, make_specialization(), device_);
  const ServiceResult warm = get(service_, make_specialization(), device_);
  EXPECT_EQ(cold.origin, Origin::kCompiled);
  EXPECT_EQ(warm.origin, Origin::kMemory);
  EXPECT_EQ(cold.code, warm.code);
  EXPECT_EQ(cold.key.digest, warm.key.digest);
  EXPECT_EQ(warm.code->function("axpy").name(), "_Zaxpy");

  const ServiceCounters counters = service_.counters();
  EXPECT_EQ(counters.compiled, 1);
  EXPECT_EQ(counters.memory_hits, 1);
  EXPECT_EQ(counters.disk_hits + counters.waited + counters.failed, 0);
  EXPECT_EQ(disk_.counters().misses, 1);
  EXPECT_EQ(disk_.counters().published, 1);
  EXPECT_EQ(device_->loads(), 1);
  EXPECT_EQ(compiler_.compiles(), 1);
}

TEST_F(KernelServiceTest, NextProcessFindsItOnDisk) {
  get(service_, make_specialization(), device_);
  service_.finish_writing();
  KernelService next(&disk_, clock_);
  const ServiceResult result = get(next, make_specialization(), device_);
  EXPECT_EQ(result.origin, Origin::kDisk);
  EXPECT_EQ(result.code->code().binary, test::fake_binary(make_specialization()));
  EXPECT_EQ(result.compile_seconds, 0);
  EXPECT_EQ(get(next, make_specialization(), device_).origin, Origin::kMemory);
  EXPECT_EQ(next.counters().disk_hits, 1);
  EXPECT_EQ(next.counters().memory_hits, 1);
  EXPECT_EQ(next.counters().compiled, 0);
  EXPECT_EQ(compiler_.compiles(), 1);
}

TEST_F(KernelServiceTest, EntryIsLabelledForPeople) {
  get(service_, make_specialization("text of the kernel"), device_);
  service_.finish_writing();
  const auto entries = disk_.list();
  ASSERT_EQ(entries.size(), 1);
  EXPECT_EQ(entries[0].label, "axpy.cu axpy");
  EXPECT_EQ(entries[0].target, "fake:fake_1");
  EXPECT_EQ(entries[0].compiler, "fakec 1.0");
}

TEST_F(KernelServiceTest, WithoutADisk) {
  KernelService service(nullptr, clock_);
  EXPECT_EQ(get(service, make_specialization(), device_).origin, Origin::kCompiled);
  EXPECT_EQ(get(service, make_specialization(), device_).origin, Origin::kMemory);
  EXPECT_TRUE(files_.files_below("/").empty());
}

TEST_F(KernelServiceTest, DamagedEntryIsCompiledAgainAndReplaced) {
  get(service_, make_specialization(), device_);
  service_.finish_writing();
  for (const std::string& path : files_.files_below("/cache")) files_.write_file(path, "garbage", false);
  KernelService second(&disk_, clock_);
  EXPECT_EQ(get(second, make_specialization(), device_).origin, Origin::kCompiled);
  second.finish_writing();
  KernelService third(&disk_, clock_);
  EXPECT_EQ(get(third, make_specialization(), device_).origin, Origin::kDisk);
  EXPECT_EQ(disk_.counters().damaged, 1);
  EXPECT_EQ(log_.warnings().size(), 1);
}

TEST_F(KernelServiceTest, FullDiskDoesNotStopTheRun) {
  files_.set_full(true);
  EXPECT_EQ(get(service_, make_specialization(), device_).origin, Origin::kCompiled);
  EXPECT_EQ(get(service_, make_specialization("other"), device_).origin, Origin::kCompiled);
  service_.finish_writing();
  EXPECT_EQ(log_.warnings().size(), 1);
}

TEST_F(KernelServiceTest, TwoDevicesShareTheCompile) {
  KernelService service(nullptr, clock_);
  const auto second_device = std::make_shared<FakeDevice>(clock_, "fake:1");
  const ServiceResult first = get(service, make_specialization(), device_);
  const ServiceResult second = get(service, make_specialization(), second_device);
  EXPECT_NE(first.code, second.code);
  EXPECT_EQ(second.origin, Origin::kMemory);
  EXPECT_EQ(compiler_.compiles(), 1);
  EXPECT_EQ(device_->loads(), 1);
  EXPECT_EQ(second_device->loads(), 1);
}

TEST_F(KernelServiceTest, CompileOnlyThenLoad) {
  const ServiceResult compiled = get(service_, make_specialization(), nullptr);
  EXPECT_EQ(compiled.origin, Origin::kCompiled);
  EXPECT_EQ(compiled.code->module(), nullptr);
  EXPECT_NE(get(service_, make_specialization(), device_).code->module(), nullptr);
  EXPECT_EQ(compiler_.compiles(), 1);
}

TEST_F(KernelServiceTest, DiagnosticIsDataAndNotRemembered) {
  compiler_.set_diagnostic(Diagnostic{"axpy.cu:1:1: error: x", "the log", "fakec axpy.cu", false});
  for (int i = 0; i < 2; ++i) {
    const auto result = service_.get(make_specialization(), compiler_, device_);
    ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
    EXPECT_EQ(std::get<Diagnostic>(result).log, "the log");
  }
  EXPECT_EQ(compiler_.compiles(), 2);
  EXPECT_EQ(service_.counters().failed, 2);
  EXPECT_EQ(disk_.counters().published, 0);
  compiler_.set_diagnostic(std::nullopt);
  EXPECT_EQ(get(service_, make_specialization(), device_).origin, Origin::kCompiled);
}

TEST_F(KernelServiceTest, ExceptionOfTheCompilerPassesAndIsNotRemembered) {
  compiler_.set_exception("the compiler fell over");
  EXPECT_THROW((void)service_.get(make_specialization(), compiler_, device_), Error);
  EXPECT_EQ(service_.counters().failed, 1);
  compiler_.set_exception("");
  EXPECT_EQ(get(service_, make_specialization(), device_).origin, Origin::kCompiled);
  EXPECT_EQ(service_.counters().compiled, 1);
}

TEST_F(KernelServiceTest, RefusedLoadPassesAndTheCodeIsKept) {
  class Refusing : public FakeDevice {
   public:
    using FakeDevice::FakeDevice;
    std::unique_ptr<Module> load(const std::string& /*binary*/) override { throw environment_error("no"); }
  };
  const auto refusing = std::make_shared<Refusing>(clock_, "fake:7");
  EXPECT_THROW((void)service_.get(make_specialization(), compiler_, refusing), Error);
  EXPECT_EQ(service_.counters().failed, 1);
  EXPECT_EQ(get(service_, make_specialization(), device_).origin, Origin::kDisk);
}

TEST_F(KernelServiceTest, CostsAreWhatTheClockSays) {
  class SlowCompiler : public test::FakeCompiler {
   public:
    explicit SlowCompiler(test::FakeClock& clock) : clock_(clock) {}
    CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override {
      clock_.advance(2);
      return FakeCompiler::compile(specialization, stop);
    }

   private:
    test::FakeClock& clock_;
  };
  SlowCompiler slow(clock_);
  const auto first = std::get<ServiceResult>(service_.get(make_specialization(), slow, device_));
  const auto second = std::get<ServiceResult>(service_.get(make_specialization(), slow, device_));
  EXPECT_DOUBLE_EQ(first.compile_seconds, 2);
  EXPECT_DOUBLE_EQ(second.compile_seconds, 0);
  EXPECT_DOUBLE_EQ(service_.counters().compile_seconds, 2);
  EXPECT_DOUBLE_EQ(service_.counters().load_seconds, 0);
}

TEST_F(KernelServiceTest, CodeOutlivesTheService) {
  std::shared_ptr<LoadedCode> code;
  {
    KernelService service(nullptr, clock_);
    code = get(service, make_specialization(), device_).code;
  }
  EXPECT_EQ(device_->live_modules(), 1);
  EXPECT_EQ(code->function("axpy").name(), "_Zaxpy");
}

TEST(Origin, HasAWord) {
  EXPECT_STREQ(to_string(Origin::kMemory), "memory");
  EXPECT_STREQ(to_string(Origin::kDisk), "disk");
  EXPECT_STREQ(to_string(Origin::kCompiled), "compiled");
  EXPECT_STREQ(to_string(Origin::kWaited), "waited");
}

}  // namespace
}  // namespace kiln
