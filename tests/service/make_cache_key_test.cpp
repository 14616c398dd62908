#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/hash.h"
#include "service/kernel_service.h"

namespace kiln {
namespace {

Specialization full_specialization() {
  Specialization specialization;
  specialization.source_name = "axpy.cu";
  specialization.source_path = "/home/me/axpy.cu";
  specialization.source_text = "__global__ void axpy();\n";
  specialization.params_header = "struct Params { int n; };\n";
  specialization.headers = {{"a.h", "/home/me/a.h", "int a;"}, {"b.h", "/home/me/b.h", "int b;"}};
  specialization.defines = {{"FAST", ""}, {"N", "4"}};
  specialization.options = {"-O3", "-lineinfo"};
  specialization.include_directories = {"/home/me"};
  specialization.entries = {{"axpy<float, 4>", Dim3{256, 2, 1}, "512"}, {"plain", std::nullopt, ""}};
  specialization.target = Target{"cuda", "sm_90a", 32};
  return specialization;
}

const CompilerIdentity& identity() {
  static const CompilerIdentity compiler{"NVRTC", "12.8.93", "shim 1"};
  return compiler;
}

// The key is what makes caches of different versions of Kiln agree: a change of this text throws away every
// cache in the world. It must come with a change of kKeyFormat.
TEST(MakeCacheKey, KnownAnswer) {
  const CacheKey key = make_cache_key(full_specialization(), identity(), "");
  EXPECT_EQ(key.preimage,
            "format 1\n1\n"
            "backend 4\ncuda\n"
            "arch 6\nsm_90a\n"
            "warp_size 2\n32\n"
            "compiler.name 5\nNVRTC\n"
            "compiler.version 7\n12.8.93\n"
            "compiler.fingerprint 6\nshim 1\n"
            "fast_math 1\n0\n"
            "option 3\n-O3\n"
            "option 9\n-lineinfo\n"
            "define:FAST 0\n\n"
            "define:N 1\n4\n"
            "entry 14\naxpy<float, 4>\n"
            "entry.fixed_block 7\n256,2,1\n"
            "entry.launch_bounds 3\n512\n"
            "entry 5\nplain\n"
            "entry.fixed_block 0\n\n"
            "entry.launch_bounds 0\n\n"
            "params.h 26\nstruct Params { int n; };\n\n"
            "source 24\n__global__ void axpy();\n\n"
            "header:a.h 6\nint a;\n"
            "header:b.h 6\nint b;\n");
  EXPECT_EQ(key.digest, "c82b8625a82f41a98c2c537d42ce4c665a40860f46f5b22864a19ee3fca1263e");
}

TEST(MakeCacheKey, DigestIsOfThePreimage) {
  const CacheKey key = make_cache_key(full_specialization(), identity(), "");
  EXPECT_EQ(key.digest, sha256_hex(key.preimage));
}

TEST(MakeCacheKey, EveryIngredientChangesIt) {
  using Change = std::function<void(Specialization&, CompilerIdentity&)>;
  const std::vector<Change> changes = {
      [](auto&, auto&) {},
      [](auto& s, auto&) { s.source_text += " "; },
      [](auto& s, auto&) { s.params_header += " "; },
      [](auto& s, auto&) { s.headers[0].text += " "; },
      [](auto& s, auto&) { s.headers[0].name = "c.h"; },
      [](auto& s, auto&) { std::swap(s.headers[0], s.headers[1]); },
      [](auto& s, auto&) { s.headers.pop_back(); },
      [](auto& s, auto&) { s.defines[1].second = "5"; },
      [](auto& s, auto&) { s.defines[1].first = "M"; },
      [](auto& s, auto&) { std::swap(s.defines[0], s.defines[1]); },
      [](auto& s, auto&) { s.options[0] = "-O2"; },
      [](auto& s, auto&) { std::swap(s.options[0], s.options[1]); },
      [](auto& s, auto&) { s.options = {"-O3 -lineinfo"}; },
      [](auto& s, auto&) { s.fast_math = true; },
      [](auto& s, auto&) { s.entries[0].name_expression = "axpy<float, 8>"; },
      [](auto& s, auto&) {
        s.entries[0].fixed_block = Dim3{256, 1, 2};
      },
      [](auto& s, auto&) { s.entries[0].fixed_block.reset(); },
      [](auto& s, auto&) { s.entries[0].launch_bounds = "512, 2"; },
      [](auto& s, auto&) { s.entries.pop_back(); },
      [](auto& s, auto&) { s.target.arch = "sm_90"; },
      [](auto& s, auto&) { s.target.backend = "hip"; },
      [](auto& s, auto&) { s.target.warp_size = 64; },
      [](auto&, auto& c) { c.name = "nvrtc"; },
      [](auto&, auto& c) { c.version = "12.9"; },
      [](auto&, auto& c) { c.fingerprint = "shim 2"; },
  };
  std::set<std::string> digests;
  for (const Change& change : changes) {
    Specialization specialization = full_specialization();
    CompilerIdentity compiler = identity();
    change(specialization, compiler);
    digests.insert(make_cache_key(specialization, compiler, "").digest);
  }
  EXPECT_EQ(digests.size(), changes.size());
}

TEST(MakeCacheKey, PathsDoNot) {
  Specialization moved = full_specialization();
  moved.source_path = "/elsewhere/axpy.cu";
  moved.headers[0].path = "/elsewhere/a.h";
  moved.include_directories = {"/elsewhere", "/else"};
  EXPECT_EQ(make_cache_key(moved, identity(), "").preimage,
            make_cache_key(full_specialization(), identity(), "").preimage);
}

TEST(MakeCacheKey, SurroundingsDo) {
  const Specialization specialization = full_specialization();
  std::set<std::string> digests;
  for (const char* versions : {"", "CUDA 12.9", "CUDA 13.0", "CUDA 13.0, CCCL 3.0.1"}) {
    digests.insert(make_cache_key(specialization, identity(), versions).digest);
  }
  EXPECT_EQ(digests.size(), 4U);
}

TEST(MakeCacheKey, PathsDoWhereTheCodeNamesThem) {
  Specialization specialization = full_specialization();
  specialization.lineinfo = true;
  specialization.source_path = "/here/axpy.cu";
  std::set<std::string> digests = {make_cache_key(specialization, identity(), "").digest};
  specialization.source_path = "/there/axpy.cu";
  digests.insert(make_cache_key(specialization, identity(), "").digest);
  specialization.headers[0].path = "/there/a.h";
  digests.insert(make_cache_key(specialization, identity(), "").digest);
  EXPECT_EQ(digests.size(), 3U);
}

}  // namespace
}  // namespace kiln
