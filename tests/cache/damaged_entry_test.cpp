#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cache/disk_cache_fixture.h"

namespace kiln {
namespace {

using test::expect_same;
using test::key_of;
using test::make_code;
using testing::ElementsAre;
using testing::HasSubstr;

/// An entry of key_ exists; each test damages it. Loading detects damage of the files that it reads, `verify`
/// damage of the documents source.cu and preimage.txt.
class DamagedEntry : public test::DiskCacheTest {
 protected:
  void SetUp() override { cache_.publish(key_, make_code(), label_); }

  [[nodiscard]] std::string path(const std::string& name) const { return entry_of(key_) + "/" + name; }

  [[nodiscard]] static bool is_document(const std::string& file) {
    return file.ends_with("source.cu") || file.ends_with("preimage.txt");
  }
  /// Whether the damage is detected where it must be: a damaged document does not affect the binary.
  [[nodiscard]] bool is_found(const std::string& file) {
    if (!is_document(file)) return !cache_.load(key_).has_value();
    return cache_.load(key_).has_value() && cache_.verify().damaged.size() == 1;
  }

  /// With a checksum that fits again.
  void change_metadata(const std::function<void(nlohmann::json&)>& change) {
    auto document = nlohmann::json::parse(*files_.read_file(path("entry.json")));
    change(document);
    const std::string zeros(64, '0');
    document["checksum"] = zeros;
    std::string text = document.dump();
    text.replace(text.find(zeros), zeros.size(), sha256_hex(text));
    files_.write_file(path("entry.json"), text, false);
  }

  /// A miss with one warning that contains `what`; publishing replaces the entry; then it is a hit.
  void expect_damage_and_recovery(const std::string& what) {
    log_.clear();
    const CacheCounters before = other_.counters();
    EXPECT_FALSE(other_.load(key_).has_value()) << what;
    EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr(what)));
    EXPECT_EQ(other_.counters().misses, before.misses + 1);
    EXPECT_EQ(other_.counters().damaged, before.damaged + 1);
    EXPECT_EQ(other_.counters().hits, before.hits);

    other_.publish(key_, make_code(), label_);
    EXPECT_EQ(other_.counters().published, before.published + 1);
    const auto code = other_.load(key_);
    ASSERT_TRUE(code.has_value()) << what;
    expect_same(*code, make_code());
    EXPECT_EQ(other_.counters().hits, before.hits + 1);
    EXPECT_THAT(other_.verify().damaged, testing::IsEmpty());
    EXPECT_THAT(files_.list("/cache/tmp"), testing::IsEmpty());
  }
};

TEST_F(DamagedEntry, AnyFlippedByteOfAnyFile) {
  for (const std::string& file : files_.files_below(entry_of(key_))) {
    const std::string good = *files_.read_file(file);
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const unsigned flip : {0x01U, 0x20U, 0x80U}) {
        std::string bad = good;
        bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ flip);
        files_.write_file(file, bad, false);
        ASSERT_TRUE(is_found(file)) << file << " at " << at << " with " << flip;
      }
    }
    files_.write_file(file, good, false);
  }
  EXPECT_TRUE(cache_.load(key_).has_value());
}

TEST_F(DamagedEntry, AnyTruncatedFile) {
  for (const std::string& file : files_.files_below(entry_of(key_))) {
    const std::string good = *files_.read_file(file);
    for (std::size_t size = 0; size < good.size(); ++size) {
      files_.write_file(file, good.substr(0, size), false);
      ASSERT_TRUE(is_found(file)) << file << " cut to " << size;
    }
    files_.write_file(file, good + "x", false);
    ASSERT_TRUE(is_found(file)) << file << " with a byte more";
    files_.write_file(file, good, false);
  }
}

TEST_F(DamagedEntry, IsReplaced) {
  files_.write_file(path("binary"), "garbage", false);
  expect_damage_and_recovery("binary has 7 bytes, 5 are recorded");
  files_.write_file(path("log.txt"), make_code().log.substr(1) + "x", false);
  expect_damage_and_recovery("log.txt has a wrong SHA-256");
  files_.write_file(path("entry.json"), "not json", false);
  expect_damage_and_recovery("entry.json is not a JSON object");
  files_.write_file(path("entry.json"), "{}", false);
  expect_damage_and_recovery("entry.json has a wrong checksum");
}

TEST_F(DamagedEntry, MissingFile) {
  for (const char* name : {"binary", "entry.json", "log.txt"}) {
    files_.remove_all(path(name));
    expect_damage_and_recovery(std::string(name) + " is missing");
  }
}

TEST_F(DamagedEntry, MissingDocumentIsFoundByVerifyAndRemovedByItsRepair) {
  for (const std::string name : {"preimage.txt", "source.cu"}) {
    files_.remove_all(path(name));
    EXPECT_TRUE(other_.load(key_).has_value());
    EXPECT_THAT(other_.verify().damaged, ElementsAre(key_.digest + ": " + name + " is missing"));
    EXPECT_EQ(other_.verify(true).repaired, 1U);
    EXPECT_FALSE(other_.load(key_).has_value());
    other_.publish(key_, make_code(), label_);
    EXPECT_THAT(other_.verify().damaged, testing::IsEmpty());
  }
  EXPECT_THAT(log_.warnings(), testing::IsEmpty());
}

