// Whose machine code is run, and what umask a cache is made under.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "cache/bundle.h"
#include "cache/disk_cache_fixture.h"

namespace kiln {
namespace {

using test::key_of;
using test::make_code;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kStranger = 12345;

class EntryOwner : public test::DiskCacheTest {
 protected:
  void SetUp() override { cache_.publish(key_, make_code(), label_); }

  [[nodiscard]] std::string prefix() const { return "/cache/v1/" + key_.digest.substr(0, 2); }

  /// A miss with one warning; the entry that is made instead is used.
  void expect_replaced(const std::string& why) {
    SCOPED_TRACE(why);
    log_.clear();
    EXPECT_FALSE(cache_.load(key_).has_value());
    EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("(" + why + "); its kernel is compiled again")));
    const VerifyReport report = cache_.verify();
    EXPECT_THAT(report.damaged, ElementsAre(HasSubstr(why)));
    log_.clear();
    cache_.publish(key_, make_code("again"), label_);
    const auto code = cache_.load(key_);
    ASSERT_TRUE(code.has_value());
    EXPECT_EQ(code->binary, "again");
    EXPECT_THAT(log_.warnings(), IsEmpty());
    EXPECT_THAT(cache_.verify().damaged, IsEmpty());
  }
};

TEST_F(EntryOwner, AFileOfAnotherUserIsAMiss) {
  for (const char* name : {"binary", "entry.json", "log.txt"}) {
    files_.set_owner(entry_of(key_) + "/" + name, kStranger);
    expect_replaced(std::string(name) + " belongs to user 12345");
  }
}

TEST_F(EntryOwner, ADocumentOfAnotherUserIsNotReadAndFoundByVerify) {
  for (const std::string name : {"preimage.txt", "source.cu"}) {
    files_.set_owner(entry_of(key_) + "/" + name, kStranger);
    EXPECT_TRUE(cache_.load(key_).has_value());
    EXPECT_THAT(cache_.verify().damaged, ElementsAre(HasSubstr(name + " belongs to user 12345")));
    files_.set_owner(entry_of(key_) + "/" + name, current_user_id());
  }
}

TEST_F(EntryOwner, AFileThatAnyoneMayWriteToIsAMiss) {
  for (const char* name : {"binary", "entry.json", "log.txt"}) {
    files_.set_mode(entry_of(key_) + "/" + name, 0666);
    expect_replaced(std::string(name) + " may be written to by anyone");
  }
}

TEST_F(EntryOwner, AnEntryThatAnyoneMayWriteToIsAMiss) {
  files_.set_mode(entry_of(key_), 0777);
  expect_replaced("it may be written to by anyone");
}

TEST_F(EntryOwner, EntriesInAFolderOfOthersAreMissesAndTheFolderIsReplaced) {
  const std::string name = "v1/" + key_.digest.substr(0, 2);
  files_.set_mode(prefix(), 0777);
  expect_replaced(name + " may be written to by anyone");
  files_.set_owner(prefix(), kStranger);
  expect_replaced(name + " belongs to user 12345");
  EXPECT_THAT(files_.list("/cache/tmp"), IsEmpty());
}

TEST_F(EntryOwner, RootsFilesAreRun) {
  for (const char* name : {"binary", "entry.json", "log.txt", "preimage.txt", "source.cu"})
    files_.set_owner(entry_of(key_) + "/" + name, 0);
  files_.set_owner(prefix(), 0);
  EXPECT_TRUE(cache_.load(key_).has_value());
}

TEST_F(EntryOwner, AReadOnlyLayerMayBeItsMaintainersButNotAThirdUsers) {
  DiskCacheOptions options{"/own"};
  options.read_only = {"/cache"};
  DiskCache layered(files_, clock_, log_, options);
  for (const std::string& path : {std::string("/cache"), std::string("/cache/v1"), prefix(), entry_of(key_)})
    files_.set_owner(path, kStranger);
  for (const char* name : {"binary", "entry.json", "log.txt", "preimage.txt", "source.cu"})
    files_.set_owner(entry_of(key_) + "/" + name, kStranger);
  EXPECT_TRUE(layered.load(key_).has_value());
  files_.set_owner(entry_of(key_) + "/binary", kStranger + 1);
  EXPECT_FALSE(layered.load(key_).has_value());
  EXPECT_THAT(log_.warnings(), ElementsAre(HasSubstr("binary belongs to user 12346")));
}

TEST_F(EntryOwner, IsNotPackedForOthers) {
  files_.set_owner(entry_of(key_) + "/binary", kStranger);
  const EntryStore store(files_, "/cache", EntryStore::Owners::kSelfAndRoot);
  const auto all = [](const CacheEntryInfo&) { return true; };
  const BundleSummary summary = pack_bundle(files_, store, all, "/bundle.tar");
  EXPECT_EQ(summary.entries, 0U);
  EXPECT_THAT(summary.skipped, ElementsAre(HasSubstr("binary belongs to user 12345")));
}

/// A umask that is common in containers.
class LaxUmask : public testing::Test {
 protected:
  LaxUmask()
      : folder_(files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_umask_")),
        before_(::umask(0)) {}
  ~LaxUmask() override {
    ::umask(before_);
    files_->remove_all(folder_);
  }

  /// What anyone may write to.
  [[nodiscard]] std::vector<std::string> open_to_all(const std::filesystem::path& root) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const auto mode = entry.symlink_status().permissions();
      if ((mode & std::filesystem::perms::others_write) != std::filesystem::perms::none)
        found.push_back(entry.path().string());
    }
    return found;
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
  std::filesystem::path folder_;
  mode_t before_;
  test::FakeClock clock_;
  test::RecordingLog log_;
  const CacheKey key_ = key_of("a kernel");
  const CacheEntryLabel label_{"axpy.cu axpy", "cuda:sm_90", "NVRTC 12.8", "void axpy();"};
};

TEST_F(LaxUmask, DoesNotMakeACacheThatIsRefusedLater) {
  const std::filesystem::path root = folder_ / "made" / "cache";
  DiskCache(*files_, clock_, log_, root).publish(key_, make_code(), label_);
  EXPECT_TRUE(DiskCache(*files_, clock_, log_, root).load(key_).has_value());
  EXPECT_THAT(log_.warnings(), IsEmpty());
  EXPECT_THAT(open_to_all(root / "v1"), IsEmpty());
  for (const std::filesystem::path& made : {root.parent_path(), root, root / "v1"})
    EXPECT_EQ(files_->status(made)->mode, 0700U) << made;
}

TEST_F(LaxUmask, DoesNotUnpackAFolderThatIsRefusedLater) {
  DiskCache(*files_, clock_, log_, folder_ / "cache").publish(key_, make_code(), label_);
  const EntryStore store(*files_, folder_ / "cache", EntryStore::Owners::kSelfAndRoot);
  pack_folder(
      *files_, store, [](const CacheEntryInfo&) { return true; }, folder_ / "site" / "kiln");
  EXPECT_EQ(files_->status(folder_ / "site" / "kiln")->mode, 0755U);
  EXPECT_EQ(files_->status(folder_ / "site" / "kiln" / "v1")->mode, 0755U);
  EXPECT_THAT(open_to_all(folder_ / "site"), IsEmpty());
  DiskCacheOptions options{folder_ / "other"};
  options.read_only = {folder_ / "site" / "kiln"};
  EXPECT_TRUE(DiskCache(*files_, clock_, log_, options).load(key_).has_value());
  EXPECT_THAT(log_.warnings(), IsEmpty());
}

}  // namespace
}  // namespace kiln
