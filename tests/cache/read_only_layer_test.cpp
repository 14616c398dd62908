#include <gmock/gmock.h>

#include "cache/disk_cache_fixture.h"

namespace kiln {
namespace {

using test::expect_same;
using test::key_of;
using test::make_code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A cache at /cache over the layers /site and /vendor, both of which others have filled.
class ReadOnlyLayer : public test::DiskCacheTest {
 protected:
  void SetUp() override {
    DiskCache(files_, clock_, log_, "/site").publish(key_of("site"), make_code("of site"), label_);
    DiskCache(files_, clock_, log_, "/vendor").publish(key_of("vendor"), make_code("of vendor"), label_);
    DiskCache(files_, clock_, log_, "/vendor").publish(key_of("site"), make_code("other"), label_);
  }
  [[nodiscard]] static DiskCacheOptions options() {
    DiskCacheOptions wanted{"/cache"};
    wanted.read_only = {"/site", "/vendor"};
    return wanted;
  }
  static std::string entry_in(const std::string& root, const CacheKey& key) {
    return root + "/v1/" + key.digest.substr(0, 2) + "/" + key.digest.substr(2);
  }

  DiskCache layered_{files_, clock_, log_, options()};
};

TEST_F(ReadOnlyLayer, IsSearchedInOrderAfterTheRoot) {
  EXPECT_EQ(layered_.load(key_of("site"))->binary, "of site");
  EXPECT_EQ(layered_.load(key_of("vendor"))->binary, "of vendor");
  EXPECT_EQ(layered_.counters().read_only, 2U);
  cache_.publish(key_of("site"), make_code("mine"), label_);
  EXPECT_EQ(layered_.load(key_of("site"))->binary, "mine");
  EXPECT_EQ(layered_.counters().hits, 3U);
  EXPECT_EQ(layered_.counters().read_only, 2U);
  EXPECT_EQ(layered_.counters().misses, 0U);
}

TEST_F(ReadOnlyLayer, IsNeverWrittenTo) {
  const auto site = files_.files_below("/site");
  const auto vendor = files_.files_below("/vendor");
  const std::size_t operations = files_.operations().size();
  EXPECT_TRUE(layered_.load(key_of("site")).has_value());
  EXPECT_TRUE(layered_.load_or_lock(key_of("vendor")).code.has_value());
  EXPECT_EQ(files_.operations().size(), operations);
  EXPECT_FALSE(layered_.load(key_of("new")).has_value());
  layered_.publish(key_of("new"), make_code(), label_);
  EXPECT_EQ(layered_.clear(), 1U);
  EXPECT_EQ(layered_.collect({0, {}, false}).removed_entries, 0U);
  EXPECT_EQ(layered_.verify(true).entries, 3U);
  EXPECT_EQ(files_.files_below("/site"), site);
  EXPECT_EQ(files_.files_below("/vendor"), vendor);
}

TEST_F(ReadOnlyLayer, ADamagedEntryIsLookedForElsewhere) {
  files_.write_file(entry_in("/site", key_of("site")) + "/binary", "junk", false);
  EXPECT_EQ(layered_.load(key_of("site"))->binary, "other");
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("in '/site' is damaged")));
  EXPECT_EQ(layered_.counters().damaged, 1U);
  const VerifyReport report = layered_.verify(true);
  EXPECT_THAT(report.damaged, ElementsAre(HasSubstr(" in '/site': binary has 4 bytes")));
  EXPECT_EQ(report.repaired, 0U);
}

TEST_F(ReadOnlyLayer, MayBelongToWhoeverMaintainsIt) {
  const std::string entry = entry_in("/site", key_of("site"));
  for (const std::string& folder : std::vector<std::string>{"/site", "/site/v1", entry})
    files_.set_owner(folder, 12345);
  EXPECT_EQ(layered_.load(key_of("site"))->binary, "of site");
  files_.set_owner(entry, 54321);
  EXPECT_EQ(layered_.load(key_of("site"))->binary, "other");
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("it belongs to user 54321")));
}

TEST_F(ReadOnlyLayer, OneThatAnyoneMayWriteToIsNotUsed) {
  files_.set_mode("/site/v1", 0777);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(layered_.load(key_of("site"))->binary, "other");
  EXPECT_THAT(log_.warnings(), ElementsAre("'/site' of cache_read_only is not used: anyone may write to it"));
}

TEST_F(ReadOnlyLayer, OneThatIsNotThereIsSaidOnce) {
  DiskCacheOptions wanted{"/cache"};
  wanted.read_only = {"/stie", "/site"};
  DiskCache cache(files_, clock_, log_, wanted);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(cache.load(key_of("site")).has_value());
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("'/stie' of cache_read_only is not used: there is no")));
  EXPECT_EQ(cache.disabled_reason(), "");
}

TEST_F(ReadOnlyLayer, IsUsedWhereTheRootIsNot) {
  files_.make_directories("/cache", true);
  files_.set_mode("/cache", 0777);
  const auto code = layered_.load_or_lock(key_of("site")).code;
  ASSERT_TRUE(code.has_value());
  expect_same(*code, make_code("of site"));
  EXPECT_THAT(files_.files_below("/cache"), IsEmpty());
}

}  // namespace
}  // namespace kiln
