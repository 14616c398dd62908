#include "cache/bundle.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>

#include "base/process.h"
#include "cache/disk_cache_fixture.h"
#include "cache/tar.h"
#include "kiln/error.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::expect_same;
using test::key_of;
using test::make_code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A cache with two entries and a bundle of them; each test of damage changes the bundle's text.
class BundleTest : public test::DiskCacheTest {
 protected:
  void SetUp() override {
    cache_.publish(key_, make_code("one"), label_);
    label_.target = "hip:gfx90a";
    cache_.publish(key_of("two"), make_code(std::string(1000, '2')), label_);
    summary_ = pack_bundle(files_, store_, all_, "/bundle.tar");
    text_ = *files_.read_file("/bundle.tar");
  }

  [[nodiscard]] static std::string member(const std::string& name, const std::string& bytes,
                                          char type = '0') {
    std::string header = tar_header(name, bytes.size());
    header[156] = type;
    return with_checksum(header) + bytes + tar_padding(bytes.size());
  }
  [[nodiscard]] static std::string with_checksum(std::string header) {
    for (std::size_t i = 148; i < 156; ++i) header[i] = ' ';
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(&header[148], 8, "%06o", sum);
    return header;
  }
  /// The bundle with one member more, before its end.
  [[nodiscard]] std::string with(const std::string& extra) const {
    return text_.substr(0, text_.size() - tar_end().size()) + extra + tar_end();
  }

  /// Refused with a sentence that says `why`; nothing is written, neither there nor elsewhere.
  void expect_refused(const std::string& text, const std::string& why) {
    files_.make_directories("/target", false);
    const auto before = files_.files_below("/");
    try {
      unpack_bundle(files_, bundle_in_text(text), "/target");
      ADD_FAILURE() << "was taken: " << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr(why));
      EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
    }
    EXPECT_EQ(files_.files_below("/"), before);
    EXPECT_THAT(files_.list("/target/tmp"), IsEmpty());
  }

  EntryFilter all_ = [](const CacheEntryInfo&) { return true; };
  EntryStore store_{files_, "/cache", EntryStore::Owners::kSelfAndRoot};
  BundleSummary summary_;
  std::string text_;
};

TEST_F(BundleTest, AFileIsJudgedByItsHeadersBeforeItsMembersAreRead) {
  std::uint64_t most = 0;
  std::uint64_t sum = 0;
  BundleSource bundle = bundle_in_text(text_);
  const auto read = bundle.read;
  bundle.read = [&](std::uint64_t at, std::uint64_t count) {
    most = std::max(most, count);
    sum += count;
    return read(at, count);
  };
  const std::vector<BundleMember> members = parse_bundle(bundle);
  EXPECT_EQ(most, kTarBlock);
  EXPECT_EQ(sum, (members.size() + 2) * kTarBlock);
  bundle.size += std::uint64_t{100} << 30;  // a sparse file
  sum = 0;
  EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(unpack_bundle(files_, bundle, "/target")); }),
              HasSubstr("there is more after the end of the bundle"));
  EXPECT_LE(sum, (members.size() + 2) * kTarBlock);
}

TEST_F(BundleTest, UnpacksIntoAFolderThatIsALayer) {
  EXPECT_EQ(summary_.entries, 2U);
  EXPECT_THAT(summary_.skipped, IsEmpty());
  const BundleSummary unpacked = unpack_bundle(files_, bundle_in_text(text_), "/site");
  EXPECT_EQ(unpacked.entries, 2U);
  EXPECT_EQ(unpacked.bytes, summary_.bytes);
  DiskCacheOptions options{"/elsewhere"};
  options.read_only = {"/site"};
  DiskCache layered(files_, clock_, log_, options);
  expect_same(*layered.load(key_), make_code("one"));
  expect_same(*layered.load(key_of("two")), make_code(std::string(1000, '2')));
  EXPECT_EQ(layered.verify().entries, 2U);
  EXPECT_THAT(layered.verify().damaged, IsEmpty());
}

