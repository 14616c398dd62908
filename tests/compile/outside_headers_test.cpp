#include "compile/outside_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(SearchList, IsWhatACompilerSaysBetweenTwoLines) {
  const SearchList list = parse_search_list(
      "Using built-in specs.\n /not/this\nignoring nonexistent directory \"/usr/local/include\"\n"
      "#include \"...\" search starts here:\n#include <...> search starts here:\n /usr/include/c++/12\n"
      " /usr/bin/../lib/gcc/x/12/../../../../include/c++/12\n /usr/include\n"
      "End of search list.\n /nor/this\n");
  EXPECT_THAT(list.folders, ElementsAre("/usr/include/c++/12", "/usr/include/c++/12", "/usr/include"));
  EXPECT_THAT(list.missing, ElementsAre("/usr/local/include"));
  EXPECT_THAT(parse_search_list("").folders, IsEmpty());
}

TEST(FoldersOfVariables, AreInTheOrderOfTheCompiler) {
  EXPECT_THAT(
      folders_of_variables({{"CPLUS_INCLUDE_PATH", "/c:/d"}, {"CPATH", "/a::/b"}, {"LIBRARY_PATH", "/l"}}),
      ElementsAre("/a", "/b", "/c", "/d"));
}

/// Counts what is read and what is looked at.
class CountingFileSystem : public MemoryFileSystem {
 public:
  using MemoryFileSystem::MemoryFileSystem;
  std::optional<FileStatus> status(const Path& path) override {
    ++looks;
    return MemoryFileSystem::status(path);
  }
  std::optional<FileStatus> target_status(const Path& path) override {
    ++looks;
    return MemoryFileSystem::target_status(path);
  }
  std::optional<std::string> read(const Path& path, const ReadRange& range) override {
    ++reads;
    return MemoryFileSystem::read(path, range);
  }
  int looks = 0, reads = 0;
};

class OutsideHeadersTest : public ::testing::Test {
 protected:
  OutsideHeadersTest() {
    write("/usr/include/c++/12/vector", "#include <bits/stl_vector.h>\n");
    write("/usr/include/stdio.h", "#include <bits/types.h>\n");
    write("/usr/include/bits/types.h", "typedef int x;\n");
    write("/usr/include/eigen/Dense", "#include \"Core\"\n#include <vector>\n");
    write("/usr/include/eigen/Core", "struct Matrix;\n");
  }
  void write(const std::filesystem::path& path, const std::string& text) {
    files_.make_directories(path.parent_path(), false);
    files_.write_file(path, text, false);
  }
  OutsideHeaders find(const std::vector<std::string>& unseen) { return finder_.find(unseen); }

  FakeClock clock_;
  CountingFileSystem files_{clock_};
  OutsideHeaderFinder finder_{{{"/own"}, {"/usr/include/c++/12", "/usr/local/include", "/usr/include"}},
                              files_};
};

TEST_F(OutsideHeadersTest, OfTheCompilerAndTheCLibraryStandForItsVersion) {
  EXPECT_EQ(find({"vector", "stdio.h", "nowhere.h"}).text, "");
  EXPECT_EQ(find({}).text, "");
}

TEST_F(OutsideHeadersTest, OfTheUserAndOfPackagesCountWithAllThatTheyInclude) {
  write("/own/mylib.h", "#include \"deep.h\"\n#include <vector>\n#define VALUE 1\n");
  write("/own/deep.h", "int deep;\n");
  const std::string first = find({"mylib.h"}).text;
  EXPECT_THAT(first, HasSubstr("mylib.h "));
  EXPECT_THAT(first, HasSubstr("deep.h "));
  EXPECT_THAT(first, Not(HasSubstr("vector")));
  EXPECT_THAT(first, Not(HasSubstr("/own")));
  write("/own/deep.h", "int deeper;\n");
  EXPECT_NE(find({"mylib.h"}).text, first);

  const std::string package = find({"eigen/Dense"}).text;
  EXPECT_THAT(package, HasSubstr("Core "));
  write("/usr/include/eigen/Core", "struct Matrix { int n; };\n");
  EXPECT_NE(find({"eigen/Dense"}).text, package);
}

TEST_F(OutsideHeadersTest, ThatBeginToShadowAnotherAreSeen) {
  write("/own/mylib.h", "int one;\n");
  const std::string first = find({"mylib.h", "vector", "stdio.h"}).text;
  write("/usr/local/include/mylib.h", "int two;\n");
  EXPECT_EQ(find({"mylib.h", "vector", "stdio.h"}).text, first);
  write("/own/vector", "int three;\n");
  EXPECT_THAT(find({"mylib.h", "vector", "stdio.h"}).text, HasSubstr("vector "));
  write("/usr/local/include/stdio.h", "int four;\n");
  EXPECT_THAT(find({"mylib.h", "vector", "stdio.h"}).text, HasSubstr("stdio.h "));
}

TEST_F(OutsideHeadersTest, WhoseFilesCannotBeFollowedMakeTheInputUnknown) {
  EXPECT_EQ(find({"vector", "eigen/Dense"}).unknown, "");
  write("/own/computed.h", "#include ITERATE(3)\n");
  EXPECT_THAT(find({"computed.h"}).unknown, HasSubstr("computed.h:1: the header's name is computed"));
}

TEST_F(OutsideHeadersTest, AreReadAgainWhereOneHasChanged) {
  const std::string first = find({"eigen/Dense", "vector"}).text;
  EXPECT_EQ(files_.reads, 2);
  EXPECT_EQ(find({"eigen/Dense", "vector"}).text, first);
  EXPECT_EQ(files_.reads, 2);

  clock_.advance(1);  // of the same length
  write("/usr/include/eigen/Core", "struct Vector;\n");
  EXPECT_NE(find({"eigen/Dense", "vector"}).text, first);
  files_.remove_all("/usr/include/eigen/Core");
  EXPECT_THAT(find({"eigen/Dense", "vector"}).text, Not(HasSubstr("Core ")));
}

TEST_F(OutsideHeadersTest, OfTheCompilerAreNotLookedForAgain) {
  OutsideHeaderFinder finder({{}, {"/usr/include/c++/12", "/usr/include"}}, files_);
  const std::vector<std::string> names = {"stdio.h", "vector"};
  EXPECT_EQ(finder.find(names).text, "");
  const int looks = files_.looks;
  EXPECT_GT(looks, 0);
  EXPECT_EQ(finder.find(names).text, "");
  EXPECT_EQ(files_.looks, looks);
}

}  // namespace
}  // namespace kiln::test
