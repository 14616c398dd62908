#include "base/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/input_file.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using ::testing::HasSubstr;
using namespace std::string_view_literals;

constexpr std::uint64_t kEnough = 1 << 20;
/// By gzip: "hello, gzip\n", and 1000 times "a".
constexpr std::string_view kHello =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\xd7\x51\x48\xaf\xca\x2c\xe0\x02\x00\x86\x1f"
    "\x82\xa4\x0c\x00\x00\x00"sv;
constexpr std::string_view kManyA =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\x4c\x1c\x05\xa3\x60\x14\x0c\x77\x00\x00\x03\xda\x38\x9a\xe8"
    "\x03\x00\x00"sv;

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(Gzip, MembersFollowEachOther) {
  EXPECT_TRUE(is_gzip(kHello));
  EXPECT_FALSE(is_gzip("%%MatrixMarket"));
  EXPECT_EQ(gunzip(kHello, kEnough, "a.gz"), "hello, gzip\n");
  EXPECT_EQ(gunzip(repeated(kHello, 2) + std::string(5, '\0'), kEnough, "a.gz"),
            "hello, gzip\nhello, gzip\n");
  EXPECT_EQ(gunzip(repeated(kManyA, 200), kEnough, "a.gz"), std::string(200'000, 'a'));
}

TEST(Gzip, WhatIsDamagedOrCutOffIsRefused) {
  for (std::size_t bytes = 2; bytes < kHello.size(); ++bytes) {
    EXPECT_THAT(bad_input_of([&] { static_cast<void>(gunzip(kHello.substr(0, bytes), kEnough, "a.gz")); }),
                HasSubstr("a.gz: is a file of gzip that is cut off"));
  }
  std::string damaged(kHello);
  damaged[kHello.size() - 6] ^= 1;  // of the checksum
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(gunzip(damaged, kEnough, "a.gz")); }),
              HasSubstr("a.gz: is a damaged file of gzip"));
}

/// A bomb ends where more comes out than is wanted.
TEST(Gzip, WhatComesOutIsBounded) {
  const std::string bomb = repeated(kManyA, 1000);
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(gunzip(bomb, 200'000, "a.gz")); }),
              HasSubstr("a.gz: holds more than 195 KiB once it is decompressed"));
  EXPECT_EQ(gunzip(bomb, 1'000'000, "a.gz").size(), 1'000'000U);
}

TEST(Gzip, ABeginningMayBeCutOff) {
  EXPECT_EQ(gunzip_beginning(kHello.substr(0, 24), kEnough, "a.gz"), "hello, gzip\n");
  EXPECT_EQ(gunzip_beginning(kHello, 5, "a.gz"), "hello");
  EXPECT_EQ(gunzip_beginning(kHello.substr(0, 3), kEnough, "a.gz"), "");
}

TEST(Gzip, DataInputsMayBeCompressed) {
  test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.write_file("/a.gz", kHello, false);
  EXPECT_EQ(read_input(files, "/a.gz", kDataInput), "hello, gzip\n");
  EXPECT_EQ(read_input(files, "/a.gz", kWorkloadInput), kHello);
  files.write_file("/b.gz", repeated(kManyA, 2), false);
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(read_input(files, "/b.gz", {100, false, true}));
              }),
              HasSubstr("/b.gz: holds more than 100 B once it is decompressed"));
}

}  // namespace
}  // namespace kiln
