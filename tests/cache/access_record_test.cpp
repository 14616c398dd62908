#include "cache/access_record.h"

#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

class AccessRecordTest : public testing::Test {
 protected:
  AccessRecordTest() { files_.make_directories("/entry", false); }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

TEST_F(AccessRecordTest, CountsAndRemembersTheLast) {
  EXPECT_EQ(read_access(files_, "/entry").hits, 0U);
  EXPECT_EQ(read_access(files_, "/entry").last_ns, 0);
  clock_.advance(1000);
  record_access(files_, clock_, "/entry");
  clock_.advance(61);
  record_access(files_, clock_, "/entry");
  EXPECT_EQ(read_access(files_, "/entry").hits, 2U);
  EXPECT_EQ(read_access(files_, "/entry").last_ns, clock_.system_ns());
}

TEST_F(AccessRecordTest, HitsWithinAMinuteAreOneWrite) {
  for (int i = 0; i < 50; ++i) {
    record_access(files_, clock_, "/entry");
    clock_.advance(1);
  }
  EXPECT_EQ(files_.operations().size(), 1U);
  EXPECT_EQ(read_access(files_, "/entry").hits, 1U);
}

TEST_F(AccessRecordTest, ADiskThatRefusesOrALinkIsLeftAlone) {
  files_.set_read_only(true);
  record_access(files_, clock_, "/entry");
  files_.set_read_only(false);
  files_.write_file("/victim", "text", false);
  files_.add_symlink("/entry/accessed", "/victim");
  record_access(files_, clock_, "/entry");
  EXPECT_EQ(files_.read_file("/victim"), "text");
  EXPECT_EQ(read_access(files_, "/entry").hits, 0U);
  record_access(files_, clock_, "/absent");
  EXPECT_FALSE(files_.status("/absent"));
}

}  // namespace
}  // namespace kiln