TEST_F(BundleTest, IsTheSameForTheSameEntries) {
  clock_.advance(100);
  EXPECT_TRUE(other_.load(key_).has_value());
  pack_bundle(files_, store_, all_, "/again.tar");
  EXPECT_EQ(files_.read_file("/again.tar"), text_);
  EXPECT_EQ(text_.size() % kTarBlock, 0U);
}

TEST_F(BundleTest, HoldsWhatIsWantedAndSound) {
  const auto hip = [](const CacheEntryInfo& entry) { return entry.target == "hip:gfx90a"; };
  EXPECT_EQ(pack_bundle(files_, store_, hip, "/hip.tar").entries, 1U);
  for (const BundleMember& one : parse_bundle(bundle_in_file(files_, "/hip.tar")))
    EXPECT_EQ(one.digest, key_of("two").digest);
  files_.write_file(entry_of(key_) + "/binary", "junk", false);
  const BundleSummary summary = pack_bundle(files_, store_, all_, "/sound.tar");
  EXPECT_EQ(summary.entries, 1U);
  EXPECT_THAT(summary.skipped, ElementsAre(key_.digest + ": binary has 4 bytes, 3 are recorded"));
}

TEST_F(BundleTest, AFolderCanBeUsedAtOnce) {
  EXPECT_EQ(pack_folder(files_, store_, all_, "/folder").entries, 2U);
  expect_same(*DiskCache(files_, clock_, log_, "/folder").load(key_), make_code("one"));
  EXPECT_THROW(pack_folder(files_, store_, all_, "/folder"), Error);
}

TEST_F(BundleTest, EntriesThatAreThereStayAndDamagedOnesAreReplaced) {
  DiskCache target(files_, clock_, log_, "/target");
  target.publish(key_, make_code("mine"), label_);
  target.publish(key_of("two"), make_code("mine"), label_);
  target.publish(key_of("three"), make_code("mine"), label_);
  files_.write_file(
      "/target/v1/" + key_of("two").digest.substr(0, 2) + "/" + key_of("two").digest.substr(2) + "/binary",
      "junk!", false);
  unpack_bundle(files_, bundle_in_text(text_), "/target");
  EXPECT_EQ(target.load(key_)->binary, "mine");
  EXPECT_EQ(target.load(key_of("two"))->binary, std::string(1000, '2'));
  EXPECT_EQ(target.load(key_of("three"))->binary, "mine");
  EXPECT_THAT(files_.list("/target/tmp"), IsEmpty());
}

TEST_F(BundleTest, EveryTruncationIsRefused) {
  for (std::size_t size = 0; size < text_.size(); size += size % kTarBlock == 1 ? kTarBlock - 1 : 1)
    EXPECT_THROW(unpack_bundle(files_, bundle_in_text(text_.substr(0, size)), "/target"), Error) << size;
  EXPECT_THAT(files_.files_below("/target"), IsEmpty());
  expect_refused(text_.substr(0, text_.size() - 1), "is cut off");
  expect_refused("", "is cut off");
}

TEST_F(BundleTest, EveryFlippedByteIsRefusedOrDoesNotMatter) {
  for (std::size_t at = 0; at < text_.size(); ++at) {
    std::string bad = text_;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    try {
      unpack_bundle(files_, bundle_in_text(bad), "/target");
    } catch (const Error&) {
      ASSERT_THAT(files_.files_below("/target"), IsEmpty()) << at;
      continue;
    }
    // Padding of a member, or the blank after a header's checksum: no reader uses them.
    const bool blank = text_[at] == ' ' && at % kTarBlock == 155;
    ASSERT_TRUE(text_[at] == '\0' || blank) << at;
    ASSERT_EQ(DiskCache(files_, clock_, log_, "/target").load(key_)->binary, "one") << at;
    files_.remove_all("/target");
  }
}

