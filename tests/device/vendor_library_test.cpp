#include "device/vendor_library.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class VendorLibraryTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  MemoryFileSystem files_{clock_};
};

TEST_F(VendorLibraryTest, TriesWhatExistsFolderByFolderAndThenTheLoader) {
  files_.make_directories("/a", false);
  files_.make_directories("/b", false);
  files_.write_file("/a/libx.so.1", "", false);
  files_.write_file("/b/libx.so.2", "", false);
  files_.write_file("/b/libx.so.1", "", false);
  const LibrarySearch search{"", {"libx.so.2", "libx.so.1"}, {"/a", "/none", "/b"}};
  EXPECT_THAT(library_candidates(search, files_),
              ElementsAre("/a/libx.so.1", "/b/libx.so.2", "/b/libx.so.1", "libx.so.2", "libx.so.1"));
}

TEST_F(VendorLibraryTest, TriesNothingButTheUsersChoice) {
  files_.make_directories("/a", false);
  files_.write_file("/a/libx.so.1", "", false);
  EXPECT_THAT(library_candidates({"/my/libx.so", {"libx.so.1"}, {"/a"}}, files_), ElementsAre("/my/libx.so"));
}

TEST_F(VendorLibraryTest, SaysWhatWasLookedForAndWhere) {
  const VendorLibrary library =
      open_library({"", {"libkiln_none.so.2", "libkiln_none.so.1"}, {"/a"}}, files_);
  EXPECT_EQ(library.handle, nullptr);
  EXPECT_EQ(library.problem,
            "looked for libkiln_none.so.2, libkiln_none.so.1 in /a, the loader's search path");
}

TEST_F(VendorLibraryTest, SaysWhyTheUsersChoiceCannotBeLoaded) {
  const VendorLibrary library = open_library({"/none/libx.so", {"libx.so.1"}, {}}, files_);
  EXPECT_THAT(library.problem, HasSubstr("/none/libx.so"));
}

TEST_F(VendorLibraryTest, FindsSymbolsFileAndBuildIdOfWhatIsLoaded) {
  const VendorLibrary library = open_library({"", {"libc.so.6"}, {}}, files_);
  ASSERT_NE(library.handle, nullptr) << library.problem;
  EXPECT_THAT(library.path, HasSubstr("/libc.so.6"));
  EXPECT_GE(build_id_of(library.symbol("malloc")).size(), 16U);
}

struct Calls : LibraryImports {
  using LibraryImports::LibraryImports;
  Import<void*(std::size_t bytes)> allocate = need("malloc");
  Import<void()> later = want("kiln_has_no_optional_function");
  Import<void()> first_missing = need("kiln_has_no_such_function");
  Import<void()> second_missing = need("kiln_has_no_other_function");
};

TEST_F(VendorLibraryTest, LooksItsFunctionsUpAndNamesTheFirstThatIsMissing) {
  const Calls calls(open_library({"", {"libc.so.6"}, {}}, files_));
  ASSERT_NE(calls.allocate, nullptr);
  EXPECT_EQ(calls.allocate.symbol, std::string("malloc"));
  // Of this library: a sanitizer has another malloc in front of it.
  EXPECT_EQ(calls.allocate.address, ::dlsym(::dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD), "malloc"));
  EXPECT_EQ(calls.later, nullptr);
  EXPECT_EQ(calls.missing(), std::string("kiln_has_no_such_function"));
  EXPECT_EQ(Calls().allocate, nullptr);
}

}  // namespace
}  // namespace kiln::test
