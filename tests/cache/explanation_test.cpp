#include "cache/explanation.h"

#include <gmock/gmock.h>

#include "cache/disk_cache_fixture.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;

CacheKey kernel_key(const std::string& function, const std::string& block,
                    const std::string& arch = "sm_90") {
  FieldHasher hasher;
  hasher.field("format", "2").field("backend", "cuda").field("arch", arch).field("entry", function);
  hasher.field("params.h", "struct Params {\n  static constexpr int block_x = " + block + ";\n};\n");
  return {hasher.hex(), hasher.preimage()};
}

class ExplanationTest : public DiskCacheTest {
 protected:
  void publish(const CacheKey& key, const std::string& root = "/cache") {
    DiskCache cache(files_, clock_, log_, root);
    cache.publish(key, make_code(), label_);
  }
  KeyExplanation explain(const CacheKey& key) { return explain_keys(files_, stores_, {key}).at(0); }

  static std::vector<std::string> texts(const KeyExplanation& explanation) {
    std::vector<std::string> found;
    for (const KeyDifference& difference : explanation.nearest->differences) found.push_back(difference.text);
    return found;
  }

  std::vector<EntryStore> stores_{{files_, "/cache", EntryStore::Owners::kSelfAndRoot},
                                  {files_, "/site", EntryStore::Owners::kAlsoOfTheFolder}};
};

TEST_F(ExplanationTest, AHitNamesItsLayer) {
  publish(kernel_key("f", "1"));
  publish(kernel_key("f", "2"), "/site");
  EXPECT_EQ(explain(kernel_key("f", "1")).layer, "/cache");
  EXPECT_EQ(explain(kernel_key("f", "2")).layer, "/site");
  EXPECT_FALSE(explain(kernel_key("f", "2")).nearest);
}

TEST_F(ExplanationTest, AMissNamesTheNearestEntryOfTheKernel) {
  publish(kernel_key("g", "512"));
  publish(kernel_key("f", "256", "sm_80"));
  const KeyExplanation far = explain(kernel_key("f", "512"));
  ASSERT_TRUE(far.nearest);
  EXPECT_THAT(texts(far), ElementsAre("target sm_80 -> sm_90", "kiln/params.h: block_x 256 -> 512"));
  publish(kernel_key("f", "256"), "/site");
  const KeyExplanation near = explain(kernel_key("f", "512"));
  EXPECT_FALSE(near.hit());
  EXPECT_EQ(near.nearest->digest, kernel_key("f", "256").digest);
  EXPECT_EQ(near.nearest->layer, "/site");
  EXPECT_THAT(texts(near), ElementsAre("kiln/params.h: block_x 256 -> 512"));
}

TEST_F(ExplanationTest, OtherKernelsAreNotNear) {
  publish(kernel_key("g", "512"));
  const KeyExplanation miss = explain(kernel_key("f", "512"));
  EXPECT_FALSE(miss.hit());
  EXPECT_FALSE(miss.nearest);
}

TEST_F(ExplanationTest, DamageIsToldAndHealsNothing) {
  const CacheKey key = kernel_key("f", "1");
  publish(key);
  files_.write_file(entry_of(key) + "/binary", "ELG", false);
  const auto operations = files_.operations().size();
  const KeyExplanation miss = explain(key);
  EXPECT_FALSE(miss.hit());
  EXPECT_EQ(miss.damage, "binary has 3 bytes, 5 are recorded");
  EXPECT_FALSE(miss.nearest);
  EXPECT_EQ(files_.operations().size(), operations);
}

TEST_F(ExplanationTest, AnEntryWhoseNameIsNotItsPreimagesIsPassedOver) {
  const CacheKey key = kernel_key("f", "1");
  publish(key);
  files_.write_file(entry_of(key) + "/preimage.txt", kernel_key("f", "2").preimage, false);
  EXPECT_FALSE(explain(kernel_key("f", "3")).nearest);
}

TEST_F(ExplanationTest, NoFolderIsAMiss) {
  EXPECT_FALSE(explain(kernel_key("f", "1")).hit());
  EXPECT_TRUE(explain_keys(files_, {}, {}).empty());
}

}  // namespace
}  // namespace kiln::test