TEST_F(BundleTest, NamesThatAreNoFilesOfEntriesAreRefused) {
  const std::string entry = "v1/" + key_.digest.substr(0, 2) + "/" + key_.digest.substr(2);
  for (const std::string& name : std::vector<std::string>{
           "../escape", "/etc/escape", "v1/../../escape", entry + "/../../../escape", entry + "/..",
           entry + "/.", entry + "/", entry, entry + "/a/b", "v2" + entry.substr(2) + "/binary",
           "v1/ab/cd/binary", "", "v1", "./" + entry + "/extra",
           entry.substr(0, 3) + "AB" + entry.substr(5) + "/x"}) {
    expect_refused(with(member(name, "x")), "is not a file of a cache entry");
  }
  EXPECT_FALSE(files_.status("/escape"));
  EXPECT_FALSE(files_.status("/etc"));
  expect_refused(with(member("v1/\x1b[2J/x", "x")), "member 'v1/?[2J/x'");
}

TEST_F(BundleTest, LinksFoldersAndDevicesAreRefused) {
  const std::string name = "v1/" + key_.digest.substr(0, 2) + "/" + key_.digest.substr(2) + "/extra";
  for (const char type : {'1', '2', '3', '4', '5', '6', '7', 'L', 'K', 'x', 'g', 'S', '\0', 'A'})
    expect_refused(with(member(name, "", type)), "is not a plain file");
}

TEST_F(BundleTest, AFileThatItsEntryDoesNotRecordIsRefused) {
  const std::string folder = "v1/" + key_.digest.substr(0, 2) + "/" + key_.digest.substr(2) + "/";
  for (const char* name : {"extra", ".bashrc", "...", "accessed", "\x1b[2J"}) {
    expect_refused(with(member(folder + name, "x")), "is not among the files that its entry.json records");
  }
}

TEST_F(BundleTest, WhatAnEntryDoesNotRecordIsNotPacked) {
  files_.write_file(entry_of(key_) + "/extra", "x", false);
  files_.write_file(entry_of(key_) + "/accessed", "+", false);
  pack_bundle(files_, store_, all_, "/again.tar");
  EXPECT_EQ(*files_.read_file("/again.tar"), text_);
  pack_folder(files_, store_, all_, "/folder");
  EXPECT_FALSE(
      files_.status("/folder/v1/" + key_.digest.substr(0, 2) + "/" + key_.digest.substr(2) + "/extra"));
}

TEST_F(BundleTest, TwiceTheSameMemberIsRefused) {
  const std::string first = text_.substr(0, kTarBlock);
  const auto header = parse_tar_header(first);
  ASSERT_TRUE(header.has_value());
  expect_refused(with(member(header->name, "x")), "is there twice");
}

