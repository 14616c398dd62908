#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "base/hash.h"
#include "cache/make_cache_key.h"

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
//
// The digest is that of
//   { printf 'format 1\n2\nbackend 4\ncuda\narch 6\nsm_90a\nwarp_size 2\n32\n';
//     printf 'compiler.name 5\nNVRTC\ncompiler.version 7\n12.8.93\ncompiler.fingerprint 6\n';
//     printf 'shim 1\nfast_math 1\n0\nsource.name 7\naxpy.cu\noption 3\n-O3\noption 9\n-lineinfo\n';
//     printf 'define:FAST 0\n\ndefine:N 1\n4\nentry 14\naxpy<float, 4>\n';
//     printf 'entry.fixed_block 7\n256,2,1\nentry.launch_bounds 3\n512\nentry 5\nplain\n';
//     printf 'entry.fixed_block 0\n\nentry.launch_bounds 0\n\nparams.h 26\n';
//     printf 'struct Params { int n; };\n\nsource 24\n__global__ void axpy();\n\n';
//     printf 'header:a.h 6\nint a;\nheader:b.h 6\nint b;\n'; } | sha256sum
TEST(MakeCacheKey, KnownAnswer) {
  const CacheKey key = make_cache_key(full_specialization(), identity(), "");
  EXPECT_EQ(key.preimage,
            "format 1\n2\n"
            "backend 4\ncuda\n"
            "arch 6\nsm_90a\n"
            "warp_size 2\n32\n"
            "compiler.name 5\nNVRTC\n"
            "compiler.version 7\n12.8.93\n"
            "compiler.fingerprint 6\nshim 1\n"
            "fast_math 1\n0\n"
            "source.name 7\naxpy.cu\n"
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
  EXPECT_EQ(key.digest, "3b98d0b53587587a01c79ebf5fc878b0e267d374b43e170a72ae498530dbdfa2");
}

//   { printf 'format 1\n2\nbackend 3\nhip\narch 6\ngfx90a\nwarp_size 2\n64\n';
//     printf 'compiler.name 6\nhipRTC\ncompiler.version 3\n6.4\ncompiler.fingerprint 1\nf\n';
//     printf 'fast_math 1\n1\nsource.name 4\nk.cu\nparams.h 0\n\nsource 0\n\nheader:h.h 0\n';
//     printf '\nsurroundings 9\nCUDA 13.0\nlineinfo 7\n/a/k.cu\nlineinfo.header 6\n/a/h.h\n'; } | sha256sum
TEST(MakeCacheKey, KnownAnswerWithLineInformationAndSurroundings) {
  Specialization specialization;
  specialization.source_name = "k.cu";
  specialization.source_path = "/a/k.cu";
  specialization.headers = {{"h.h", "/a/h.h", ""}};
  specialization.fast_math = specialization.lineinfo = true;
  specialization.target = {"hip", "gfx90a", 64};
  EXPECT_EQ(make_cache_key(specialization, {"hipRTC", "6.4", "f"}, "CUDA 13.0").digest,
            "48c55b0fa624cdcbcfe682b1450cb57b0ba74d55a35a37852231a753e51b0731");
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
      [](auto& s, auto&) { s.source_name = "other.cu"; },
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