/// Neither a link nor another user's document is opened for a hit.
TEST_F(DamagedEntry, AHitReadsWhatIsLoadedAndNothingElse) {
  files_.remove_all(path("source.cu"));
  files_.add_symlink(path("source.cu"), "/elsewhere");
  files_.set_owner(path("preimage.txt"), 12345);
  files_.clear_reads();
  EXPECT_TRUE(other_.load(key_).has_value());
  EXPECT_THAT(files_.reads(), ElementsAre(path("entry.json"), path("binary"), path("log.txt")));
}

/// As a crash of the machine leaves them: entries are published without fsync.
TEST_F(DamagedEntry, FilesThatTheDiskDidNotKeep) {
  for (const char* name : {"binary", "entry.json", "log.txt"}) {
    const std::string good = *files_.read_file(path(name));
    files_.write_file(path(name), "", false);
    expect_damage_and_recovery(name);
    files_.write_file(path(name), std::string(good.size(), '\0'), false);
    expect_damage_and_recovery(name);
  }
}

TEST_F(DamagedEntry, EmptyDirectory) {
  files_.remove_all(entry_of(key_));
  files_.make_directories(entry_of(key_), true);
  expect_damage_and_recovery("entry.json is missing");
}

TEST_F(DamagedEntry, AFileInItsPlace) {
  files_.remove_all(entry_of(key_));
  files_.write_file(entry_of(key_), "a file", false);
  expect_damage_and_recovery("it is not a directory");
}

TEST_F(DamagedEntry, LinkToAGoodEntryIsNotFollowed) {
  EXPECT_TRUE(files_.rename(entry_of(key_), "/elsewhere"));
  files_.add_symlink(entry_of(key_), "/elsewhere");
  expect_damage_and_recovery("it is not a directory");
  EXPECT_TRUE(files_.status("/elsewhere/binary").has_value());
}

TEST_F(DamagedEntry, LinkToAGoodFileIsNotFollowed) {
  EXPECT_TRUE(files_.rename(path("binary"), "/binary"));
  files_.add_symlink(path("binary"), "/binary");
  expect_damage_and_recovery("binary is not a plain file");
  EXPECT_TRUE(files_.status("/binary").has_value());
}

TEST_F(DamagedEntry, ForeignOwner) {
  files_.set_owner(entry_of(key_), 12345);
  expect_damage_and_recovery("it belongs to user 12345");
}

TEST_F(DamagedEntry, AnotherKeysEntryInItsPlace) {
  const CacheKey second = key_of("something else");
  other_.publish(second, make_code("else"), label_);
  EXPECT_EQ(other_.counters().published, 1);
  files_.remove_all(entry_of(key_));
  EXPECT_TRUE(files_.rename(entry_of(second), entry_of(key_)));
  expect_damage_and_recovery("it is the entry of another key");
}

TEST_F(DamagedEntry, NamesThatLeadOutOfTheEntryAreRefused) {
  files_.write_file("/secret", "x", false);
  change_metadata([](nlohmann::json& document) {
    document["files"]["../../../../secret"] = {{"size", 1}, {"sha256", sha256_hex("x")}};
  });
  expect_damage_and_recovery("is not a name of a file");
}

TEST_F(DamagedEntry, NumbersThatAreNoneAreRefused) {
  for (const nlohmann::json& value :
       std::vector<nlohmann::json>{1.5e300, -1e300, 0.5, 5'000'000'000, "40", {}}) {
    change_metadata(
        [&](nlohmann::json& document) { document["resources"]["axpy<float>"]["registers"] = value; });
    expect_damage_and_recovery("entry.json is not as expected: a number in it is not whole or not in range");
  }
  change_metadata([](nlohmann::json& document) { document["files"]["binary"]["size"] = -5; });
  expect_damage_and_recovery("not in range");
  change_metadata([](nlohmann::json& document) { document["created_ns"] = 1e19; });
  expect_damage_and_recovery("not in range");
}

TEST_F(DamagedEntry, FilesThatAreNotRecordedAreIgnored) {
  files_.write_file(path("accessed"), "by a later version", false);
  EXPECT_TRUE(cache_.load(key_).has_value());
}

TEST_F(DamagedEntry, VerifyNamesIt) {
  const CacheKey second = key_of("another");
  cache_.publish(second, make_code(), label_);
  files_.write_file(path("binary"), "garbage", false);
  const VerifyReport report = cache_.verify();
  EXPECT_EQ(report.entries, 2);
  EXPECT_THAT(report.damaged, ElementsAre(key_.digest + ": binary has 7 bytes, 5 are recorded"));
}

TEST_F(DamagedEntry, VerifyFindsAnEntryUnderAWrongName) {
  const CacheKey wrong{std::string(64, 'a'), key_.preimage};
  cache_.publish(wrong, make_code(), label_);
  EXPECT_THAT(cache_.verify().damaged,
              ElementsAre(wrong.digest + ": its name is not the digest of its preimage"));
}

}  // namespace
}  // namespace kiln
