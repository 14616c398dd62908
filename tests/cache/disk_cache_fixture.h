#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/hash.h"
#include "cache/disk_cache.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln::test {

inline CacheKey key_of(const std::string& ingredient) {
  FieldHasher hasher;
  hasher.field("source", ingredient);
  return CacheKey{hasher.hex(), hasher.preimage()};
}

inline CodeObject make_code(const std::string& binary = std::string("ELF\0\1", 5)) {
  CodeObject code;
  code.binary = binary;
  code.format = "cubin";
  code.lowered_names = {{"axpy<float>", "_Z4axpyIfEvv"}};
  code.resources["axpy<float>"].registers = 40;
  code.resources["axpy<float>"].local_bytes = 0;
  code.log = "axpy.cu:1: warning: \"x\"\n";
  code.compile_seconds = 0.1 + 0.2;
  return code;
}

inline void expect_same(const CodeObject& a, const CodeObject& b) {
  EXPECT_EQ(a.binary, b.binary);
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.lowered_names, b.lowered_names);
  EXPECT_EQ(a.log, b.log);
  EXPECT_EQ(a.compile_seconds, b.compile_seconds);
  ASSERT_EQ(a.resources.size(), b.resources.size());
  for (const auto& [name, use] : a.resources) {
    EXPECT_EQ(use.registers, b.resources.at(name).registers);
    EXPECT_EQ(use.static_shared_bytes, b.resources.at(name).static_shared_bytes);
    EXPECT_EQ(use.local_bytes, b.resources.at(name).local_bytes);
  }
}

/// A cache at /cache on a disk in memory, and a second one on the same disk as in another process.
class DiskCacheTest : public testing::Test {
 protected:
  [[nodiscard]] static std::string entry_of(const CacheKey& key) {
    return "/cache/v1/" + key.digest.substr(0, 2) + "/" + key.digest.substr(2);
  }

  FakeClock clock_;
  MemoryFileSystem files_{clock_};
  RecordingLog log_;
  DiskCache cache_{files_, clock_, log_, "/cache"};
  DiskCache other_{files_, clock_, log_, "/cache"};
  CacheKey key_ = key_of("a kernel");
  CacheEntryLabel label_{"axpy.cu axpy", "cuda:sm_90", "NVRTC 12.8", "void axpy();"};
};

}  // namespace kiln::test
