#include "base/log.h"

#include <gtest/gtest.h>

#include "kiln/error.h"

namespace kiln {
namespace {

TEST(ParseLogLevel, KnowsItsNames) {
  EXPECT_EQ(parse_log_level("debug"), LogLevel::kDebug);
  EXPECT_EQ(parse_log_level("info"), LogLevel::kInfo);
  EXPECT_EQ(parse_log_level("warn"), LogLevel::kWarn);
  EXPECT_EQ(parse_log_level("error"), LogLevel::kError);
  EXPECT_EQ(parse_log_level("off"), LogLevel::kOff);
}

TEST(ParseLogLevel, ListsTheNamesForAnythingElse) {
  try {
    parse_log_level("loud");
    FAIL() << "should have thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    EXPECT_STREQ(error.what(), "'loud' is not a log level; expected one of debug, info, warn, error, off");
  }
}

TEST(StderrLog, WritesFromItsLevelUp) {
  testing::internal::CaptureStderr();
  {
    const auto log = make_stderr_log(LogLevel::kWarn);
    log->info("quiet");
    log->warn("a {} is not a format");
    log->error("loud");
    log->write(LogLevel::kOff, "never");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "kiln: warning: a {} is not a format\nkiln: error: loud\n");
}

TEST(StderrLog, TwoAtOnceAreFine) {
  const auto first = make_stderr_log(LogLevel::kOff);
  const auto second = make_stderr_log(LogLevel::kOff);
  first->error("nothing");
  second->error("nothing");
}

TEST(NullLog, SaysNothing) {
  testing::internal::CaptureStderr();
  make_null_log()->error("nothing");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kiln
