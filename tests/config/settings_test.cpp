#include "config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/file.h"
#include "kiln/error.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A folder of its own, an environment of its own.
class SettingsTest : public ::testing::Test {
 protected:
  SettingsTest() : files_(make_real_file_system()) {
    root_ = files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_settings_");
    home_ = root_ / "home";
    work_ = root_ / "work";
    files_->make_directories(home_, false);
    files_->make_directories(work_, false);
    environment_["HOME"] = home_.string();
  }
  ~SettingsTest() override { files_->remove_all(root_); }

  void write(const std::filesystem::path& path, const std::string& text) {
    files_->make_directories(path.parent_path(), false);
    files_->write_file(path, text, false);
    std::filesystem::permissions(path, std::filesystem::perms{0644});  // whatever the umask
  }

  void make_checkout(const std::filesystem::path& folder) {
    files_->make_directories(folder / "kernels_src", false);
    files_->make_directories(folder / "jit_cache", false);
  }

  ResolvedSettings resolve(const SettingsOverrides& overrides = {}) {
    const SettingsWorld world{*files_,
                              [this](const std::string& name) -> std::optional<std::string> {
                                const auto found = environment_.find(name);
                                if (found == environment_.end() || found->second.empty()) return std::nullopt;
                                return found->second;
                              },
                              work_, executable_, embedded_};
    return resolve_settings(world, overrides);
  }

  std::string message_of(const SettingsOverrides& overrides = {}) {
    try {
      (void)resolve(overrides);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      return error.what();
    }
    return "no error";
  }

  std::unique_ptr<FileSystem> files_;
  std::filesystem::path root_, home_, work_, executable_;
  std::map<std::string, std::string> environment_;
  bool embedded_ = false;
};

