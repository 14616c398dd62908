#include "workload/input_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/hash.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using ::testing::HasSubstr;
using namespace std::string_view_literals;

std::string banner(const std::string& words) {
  return "%%MatrixMarket matrix " + words + "\n";
}

class InputFilesTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  InputFiles inputs_;
};

TEST_F(InputFilesTest, ASymmetricFileIsReadOnceUntilItChanges) {
  files_.write_file("/a.mtx", banner("coordinate real symmetric") + "2 2 2\n1 1 5\n2 1 -3\n", false);
  EXPECT_EQ(inputs_.nonzeros(files_, "/a.mtx"), 3U);
  const auto matrix = inputs_.matrix(files_, "/a.mtx");
  EXPECT_EQ(matrix, inputs_.matrix(files_, "/a.mtx"));
  inputs_.forget_entries();
  EXPECT_EQ(inputs_.nonzeros(files_, "/a.mtx"), 3U);
  EXPECT_NE(matrix, inputs_.matrix(files_, "/a.mtx"));
  files_.write_file("/a.mtx", banner("coordinate real symmetric") + "2 2 3\n1 1 5\n2 1 -3\n2 2 1\n", false);
  EXPECT_EQ(inputs_.nonzeros(files_, "/a.mtx"), 4U);
  EXPECT_EQ(inputs_.matrix(files_, "/a.mtx")->entries.size(), 4U);
}

/// The header alone says how many entries a general matrix has.
TEST_F(InputFilesTest, AGeneralFileIsNotReadForItsExtents) {
  files_.write_file("/a.mtx", banner("coordinate real general") + "3 4 2\nnonsense\n", false);
  EXPECT_EQ(inputs_.nonzeros(files_, "/a.mtx"), 2U);
  EXPECT_EQ(inputs_.header(files_, "/a.mtx").rows, 3U);
  EXPECT_EQ(inputs_.header(files_, "/a.mtx").columns, 4U);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(inputs_.matrix(files_, "/a.mtx")); }),
              HasSubstr("/a.mtx:3: "));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(inputs_.header(files_, "/b.mtx")); }),
              HasSubstr("no such file"));
}

/// By gzip: a symmetric matrix of 3 x 3 with 4 entries in its lower triangle.
constexpr std::string_view kCompressed =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x53\x55\xf5\x4d\x2c\x29\xca\xac\xf0\x4d\x2c\xca\x4e\x2d\x51\xc8"
    "\x05"
    "\x73\x14\x92\xf3\xf3\x8b\x52\x32\xf3\x12\x4b\x52\x15\x8a\x52\x13\x73\x14\x8a\x2b\x73\x73\x53\x81\x32\xc9"
    "\x5c"
    "\xc6\x0a\xc6\x0a\x26\x5c\x86\x0a\x40\xa8\x67\xca\x65\x04\xa4\x75\x8d\xa0\x82\xc6\x0a\x46\x0a\x06\x7a\x46"
    "\xa6"
    "\x5c\x00\xa5\xf7\x06\x79\x54\x00\x00\x00"sv;

TEST_F(InputFilesTest, FilesMayBeCompressed) {
  files_.write_file("/a.mtx.gz", kCompressed, false);
  EXPECT_EQ(inputs_.header(files_, "/a.mtx.gz").rows, 3U);
  EXPECT_EQ(inputs_.nonzeros(files_, "/a.mtx.gz"), 6U);
  files_.write_file("/b.mtx.gz", kCompressed.substr(0, 80), false);
  EXPECT_EQ(inputs_.header(files_, "/b.mtx.gz").rows, 3U);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(inputs_.matrix(files_, "/b.mtx.gz")); }),
              HasSubstr("/b.mtx.gz: is a file of gzip that is cut off"));
}

/// A header that ends beyond the part that is looked at is not taken for a shorter one.
TEST_F(InputFilesTest, AHeaderIsNotCutInTwo) {
  const std::string sizes = "12 34 56\n";
  std::string text = banner("coordinate real general");
  text += "%" + std::string((1 << 20) - text.size() - sizes.size() + 2, ' ') + "\n";
  files_.write_file("/a.mtx", text + sizes, false);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(inputs_.header(files_, "/a.mtx")); }),
              HasSubstr("ends before the line of sizes"));
}

TEST_F(InputFilesTest, ADigestIsOfAllBytesAsTheyAreNow) {
  const std::string large(40 << 20, 'x');  // of several parts
  files_.write_file("/a.bin", large, false);
  EXPECT_EQ(inputs_.digest(files_, "/a.bin"), sha256_hex(large));
  EXPECT_EQ(inputs_.digest(files_, "/a.bin"), sha256_hex(large));
  files_.write_file("/a.bin", "short", false);
  EXPECT_EQ(inputs_.digest(files_, "/a.bin"), sha256_hex("short"));
}

}  // namespace
}  // namespace kiln
