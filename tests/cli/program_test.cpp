#include <gtest/gtest.h>

#include <string>

#include "base/process.h"

namespace kiln {
namespace {

/// Runs the program itself under a shell, with its streams as `redirection` says; the shell returns kiln's
/// exit code.
int exit_code(const std::string& redirection) {
  const std::string command = std::string("\"") + KILN_PROGRAM + "\" --help " + redirection;
  const ProcessResult result = make_process_runner()->run({"bash", {"-c", command}, "", ""});
  EXPECT_EQ(result.signal, 0) << result.error;
  return result.exit_code;
}

TEST(Program, ReturnsItsExitCode) {
  EXPECT_EQ(exit_code("> /dev/null"), 0);
}

TEST(Program, AReaderThatGoesAwayIsNoError) {
  EXPECT_EQ(exit_code("| true; exit ${PIPESTATUS[0]}"), 0);
}

TEST(Program, ResultsThatCannotBeWrittenAre) {
  EXPECT_EQ(exit_code("> /dev/full"), 3);
}

}  // namespace
}  // namespace kiln