/// Files of several users.
class SettingsOfOthers : public ::testing::Test {
 protected:
  SettingsOfOthers() {
    files_.make_directories("/home/me", false);
    files_.make_directories("/work", false);
    files_.write_file("/work/kiln.yaml", "cpu_threads: 3\n", false);
    files_.set_mode("/work/kiln.yaml", 0644);
  }
  ResolvedSettings resolve(const SettingsOverrides& overrides = {}) {
    const auto environment = [](const std::string& name) -> std::optional<std::string> {
      return name == "HOME" ? std::optional<std::string>("/home/me") : std::nullopt;
    };
    return resolve_settings({files_, environment, "/work", ""}, overrides);
  }
  void expect_not_read(const std::string& why) {
    const ResolvedSettings settings = resolve();
    EXPECT_EQ(settings.values.cpu_threads, 0);
    EXPECT_EQ(settings.file, "");
    ASSERT_EQ(settings.warnings.size(), 1U);
    EXPECT_THAT(settings.warnings[0], HasSubstr("'/work/kiln.yaml' is not read: " + why));
    EXPECT_THAT(settings.warnings[0], HasSubstr("--settings kiln.yaml"));
    EXPECT_EQ(resolve({"kiln.yaml", {}}).values.cpu_threads, 3) << "a file that is named is obeyed";
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  const std::uint32_t other_ = current_user_id() + 1000;
};

TEST_F(SettingsOfOthers, ReadsTheUsersFileInTheCurrentFolder) {
  EXPECT_EQ(resolve().values.cpu_threads, 3);
  files_.set_owner("/work/kiln.yaml", 0);
  files_.set_owner("/work", 0);
  files_.set_mode("/work", 01777);  // as /tmp
  EXPECT_EQ(resolve().values.cpu_threads, 3);
  EXPECT_TRUE(resolve().warnings.empty());
}

TEST_F(SettingsOfOthers, DoesNotReadAnotherUsersFile) {
  files_.set_owner("/work/kiln.yaml", other_);
  expect_not_read("it belongs to user " + std::to_string(other_) + " and you are user " +
                  std::to_string(current_user_id()));
}

TEST_F(SettingsOfOthers, DoesNotReadAFileThatOthersMayWriteTo) {
  for (const std::uint32_t mode : {0664U, 0646U, 0666U}) {
    files_.set_mode("/work/kiln.yaml", mode);
    expect_not_read("its group or anyone may write to it");
  }
}

TEST_F(SettingsOfOthers, DoesNotReadAFileInAFolderOfOthers) {
  files_.set_mode("/work", 0777);
  expect_not_read("its folder is not safe, anyone may write to it");
  files_.set_mode("/work", 0755);
  files_.set_owner("/work", other_);
  expect_not_read("its folder is not safe, it belongs to user");
}

TEST_F(SettingsOfOthers, UsesNoKernelsOfOthersAboveTheCurrentFolder) {
  files_.remove_all("/work/kiln.yaml");
  files_.make_directories("/work/kernels_src", false);
  files_.make_directories("/work/jit_cache", false);
  EXPECT_THAT(resolve().values.workload_path, ElementsAre("/work/kernels_src"));
  files_.set_owner("/work/kernels_src", other_);
  const ResolvedSettings settings = resolve();
  EXPECT_TRUE(settings.values.workload_path.empty());
  EXPECT_EQ(settings.values.cache_dir, "/home/me/.cache/kiln");
  ASSERT_EQ(settings.warnings.size(), 1U);
  EXPECT_THAT(settings.warnings[0], HasSubstr("'/work/kernels_src' is not used: it belongs to user"));
}

TEST_F(SettingsTest, ALinkIsJudgedByItsTarget) {
  write(root_ / "shared.yaml", "cpu_threads: 3\n");
  std::filesystem::create_symlink(root_ / "shared.yaml", work_ / "kiln.yaml");
  EXPECT_EQ(resolve().values.cpu_threads, 3);
  std::filesystem::permissions(root_ / "shared.yaml", std::filesystem::perms{0666});
  const ResolvedSettings settings = resolve();
  EXPECT_EQ(settings.values.cpu_threads, 0);
  EXPECT_EQ(settings.warnings.size(), 1U);
}

TEST_F(SettingsTest, ALinkThatLeadsToNoFileIsNamed) {
  std::filesystem::create_symlink(root_ / "gone.yaml", work_ / "kiln.yaml");
  EXPECT_EQ(message_of(), (work_ / "kiln.yaml").string() +
                              ": the settings file is a symbolic link to a file that does not exist");
}

TEST_F(SettingsTest, AProgramThatEmbedsKilnTakesNothingFromTheCurrentFolder) {
  write(work_ / "kiln.yaml", "cpu_threads: 3\nno_such_key: 1\n");
  make_checkout(work_);
  embedded_ = true;
  const ResolvedSettings settings = resolve();
  EXPECT_EQ(settings.values.cpu_threads, 0);
  EXPECT_EQ(settings.values.cache_dir, (home_ / ".cache" / "kiln").string());
  EXPECT_TRUE(settings.values.workload_path.empty());
  EXPECT_TRUE(settings.warnings.empty());
  write(home_ / ".config" / "kiln" / "settings.yaml", "cpu_threads: 2\n");
  EXPECT_EQ(resolve().values.cpu_threads, 2);
}

TEST_F(SettingsTest, AnApplicationHasACacheOfItsOwnAndReadsNothingElse) {
  write(work_ / "kiln.yaml", "cpu_threads: 3\n");
  write(home_ / ".config" / "kiln" / "settings.yaml", "cpu_threads: 2\n");
  environment_["KILN_CPU_THREADS"] = "5";
  environment_["KILN_CACHE_DIR"] = "/elsewhere";
  make_checkout(work_);
  executable_ = root_ / "usr" / "bin" / "solver";
  const SettingsWorld world{*files_,
                            [this](const std::string& name) -> std::optional<std::string> {
                              const auto found = environment_.find(name);
                              return found == environment_.end() ? std::nullopt
                                                                 : std::optional(found->second);
                            },
                            work_, executable_};
  Settings expected;
  expected.cache_dir = (home_ / ".cache" / "solver" / "kiln").string();
  expected.workload_path = {(root_ / "usr" / "share" / "kiln" / "kernels_src").string()};
  expected.wisdom_dir = (home_ / ".local" / "share" / "solver" / "kiln" / "wisdom").string();
  EXPECT_EQ(application_settings(world, "solver"), expected);
  environment_["XDG_CACHE_HOME"] = (root_ / "xdg").string();
  EXPECT_EQ(application_settings(world, "solver").cache_dir, (root_ / "xdg" / "solver" / "kiln").string());
  for (const char* name : {"", ".", "..", "a/b"}) {
    EXPECT_THAT(test::bad_input_of([&] { static_cast<void>(application_settings(world, name)); }),
                HasSubstr("is not a name of a folder"));
  }
}

TEST_F(SettingsTest, WorkloadsAreAlsoThoseBesideTheLibraryThatAProgramIsLinkedWith) {
  executable_ = root_ / "home" / "solver" / "bin" / "solver";
  SettingsWorld world{*files_, [](const std::string&) { return std::nullopt; }, work_, executable_};
  world.prefixes = {root_ / "opt" / "kiln", root_ / "nowhere", root_ / "open", root_ / "opt" / "kiln"};
  for (const char* prefix : {"opt/kiln", "open"})
    std::filesystem::create_directories(root_ / prefix / "share" / "kiln" / "kernels_src");
  std::filesystem::permissions(root_ / "open" / "share" / "kiln" / "kernels_src",
                               std::filesystem::perms{0777});
  EXPECT_THAT(application_settings(world, "solver").workload_path,
              ElementsAre((root_ / "home" / "solver" / "share" / "kiln" / "kernels_src").string(),
                          (root_ / "opt" / "kiln" / "share" / "kiln" / "kernels_src").string()));
}

TEST_F(SettingsTest, DefaultsOutsideACheckoutLieInTheHomeFolder) {
  executable_ = root_ / "usr" / "bin" / "kiln";
  const ResolvedSettings settings = resolve();
  EXPECT_EQ(settings.values.cache_dir, (home_ / ".cache" / "kiln").string());
  EXPECT_THAT(settings.values.workload_path,
              ElementsAre((root_ / "usr" / "share" / "kiln" / "kernels_src").string()));
  EXPECT_EQ(settings.sources.at("cache_dir").to_string(), "default");
  EXPECT_EQ(settings.file, "");
}

TEST_F(SettingsTest, XdgCacheHomeCountsOnlyIfAbsolute) {
  environment_["XDG_CACHE_HOME"] = (root_ / "xdg").string();
  EXPECT_EQ(resolve().values.cache_dir, (root_ / "xdg" / "kiln").string());
  environment_["XDG_CACHE_HOME"] = "relative";
  EXPECT_EQ(resolve().values.cache_dir, (home_ / ".cache" / "kiln").string());
}

TEST_F(SettingsTest, ACheckoutIsFoundAboveTheWorkingDirectory) {
  make_checkout(root_);
  EXPECT_EQ(resolve().values.cache_dir, (root_ / "jit_cache").string());
  EXPECT_THAT(resolve().values.workload_path, ElementsAre((root_ / "kernels_src").string()));
}

TEST_F(SettingsTest, TheExecutablesCheckoutComesBeforeTheWorkingDirectorys) {
  make_checkout(root_ / "other");
  make_checkout(work_);
  executable_ = root_ / "other" / "build" / "src" / "kiln";
  EXPECT_EQ(resolve().values.cache_dir, (root_ / "other" / "jit_cache").string());
}

TEST_F(SettingsTest, EachSourceOverridesTheOneBefore) {
  write(work_ / "kiln.yaml", "log_level: info\ncpu_threads: 3\n");
  EXPECT_EQ(resolve().values.cpu_threads, 3);
  EXPECT_EQ(resolve().sources.at("cpu_threads").to_string(), "file kiln.yaml:2:14");
  environment_["KILN_CPU_THREADS"] = "5";
  EXPECT_EQ(resolve().values.cpu_threads, 5);
  EXPECT_EQ(resolve().sources.at("cpu_threads").to_string(), "environment KILN_CPU_THREADS");
  const ResolvedSettings last = resolve({"", {{"cpu_threads", "7"}}});
  EXPECT_EQ(last.values.cpu_threads, 7);
  EXPECT_EQ(last.sources.at("cpu_threads").to_string(), "command line --cpu-threads");
  EXPECT_EQ(last.values.log_level, "info");
}

TEST_F(SettingsTest, AFileThatIsAskedForComesBeforeTheUsualPlaces) {
  write(work_ / "kiln.yaml", "cpu_threads: 1\n");
  write(home_ / ".config" / "kiln" / "settings.yaml", "cpu_threads: 2\n");
  write(root_ / "named.yaml", "cpu_threads: 3\n");
  environment_["KILN_SETTINGS"] = (root_ / "named.yaml").string();
  EXPECT_EQ(resolve().values.cpu_threads, 3);
  write(root_ / "option.yaml", "cpu_threads: 4\n");
  EXPECT_EQ(resolve({(root_ / "option.yaml").string(), {}}).values.cpu_threads, 4);
  environment_.erase("KILN_SETTINGS");
  EXPECT_EQ(resolve().values.cpu_threads, 1);
  files_->remove_all(work_ / "kiln.yaml");
  EXPECT_EQ(resolve().values.cpu_threads, 2);
}

TEST_F(SettingsTest, PathsInAFileAreRelativeToItAndTildeIsTheHomeFolder) {
  write(root_ / "etc" / "kiln.yaml", "cache_dir: ../cache\nworkload_path: [~/mine, yours]\n");
  const ResolvedSettings settings = resolve({(root_ / "etc" / "kiln.yaml").string(), {}});
  EXPECT_EQ(settings.values.cache_dir, (root_ / "cache").string());
  EXPECT_THAT(settings.values.workload_path,
              ElementsAre((home_ / "mine").string(), (root_ / "etc" / "yours").string()));
}

TEST_F(SettingsTest, ReadsEachKind) {
  environment_["KILN_CACHE"] = "off";
  environment_["KILN_WORKLOAD_PATH"] = "/a:/b";
  environment_["KILN_COMPILE_TIME_LIMIT"] = "500 ms";
  environment_["KILN_COMPILE_MEMORY_LIMIT"] = "1.5 GiB";
  environment_["KILN_CXX"] = "clang++";
  environment_["NO_COLOR"] = "1";
  const Settings settings = resolve().values;
  EXPECT_FALSE(settings.cache);
  EXPECT_THAT(settings.workload_path, ElementsAre("/a", "/b"));
  EXPECT_DOUBLE_EQ(settings.compile_time_limit, 0.5);
  EXPECT_EQ(settings.compile_memory_limit, std::uint64_t{3} << 29);
  EXPECT_EQ(settings.cpu_compiler, "clang++");
  EXPECT_EQ(settings.color, "never");
}

TEST_F(SettingsTest, ABadValueNamesItsPlace) {
  environment_["KILN_CPU_THREADS"] = "many";
  EXPECT_EQ(message_of(), "KILN_CPU_THREADS: 'many' is not a whole number of at least 0");
  environment_.clear();
  EXPECT_EQ(message_of({"", {{"log_level", "wran"}}}),
            "--log-level: 'wran' is not known; did you mean 'warn'?");
  EXPECT_EQ(message_of({"", {{"cache", "maybe"}}}), "--cache: 'maybe' is neither on nor off");
  EXPECT_THAT(message_of({"", {{"compile_time_limit", "2 weeks"}}}), HasSubstr("is not a duration"));
  EXPECT_THAT(message_of({"", {{"compile_memory_limit", "-1"}}}), HasSubstr("is not a size"));
  EXPECT_THAT(message_of({"", {{"compile_memory_limit", "3 GBit"}}}),
              HasSubstr("'3 GBit': 'GBit' is not a unit of size"));
  EXPECT_THAT(message_of({"", {{"compile_memory_limit", "3 Gib"}}}), HasSubstr("did you mean 'GiB'?"));
  write(work_ / "kiln.yaml", "cpu_threads: -1\n");
  EXPECT_THAT(message_of(), HasSubstr("kiln.yaml:1:14: cpu_threads: '-1' is not a whole number"));
}

TEST_F(SettingsTest, SizesInEveryUnitAndOffByAWord) {
  const auto cap = [&](const std::string& text) { return resolve({"", {{"cache_max_size", text}}}).values; };
  EXPECT_EQ(resolve().values.cache_max_size, 2'000'000'000U);
  EXPECT_EQ(cap("1500").cache_max_size, 1500U);
  EXPECT_EQ(cap("500MB").cache_max_size, 500'000'000U);
  EXPECT_EQ(cap("1.5 kB").cache_max_size, 1500U);
  EXPECT_EQ(cap("2 TiB").cache_max_size, std::uint64_t{2} << 40);
  EXPECT_EQ(cap("off").cache_max_size, 0U);
  const auto message = [&](const std::string& text) { return message_of({"", {{"cache_max_size", text}}}); };
  EXPECT_EQ(message("0"), "--cache-max-size: '0' is not a limit; write 'off' for none");
  EXPECT_EQ(message("none"), "--cache-max-size: 'none' is neither a size such as '2 GB' nor 'off'");
  EXPECT_THAT(message("1e30 GB"), HasSubstr("'1e30 GB'"));
  EXPECT_THAT(message("99999999999 TB"), HasSubstr("is too large"));
}

TEST_F(SettingsTest, SizesAreShownInTheUnitTheyWereWrittenIn) {
  const auto text = [](const std::string& written) {
    for (const SettingRow& row : setting_rows()) {
      if (row.name != "cache_max_size") continue;
      Settings settings;
      assign_setting(settings, row, written, {});
      return setting_text(settings, row);
    }
    return std::string();
  };
  for (const char* written : {"2 GB", "500 MB", "8 GiB", "1 KiB", "1023 B", "1500 TB", "off"})
    EXPECT_EQ(text(written), written);
}

TEST_F(SettingsTest, ReadOnlyFoldersAreAList) {
  write(work_ / "kiln.yaml", "cache_read_only: [/site/kiln, bundles/sm_90]\n");
  EXPECT_THAT(resolve().values.cache_read_only,
              ElementsAre("/site/kiln", (work_ / "bundles" / "sm_90").string()));
  environment_["KILN_CACHE_READ_ONLY"] = "/a:/b";
  EXPECT_THAT(resolve().values.cache_read_only, ElementsAre("/a", "/b"));
}

TEST_F(SettingsTest, AServerOfTheCacheIsAnAddress) {
  write(work_ / "kiln.yaml",
        "cache_remote: http://cache.site/kiln/\ncache_remote_key: keys/kiln\ncache_remote_timeout: 500 ms\n");
  const Settings values = resolve().values;
  EXPECT_EQ(values.cache_remote, "http://cache.site/kiln");
  EXPECT_EQ(values.cache_remote_key, (work_ / "keys" / "kiln").string());
  EXPECT_FALSE(values.cache_remote_unauthenticated);
  EXPECT_EQ(values.cache_remote_timeout, 0.5);
  write(work_ / "kiln.yaml", "cache_remote: cache.site\n");
  EXPECT_THAT(message_of(),
              HasSubstr("kiln.yaml:1:15: cache_remote: 'cache.site' is not the address of a server: "));
  environment_["KILN_CACHE_REMOTE"] = "gopher://x";
  EXPECT_THAT(message_of(), HasSubstr("kiln.yaml:1:15"));
  write(work_ / "kiln.yaml", "cache_remote: ''\n");
  EXPECT_THAT(message_of(), HasSubstr("KILN_CACHE_REMOTE: 'gopher://x' is not the address"));
}

TEST_F(SettingsTest, AnUnknownKeySuggestsTheNearest) {
  write(work_ / "kiln.yaml", "cache_dri: /tmp\n");
  EXPECT_THAT(message_of(), HasSubstr("kiln.yaml:1:1"));
  EXPECT_THAT(message_of(), HasSubstr("cache_dir"));
}

TEST_F(SettingsTest, AFileThatIsAskedForMustExist) {
  EXPECT_EQ(message_of({"none.yaml", {}}),
            "--settings: there is no settings file " + (work_ / "none.yaml").string());
  environment_["KILN_SETTINGS"] = "/none.yaml";
  EXPECT_EQ(message_of(), "KILN_SETTINGS: there is no settings file /none.yaml");
}

TEST(SettingRows, NamesVariablesAndOptionsAreUniqueAndTextsReadBack) {
  std::set<std::string> seen;
  const Settings defaults;
  for (const SettingRow& row : setting_rows()) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
    EXPECT_TRUE(seen.insert(row.variable).second) << row.variable;
    EXPECT_TRUE(row.option.empty() || seen.insert(row.option).second) << row.option;
    EXPECT_FALSE(row.help.empty());
    Settings copy;
    assign_setting(copy, row, setting_text(defaults, row), {});
    EXPECT_EQ(setting_text(copy, row), setting_text(defaults, row)) << row.name;
  }
}

TEST(SettingRows, ThePageInDocsIsCurrent) {
  const std::filesystem::path path = std::filesystem::path(KILN_SOURCE_DIR) / "docs" / "settings.md";
  const auto files = make_real_file_system();
  if (read_environment("KILN_REWRITE")) files->write_file(path, settings_page(), false);
  EXPECT_EQ(files->read_file(path), settings_page()) << "repair with KILN_REWRITE=1 ctest -R ThePageInDocs";
}

TEST(SettingsFromEnvironment, GivesEverySettingAValue) {
  const Settings settings = Settings::from_environment();
  EXPECT_FALSE(settings.cache_dir.empty());
}

}  // namespace
}  // namespace kiln
