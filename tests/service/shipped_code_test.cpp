#include "cache/shipped_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/make_cache_key.h"
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
using testing::HasSubstr;

/// A machine without this compiler.
class AbsentCompiler final : public test::FakeCompiler {
 public:
  const CompilerIdentity& identity() override { throw environment_error("no fakec: install fakec"); }
};

class ShippedCodeTest : public testing::Test {
 protected:
  /// What another machine has compiled.
  void compile(const Specialization& specialization,
               const CompilerIdentity& identity = {"fakec", "1.0", "f"}) {
    test::FakeCompiler compiler(identity);
    static_cast<void>(KernelService(&disk_, clock_).get(specialization, compiler, nullptr));
    clock_.advance(1.0);
  }
  [[nodiscard]] std::string bundle() {
    const EntryStore store(files_, "/cache", EntryStore::Owners::kSelfAndRoot);
    pack_bundle(
        files_, store, [](const CacheEntryInfo&) { return true; }, "/bundle.tar");
    return *files_.read_file("/bundle.tar");
  }
  [[nodiscard]] std::string refusal(KernelService& service, const Specialization& specialization) {
    try {
      static_cast<void>(service.get(specialization, absent_, device_));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
      return error.what();
    }
    return "";
  }
  ServiceResult get(KernelService& service, const Specialization& specialization, Compiler& compiler) {
    return std::get<ServiceResult>(service.get(specialization, compiler, device_));
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  DiskCache disk_{files_, clock_, log_, "/cache"};
  AbsentCompiler absent_;
  std::shared_ptr<FakeDevice> device_ = std::make_shared<FakeDevice>(clock_);
};

TEST_F(ShippedCodeTest, WithoutACompilerTheCacheIsEnough) {
  compile(make_specialization());
  KernelService service(&disk_, clock_);
  const ServiceResult first = get(service, make_specialization(), absent_);
  EXPECT_EQ(first.origin, Origin::kDisk);
  EXPECT_EQ(first.code->code().binary, test::fake_binary(make_specialization()));
  EXPECT_EQ(get(service, make_specialization(), absent_).origin, Origin::kMemory);
  EXPECT_EQ(service.counters().disk_hits, 1);
  EXPECT_TRUE(service.find(make_specialization(), absent_, device_));
}

TEST_F(ShippedCodeTest, OfSeveralCompilersTheNewestCodeIsTaken) {
  compile(make_specialization(), {"fakec", "1.0", "f"});
  compile(make_specialization(), {"fakec", "2.0", "f"});
  KernelService service(&disk_, clock_);
  EXPECT_EQ(get(service, make_specialization(), absent_).key.digest,
            make_cache_key(make_specialization(), {"fakec", "2.0", "f"}, "").digest);
}

TEST_F(ShippedCodeTest, ABundleComesBeforeTheCompiler) {
  compile(make_specialization());
  const std::string packed = bundle();
  KernelService service(nullptr, clock_);
  service.add_bundle(packed);
  test::FakeCompiler newer({"fakec", "3.0", "f"});
  EXPECT_EQ(get(service, make_specialization(), newer).origin, Origin::kBundle);
  EXPECT_EQ(newer.compiles(), 0);
  EXPECT_EQ(get(service, make_specialization("void other();"), newer).origin, Origin::kCompiled);
}

TEST_F(ShippedCodeTest, ABundleNeedsNeitherCacheNorCompiler) {
  compile(make_specialization());
  const std::string packed = bundle();
  KernelService service(nullptr, clock_);
  service.add_bundle(packed);
  const ServiceResult found = get(service, make_specialization(), absent_);
  EXPECT_EQ(found.origin, Origin::kBundle);
  EXPECT_EQ(found.code->code().binary, test::fake_binary(make_specialization()));
  EXPECT_EQ(found.code->function("axpy").name(), "_Zaxpy");
}

TEST_F(ShippedCodeTest, WhatIsMissingIsToldWithWhatIsThere) {
  compile(make_specialization());
  KernelService service(&disk_, clock_);
  const std::string other = refusal(service, make_specialization("void other();"));
  EXPECT_THAT(other, HasSubstr("no fakec: install fakec"));
  EXPECT_THAT(other, HasSubstr("with these values; there is\n  " + make_specialization().source_name +
                               " axpy: fake:fake_1"));
  Specialization elsewhere = make_specialization();
  elsewhere.target.arch = "fake_2";
  EXPECT_THAT(refusal(service, elsewhere), HasSubstr("for fake:fake_2 with these values; there is"));
  files_.remove_all("/cache");
  DiskCache empty(files_, clock_, log_, "/cache");
  KernelService bare(&empty, clock_);
  EXPECT_THAT(refusal(bare, make_specialization()), HasSubstr("have no code at all"));
}

TEST_F(ShippedCodeTest, DamagedCodeOfABundleIsNotLoaded) {
  compile(make_specialization());
  std::string packed = bundle();
  const std::string binary = test::fake_binary(make_specialization());
  packed[packed.find(binary)] ^= 1;
  KernelService service(nullptr, clock_);
  service.add_bundle(packed);
  EXPECT_THAT(refusal(service, make_specialization()), HasSubstr("is damaged in its bundle or cache"));
  EXPECT_THROW(service.add_bundle("no bundle"), Error);
}

CacheEntryInfo entry_for(const std::string& target, std::int64_t created_ns = 0) {
  CacheEntryInfo info;
  info.target = target;
  info.created_ns = created_ns;
  return info;
}

std::string best_of(const Target& device, const std::vector<std::string>& targets) {
  std::vector<CacheEntryInfo> entries;
  for (const std::string& target : targets) entries.push_back(entry_for(target));
  const CacheEntryInfo* best = best_entry(entries, device);
  return best == nullptr ? "" : best->target;
}

TEST(BestEntry, GpusRunCodeOfTheirGenerationAndEarlierPtx) {
  const Target device{"cuda", "sm_89", 32};
  EXPECT_EQ(best_of(device, {"cuda:sm_80", "cuda:sm_89", "cuda:sm_86"}), "cuda:sm_89");
  EXPECT_EQ(best_of(device, {"cuda:sm_80", "cuda:sm_90", "cuda:sm_86"}), "cuda:sm_86");
  EXPECT_EQ(best_of(device, {"cuda:sm_75", "cuda:compute_75", "cuda:compute_80"}), "cuda:compute_80");
  EXPECT_EQ(best_of(device, {"cuda:sm_75", "cuda:sm_90", "hip:gfx90a", "cuda:compute_90"}), "");
  EXPECT_EQ(best_of({"cuda", "sm_100", 32}, {"cuda:sm_90a", "cuda:compute_90a"}), "");
  EXPECT_EQ(best_of({"hip", "gfx90a", 64}, {"hip:gfx906", "hip:gfx90a"}), "hip:gfx90a");
}

TEST(BestEntry, CpusRunCodeOfFewerInstructionSets) {
  const Target device{"cpu", "x86-64-v3 aes sha", 1};
  EXPECT_EQ(best_of(device, {"cpu:x86-64", "cpu:x86-64-v2 aes", "cpu:x86-64-v2"}), "cpu:x86-64-v2 aes");
  EXPECT_EQ(best_of(device, {"cpu:x86-64-v4", "cpu:x86-64-v3 aes vaes"}), "");
  EXPECT_EQ(best_of(device, {"cpu:x86-64-v3 sha", "cpu:x86-64-v3 aes sha"}), "cpu:x86-64-v3 aes sha");
  EXPECT_EQ(best_of({"cpu", "aarch64", 1}, {"cpu:x86-64"}), "");
}

}  // namespace
}  // namespace kiln
