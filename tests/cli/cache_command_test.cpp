#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/hash.h"
#include "cache/disk_cache.h"
#include "cli/cli_fixture.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A cache with three entries.
class CacheCommand : public CliTest {
 protected:
  CacheCommand() {
    publish("stencil.cu", "cuda:sm_90", 1000, 40);
    publish("triad.cu", "cuda:sm_80", 5000, 128);
    publish("axpy.cu", "hip:gfx90a:sramecc+:xnack-", 3000, {});
  }

  void publish(const std::string& label, const std::string& target, std::size_t bytes,
               std::optional<int> registers) {
    DiskCache cache(*files_, *clock_, log_, path("cache"));
    CodeObject code;
    code.binary = std::string(bytes, 'b');
    code.format = "cubin";
    code.resources["k"].registers = registers;
    cache.publish(key_of(label), code, {label, target, "NVRTC 12.8", "void k();"});
  }
  static CacheKey key_of(const std::string& label) {
    FieldHasher hasher;
    hasher.field("source", label);
    return {hasher.hex(), hasher.preimage()};
  }
  [[nodiscard]] std::string entry(const std::string& label) const {
    const std::string digest = key_of(label).digest;
    return "cache/v1/" + digest.substr(0, 2) + "/" + digest.substr(2);
  }
  /// The kernels of `kiln cache list` in its order.
  std::vector<std::string> listed(const std::string& sort) {
    std::vector<std::string> labels;
    for (const auto& one : nlohmann::json::parse(kiln({"cache", "list", "--json", "--sort", sort}).out))
      labels.push_back(one.at("kernel"));
    return labels;
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  RecordingLog log_;
};

TEST_F(CacheCommand, ListSorts) {
  EXPECT_EQ(listed("size"), (std::vector<std::string>{"triad.cu", "axpy.cu", "stencil.cu"}));
  EXPECT_EQ(listed("registers"), (std::vector<std::string>{"triad.cu", "stencil.cu", "axpy.cu"}));
  EXPECT_EQ(listed("age"), (std::vector<std::string>{"axpy.cu", "triad.cu", "stencil.cu"}));
  EXPECT_EQ(listed("kernel"), (std::vector<std::string>{"axpy.cu", "stencil.cu", "triad.cu"}));
  EXPECT_TRUE(DiskCache(*files_, *clock_, log_, path("cache")).load(key_of("stencil.cu")));
  EXPECT_EQ(listed("hits").front(), "stencil.cu");
  EXPECT_EQ(listed("used").front(), "stencil.cu");
  const CliResult wrong = kiln({"cache", "list", "--sort", "sise"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--sort: 'sise' is not known; did you mean 'size'?"));
}

TEST_F(CacheCommand, ListIsATableOrJson) {
  const CliResult table = kiln({"cache", "list"});
  EXPECT_THAT(table.out,
              AllOf(HasSubstr("registers"), HasSubstr("hits"), HasSubstr("128"), HasSubstr("3 entries, ")));
  const auto json = nlohmann::json::parse(kiln({"cache", "list", "--json", "--sort", "size"}).out);
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0].at("key"), key_of("triad.cu").digest);
  EXPECT_EQ(json[0].at("registers"), 128);
  EXPECT_EQ(json[0].at("hits"), 0);
  EXPECT_TRUE(json[0].at("used").is_null());
  EXPECT_TRUE(json[1].at("registers").is_null());
  EXPECT_GT(json[0].at("bytes"), 5000);
  EXPECT_EQ(kiln({"cache", "clear"}).code, 0);
  EXPECT_EQ(kiln({"cache", "list", "--json"}).out, "[]\n");
}

TEST_F(CacheCommand, VerifyNamesAndRepairs) {
  EXPECT_EQ(kiln({"cache", "verify"}).code, 0);
  write(entry("triad.cu") + "/binary", "junk");
  const CliResult bad = kiln({"cache", "verify"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, HasSubstr("damaged: " + key_of("triad.cu").digest + ": binary has 4 bytes"));
  EXPECT_THAT(kiln({"cache", "verify", "--repair"}).out,
              HasSubstr("3 entries: 1 damaged, 1 of them removed"));
  EXPECT_THAT(kiln({"cache", "verify"}).out, HasSubstr("2 entries: 0 damaged"));
}

TEST_F(CacheCommand, GcMakesRoom) {
  const CliResult dry = kiln({"cache", "gc", "--max-size", "0", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_THAT(dry.out, HasSubstr("3 entries ("));
  EXPECT_THAT(dry.out, HasSubstr("would be removed"));
  EXPECT_THAT(kiln({"cache", "list"}).out, HasSubstr("3 entries"));
  EXPECT_THAT(kiln({"cache", "gc"}).out, HasSubstr("0 entries (0 B) of 3"));
  EXPECT_THAT(kiln({"cache", "gc", "--older-than", "1 h"}).out, HasSubstr("0 entries"));
  EXPECT_THAT(kiln({"cache", "gc", "--max-size", "11 kB"}).out, HasSubstr("1 entry ("));
  EXPECT_THAT(kiln({"cache", "list"}).out, AllOf(HasSubstr("2 entries"), Not(HasSubstr("stencil.cu"))));
}

TEST_F(CacheCommand, GcKeepsWhatIsInUse) {
  DiskCache running(*files_, *clock_, log_, path("cache"));
  EXPECT_TRUE(running.load(key_of("triad.cu")));
  EXPECT_THAT(kiln({"cache", "gc", "--max-size", "0"}).out,
              AllOf(HasSubstr("2 entries ("), HasSubstr("1 entry in use stay")));
  EXPECT_TRUE(exists(entry("triad.cu")));
}

TEST_F(CacheCommand, GcRefusesNonsense) {
  EXPECT_THAT(kiln({"cache", "gc", "--max-size", "3 Gb"}).err,
              HasSubstr("--max-size: '3 Gb': 'Gb' is not a unit of size; did you mean 'GB'?"));
  const CliResult time = kiln({"cache", "gc", "--older-than", "soon"});
  EXPECT_EQ(time.code, 2);
  EXPECT_THAT(time.err, HasSubstr("--older-than: 'soon' is not a duration"));
}

TEST_F(CacheCommand, PackAndUnpack) {
  const CliResult packed = kiln({"cache", "pack", "--arch", "sm_90,gfx90a", "-o", path("b.tar")});
  EXPECT_EQ(packed.code, 0) << packed.err;
  EXPECT_THAT(packed.out, HasSubstr("2 entries"));
  const CliResult unpacked = kiln({"cache", "unpack", path("b.tar"), "-o", path("site")});
  EXPECT_EQ(unpacked.code, 0) << unpacked.err;
  EXPECT_TRUE(exists("site" + entry("stencil.cu").substr(5) + "/binary"));
  EXPECT_FALSE(exists("site" + entry("triad.cu").substr(5)));
  DiskCacheOptions options{path("other")};
  options.read_only = {path("site")};
  DiskCache layered(*files_, *clock_, log_, options);
  EXPECT_TRUE(layered.load(key_of("stencil.cu")));
  EXPECT_EQ(kiln({"cache", "pack", "-o", path("folder/")}).code, 0);
  EXPECT_TRUE(exists("folder" + entry("triad.cu").substr(5) + "/binary"));
  EXPECT_EQ(kiln({"cache", "clear"}).code, 0);
  EXPECT_THAT(kiln({"cache", "unpack", path("b.tar")}).out, HasSubstr("2 entries"));
  EXPECT_THAT(kiln({"cache", "verify"}).out, HasSubstr("2 entries: 0 damaged"));
}

TEST_F(CacheCommand, PackSaysWhatIsWrong) {
  EXPECT_EQ(kiln({"cache", "pack"}).code, 2);
  const CliResult unknown = kiln({"cache", "pack", "--arch", "sm_91", "-o", path("b.tar")});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--arch sm_91: the cache has no entry for it"));
  EXPECT_FALSE(exists("b.tar"));
  EXPECT_EQ(kiln({"cache", "pack", "-o", path("cache/")}).code, 2);
  EXPECT_EQ(kiln({"cache", "clear"}).code, 0);
  EXPECT_THAT(kiln({"cache", "pack", "-o", path("x.tar")}).err,
              HasSubstr("the cache has no entries to pack"));
}

TEST_F(CacheCommand, UnpackRefusesInOneLine) {
  for (const std::string& text : std::vector<std::string>{"", "not a bundle", std::string(5000, 'x')}) {
    const CliResult result = kiln({"cache", "unpack", write("bad.tar", text), "-o", path("site")});
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("bad.tar' is refused: "), HasSubstr("; nothing was unpacked\n")));
    EXPECT_FALSE(exists("site/v1"));
  }
  EXPECT_EQ(kiln({"cache", "unpack", path("none.tar")}).code, 2);
  EXPECT_EQ(kiln({"cache", "unpack"}).code, 2);
}

}  // namespace
}  // namespace kiln::test
