#include "cache/key_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hash.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

KeyParts parts() {
  KeyParts key;
  key.format = "2";
  key.backend = "cuda";
  key.arch = "sm_90";
  key.warp_size = "32";
  key.fast_math = "0";
  key.compiler = "NVRTC";
  key.compiler_version = "12.9";
  key.fingerprint = "f";
  key.source_name = "stencil7.cu";
  key.source = "one\ntwo\nthree\n";
  key.params =
      "#pragma once\nusing T = float;\nstruct Params {\n  static constexpr int block_x = 256;\n  unsigned "
      "long nx;\n};\n";
  key.options = {"-a", "-b"};
  key.defines = {{"N", "4"}, {"M", ""}};
  key.headers = {{"foo.h", "int foo;\n"}, {"bar.h", "int bar;\n"}};
  key.entries = {{"laplacian", "256,1,1", "256"}, {"axpy<float, 4>", "", ""}};
  return key;
}

template <class Change>
std::vector<std::string> texts(Change change) {
  KeyParts to = parts();
  change(to);
  std::vector<std::string> found;
  for (const KeyDifference& difference : find_differences(parts(), to)) {
    EXPECT_GT(difference.weight, 0);
    found.push_back(difference.text);
  }
  return found;
}

TEST(KeyDifference, NothingDiffersFromItself) {
  EXPECT_THAT(texts([](KeyParts&) {}), IsEmpty());
}

TEST(KeyDifference, NamesTheMachine) {
  EXPECT_THAT(texts([](KeyParts& k) { k.arch = "sm_80"; }), ElementsAre("target sm_90 -> sm_80"));
  EXPECT_THAT(texts([](KeyParts& k) { k.backend = "hip", k.arch = "gfx90a", k.warp_size = "64"; }),
              ElementsAre("target cuda:sm_90 -> hip:gfx90a"));
  EXPECT_THAT(texts([](KeyParts& k) { k.warp_size = "64"; }), ElementsAre("warp size 32 -> 64"));
  EXPECT_THAT(texts([](KeyParts& k) { k.compiler_version = "13.0"; }), ElementsAre("NVRTC 12.9 -> 13.0"));
  EXPECT_THAT(texts([](KeyParts& k) { k.compiler = "g++", k.compiler_version = "g++ 12.2.0"; }),
              ElementsAre("compiler NVRTC 12.9 -> g++ 12.2.0"));
  EXPECT_THAT(texts([](KeyParts& k) { k.fingerprint = "g"; }),
              ElementsAre("another build of NVRTC, or of what Kiln adds to each text"));
  EXPECT_THAT(texts([](KeyParts& k) { k.surroundings = "CUDA 13.0"; }),
              ElementsAre("surroundings none -> CUDA 13.0"));
  EXPECT_THAT(texts([](KeyParts& k) { k.format = "3"; }), ElementsAre("key format 2 -> 3"));
}

TEST(KeyDifference, NamesTheText) {
  EXPECT_THAT(texts([](KeyParts& k) { k.source = "one\nother\nthree\n"; }),
              ElementsAre("stencil7.cu changed (line 2)"));
  EXPECT_THAT(texts([](KeyParts& k) { k.source_name = "s.cu"; }), ElementsAre("source stencil7.cu -> s.cu"));
  EXPECT_THAT(texts([](KeyParts& k) { k.headers[0].second = "int other;\n"; }),
              ElementsAre("header foo.h changed (line 1)"));
  EXPECT_THAT(texts([](KeyParts& k) { k.headers.emplace_back("new.h", ""); }),
              ElementsAre("header new.h added"));
  EXPECT_THAT(texts([](KeyParts& k) { k.headers.pop_back(); }), ElementsAre("header bar.h removed"));
  EXPECT_THAT(texts([](KeyParts& k) { std::swap(k.headers[0], k.headers[1]); }),
              ElementsAre("headers are included in another order"));
}

TEST(KeyDifference, NamesTheParameters) {
  const auto with = [](const std::string& from, const std::string& to) {
    return [=](KeyParts& k) { k.params.replace(k.params.find(from), from.size(), to); };
  };
  EXPECT_THAT(texts(with("= 256", "= 512")), ElementsAre("kiln/params.h: block_x 256 -> 512"));
  EXPECT_THAT(texts(with("T = float", "T = double")), ElementsAre("kiln/params.h: T float -> double"));
  EXPECT_THAT(texts(with("unsigned long nx;", "static constexpr unsigned long nx = 7;")),
              ElementsAre("kiln/params.h: nx at run time (unsigned long) -> 7"));
  EXPECT_THAT(texts(with("  unsigned long nx;\n", "")),
              ElementsAre("kiln/params.h: nx at run time (unsigned long) -> none"));
  EXPECT_THAT(texts(with("#pragma once", "#pragma twice")), ElementsAre("kiln/params.h changed (line 1)"));
}