TEST_F(BundleTest, OversizedMembersAreRefused) {
  const std::string name = "v1/" + key_.digest.substr(0, 2) + "/" + key_.digest.substr(2) + "/extra";
  expect_refused(with(tar_header(name, std::uint64_t{2} << 30)), "is larger than 1 GiB");
  expect_refused(with(tar_header(name, 1 << 20)), "is cut off");
  std::string header = tar_header(name, 0);
  header.replace(124, 12, "-0000000001\0");
  expect_refused(with(with_checksum(header)), "no header of a member");
  header.replace(124, 12, std::string("\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 12));
  expect_refused(with(with_checksum(header)), "no header of a member");
}

TEST_F(BundleTest, AnEntryThatIsNotSoundRefusesAll) {
  const std::string unrecorded = std::string(64, 'a');
  expect_refused(with(member("v1/aa/" + unrecorded.substr(2) + "/binary", "x")),
                 "entry " + unrecorded + " is damaged: entry.json is missing");
  std::string swapped = text_;
  const std::string header =
      tar_header("v1/" + key_.digest.substr(0, 2) + "/" + key_.digest.substr(2) + "/binary", 3);
  const std::size_t at = swapped.find(header);
  ASSERT_NE(at, std::string::npos);
  swapped.replace(at + kTarBlock, 3, "two");
  expect_refused(swapped, "entry " + key_.digest + " is damaged: binary has a wrong SHA-256");
}

TEST_F(BundleTest, AnEntryUnderAnotherDigestIsRefused) {
  const CacheKey wrong{std::string(64, 'a'), key_.preimage};
  cache_.publish(wrong, make_code(), label_);
  pack_bundle(files_, store_, all_, "/wrong.tar");
  expect_refused(*files_.read_file("/wrong.tar"), "its name is not the digest of its preimage");
}

TEST_F(BundleTest, MoreAfterTheEndIsRefused) {
  expect_refused(text_ + tar_end(), "more after the end");
  expect_refused(text_.substr(0, text_.size() - 1) + "x", "more after the end");
}

TEST_F(BundleTest, WhatWasPutIsTakenBackWhenTheDiskFails) {
  DiskCache(files_, clock_, log_, "/target").publish(key_of("three"), make_code(), label_);
  const auto before = files_.files_below("/target");
  for (int n = 1; n <= 10; ++n) {
    files_.fail_write(n, std::errc::no_space_on_device);
    EXPECT_THROW(unpack_bundle(files_, bundle_in_text(text_), "/target"), std::filesystem::filesystem_error)
        << n;
    EXPECT_EQ(files_.files_below("/target"), before) << n;
  }
  EXPECT_EQ(unpack_bundle(files_, bundle_in_text(text_), "/target").entries, 2U);
}

TEST_F(BundleTest, TarReadsIt) {
  const auto processes = make_process_runner();
  if (!processes->find_program("tar")) GTEST_SKIP() << "tar is not installed";
  const auto real = make_real_file_system();
  const auto folder = real->make_unique_directory(std::filesystem::temp_directory_path() / "kiln-bundle-");
  real->write_file(folder / "b.tar", text_, false);
  real->make_directories(folder / "site", false);
  const ProcessResult result =
      processes->run({"tar", {"xf", (folder / "b.tar").string(), "-C", (folder / "site").string()}, "", ""});
  EXPECT_TRUE(result.ok()) << result.error;
  EXPECT_EQ(DiskCache(*real, clock_, log_, folder / "site").load(key_)->binary, "one");
  real->remove_all(folder);
}

/// On a real disk.
class PackedFile : public testing::Test {
 protected:
  PackedFile()
      : folder_(files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_pack_")) {
    DiskCache(*files_, clock_, log_, folder_ / "cache").publish(key_of("a kernel"), make_code(), {});
  }
  ~PackedFile() override { files_->remove_all(folder_); }
  void pack(const std::filesystem::path& file) {
    const EntryStore store(*files_, folder_ / "cache", EntryStore::Owners::kSelfAndRoot);
    pack_bundle(
        *files_, store, [](const CacheEntryInfo&) { return true; }, file);
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::filesystem::path folder_;
  test::FakeClock clock_;
  test::RecordingLog log_;
};

TEST_F(PackedFile, ALinkStaysALink) {
  std::filesystem::create_symlink("bundle.tar", folder_ / "link.tar");
  pack(folder_ / "link.tar");
  pack(folder_ / "other.tar");
  EXPECT_EQ(files_->status(folder_ / "link.tar")->type, FileStatus::Type::kSymlink);
  EXPECT_EQ(files_->read_file(folder_ / "bundle.tar"), files_->read_file(folder_ / "other.tar"));
}

TEST_F(PackedFile, ADeviceStaysADevice) {
  const std::filesystem::path device = folder_ / "null";
  if (::mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0)
    GTEST_SKIP() << "only root can make devices";
  bool usable = true;
  try {
    pack(device);
  } catch (const std::filesystem::filesystem_error&) {
    usable = false;  // on a disk that is mounted without devices
  }
  EXPECT_TRUE(std::filesystem::is_character_file(device));
  if (!usable) GTEST_SKIP() << "devices cannot be used on this disk";
  EXPECT_THAT(files_->list(folder_), ElementsAre("cache", "null"));
}

}  // namespace
}  // namespace kiln
