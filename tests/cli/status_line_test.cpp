#include "cli/status_line.h"

#include <gtest/gtest.h>

#include <sstream>

namespace kiln {
namespace {

class StatusLineTest : public ::testing::Test {
 protected:
  [[nodiscard]] Console console(bool terminal) { return {out_, err_, false, terminal, 12, true}; }

  std::ostringstream out_, err_;
};

TEST_F(StatusLineTest, OnATerminalTheLineIsReplacedAndCut) {
  StatusLine line(console(true));
  line.show("one");
  line.show("a line that is long");
  line.clear();
  EXPECT_EQ(err_.str(), "one\r\033[Ka line that\r\033[K");
}

TEST_F(StatusLineTest, SeveralLinesAreReplacedTogether) {
  StatusLine line(console(true));
  line.show_lines("one\ntwo is long too\nthree");
  line.show_lines("four");
  line.clear();
  EXPECT_EQ(err_.str(), "one\ntwo is long\nthree\r\033[2A\033[Jfour\r\033[K");
}

TEST_F(StatusLineTest, MessagesStandAboveIt) {
  StatusLine line(console(true));
  line.show("working");
  line.write("note");
  EXPECT_EQ(err_.str(), "working\r\033[Knote\nworking");
}

TEST_F(StatusLineTest, WithoutATerminalOnlyMessagesAreWritten) {
  StatusLine line(console(false));
  line.show("working");
  line.write("note");
  line.clear();
  EXPECT_EQ(err_.str(), "note\n");
}

TEST_F(StatusLineTest, TheLogHoldsBackWhatIsBelowItsLevel) {
  StatusLine line(console(false));
  ConsoleLog log(line, LogLevel::kWarn, TextStyle{});
  log.info("quiet");
  log.warn("loud");
  log.error("louder");
  EXPECT_EQ(err_.str(), "kiln: warning: loud\nkiln: error: louder\n");
  ConsoleLog off(line, LogLevel::kOff, TextStyle{});
  off.error("nothing");
  EXPECT_EQ(err_.str(), "kiln: warning: loud\nkiln: error: louder\n");
}

TEST_F(StatusLineTest, NoMessageControlsTheTerminal) {
  StatusLine line(console(true));
  ConsoleLog log(line, LogLevel::kInfo, TextStyle{0, true, true});
  line.show("\033\n");
  line.write("c\033]0;own\a\nd");
  log.warn("e\033[31m");
  EXPECT_EQ(err_.str(),
            "\\x1b\\n\r\033[Kc\\x1b]0;own\\x07\nd\n\\x1b\\n"
            "\r\033[Kkiln: \033[1mwarning: \033[0me\\x1b[31m\n\\x1b\\n");
}

}  // namespace
}  // namespace kiln