TEST(KeyDifference, NamesWhatTheCompilerIsTold) {
  EXPECT_THAT(texts([](KeyParts& k) { k.options.emplace_back("-use_fast_math"); }),
              ElementsAre("option -use_fast_math added"));
  EXPECT_THAT(texts([](KeyParts& k) { k.options.erase(k.options.begin()); }),
              ElementsAre("option -a removed"));
  EXPECT_THAT(texts([](KeyParts& k) { std::swap(k.options[0], k.options[1]); }),
              ElementsAre("options are in another order"));
  EXPECT_THAT(texts([](KeyParts& k) { k.defines[0].second = "5"; }), ElementsAre("macro N 4 -> 5"));
  EXPECT_THAT(
      texts([](KeyParts& k) { k.defines.erase(k.defines.begin()), k.defines.emplace_back("K", "1"); }),
      UnorderedElementsAre("macro K added", "macro N removed"));
  EXPECT_THAT(texts([](KeyParts& k) { std::swap(k.defines[0], k.defines[1]); }),
              ElementsAre("macros are in another order"));
  EXPECT_THAT(texts([](KeyParts& k) { k.fast_math = "1"; }), ElementsAre("fast_math off -> on"));
  EXPECT_THAT(texts([](KeyParts& k) { k.lineinfo = "/a/k.cu\n"; }), ElementsAre("lineinfo off -> on"));
  EXPECT_THAT(texts([](KeyParts& k) { k.entries[0].fixed_block = ""; }),
              ElementsAre("block of laplacian 256,1,1 -> none"));
  EXPECT_THAT(texts([](KeyParts& k) { k.entries[0].launch_bounds = "256, 2"; }),
              ElementsAre("launch bounds of laplacian 256 -> 256, 2"));
  EXPECT_THAT(texts([](KeyParts& k) { k.entries[1].name = "axpy<float, 8>"; }),
              UnorderedElementsAre("entry axpy<float, 8> added", "entry axpy<float, 4> removed"));
}

TEST(KeyDifference, TheWeightiestComesFirst) {
  EXPECT_THAT(texts([](KeyParts& k) { k.fast_math = "1", k.arch = "sm_80", k.source = "x"; }),
              ElementsAre("target sm_90 -> sm_80", "stencil7.cu changed (line 1)", "fast_math off -> on"));
}

TEST(Preimage, IsTakenApart) {
  FieldHasher hasher;
  hasher.field("format", "2").field("backend", "cpu").field("source.name", "k.cu").field("option", "-x y\nz");
  hasher.field("define:N", "").field("entry", "f<1>").field("entry.fixed_block", "1,1,1");
  hasher.field("entry.launch_bounds", "2").field("header:a b.h", "header\n").field("lineinfo", "/k.cu");
  const auto key = parse_preimage(hasher.preimage());
  ASSERT_TRUE(key);
  EXPECT_EQ(key->backend, "cpu");
  EXPECT_THAT(key->options, ElementsAre("-x y\nz"));
  EXPECT_EQ(key->headers[0].first, "a b.h");
  EXPECT_EQ(key->headers[0].second, "header\n");
  EXPECT_EQ(key->entries[0].launch_bounds, "2");
  EXPECT_EQ(key->lineinfo, "/k.cu\n");
}

TEST(Preimage, OfAnotherFormIsNone) {
  FieldHasher hasher;
  const std::string good = hasher.field("format", "2").field("backend", "cpu").preimage();
  ASSERT_TRUE(parse_preimage(good));
  for (std::size_t length = 0; length < good.size(); ++length) {
    const auto cut = parse_preimage(good.substr(0, length));
    EXPECT_EQ(cut.has_value(), good.substr(0, length) == "format 1\n2\n");
  }
  EXPECT_FALSE(parse_preimage(good + "unknown 1\nx\n"));
  EXPECT_FALSE(parse_preimage("format 99999999999999999999\n2\n"));
  EXPECT_FALSE(parse_preimage("format -1\n2\n"));
  EXPECT_FALSE(parse_preimage("format 18446744073709551615\n2\n"));
  EXPECT_FALSE(parse_preimage("entry.fixed_block 0\n\n"));
}

TEST(RelatedKeys, AreOfOneFileOrOneFunction) {
  KeyParts other = parts();
  EXPECT_TRUE(are_related(parts(), other));
  other.source_name = "other.cu";
  EXPECT_TRUE(are_related(parts(), other));
  other.entries = {{"axpy<double, 1>", "", ""}};
  EXPECT_TRUE(are_related(parts(), other));
  other.entries = {{"axpy2<double>", "", ""}};
  EXPECT_FALSE(are_related(parts(), other));
}

}  // namespace
}  // namespace kiln
