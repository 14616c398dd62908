#include "isolate/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

class OutcomeTest : public testing::Test {
 protected:
  OutcomeTest() { files_.make_directories("/w", true); }

  static CodeObject code() {
    CodeObject code;
    code.binary = std::string(
        "\x7f"
        "ELF\0\xff",
        6);
    code.format = "shared_object";
    code.lowered_names = {{"axpy<float>", "_Zaxpy"}};
    code.resources["axpy<float>"].registers = 40;
    code.log = "a warning";
    code.compile_seconds = 1.5;
    return code;
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

TEST_F(OutcomeTest, CodeReadsBack) {
  write_outcome(files_, "/w", code());
  const auto outcome = read_outcome(files_, "/w");
  ASSERT_TRUE(std::holds_alternative<CodeObject>(outcome));
  const auto& read = std::get<CodeObject>(outcome);
  EXPECT_EQ(read.binary, code().binary);
  EXPECT_EQ(read.format, "shared_object");
  EXPECT_EQ(read.lowered_names, code().lowered_names);
  EXPECT_EQ(read.resources.at("axpy<float>").registers, 40);
  EXPECT_EQ(read.log, "a warning");
  EXPECT_EQ(read.compile_seconds, 1.5);
}

TEST_F(OutcomeTest, DiagnosticReadsBackInAnyEncoding) {
  write_outcome(files_, "/w",
                CompileResult(Diagnostic{"k.cu:1: error", "caf\xe9\n", "g++ k.cu", true, true}));
  const auto outcome = read_outcome(files_, "/w");
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(outcome));
  const auto& read = std::get<Diagnostic>(outcome);
  EXPECT_EQ(read.summary, "k.cu:1: error");
  EXPECT_EQ(read.log, "caf\xef\xbf\xbd\n");
  EXPECT_EQ(read.command, "g++ k.cu");
  EXPECT_TRUE(read.environment);
  EXPECT_TRUE(read.compiler_fault);
}

TEST_F(OutcomeTest, ErrorReadsBack) {
  write_outcome(files_, "/w", environment_error("no compiler"));
  const auto outcome = read_outcome(files_, "/w");
  ASSERT_TRUE(std::holds_alternative<Error>(outcome));
  EXPECT_EQ(std::get<Error>(outcome).kind(), ErrorKind::kEnvironment);
  EXPECT_STREQ(std::get<Error>(outcome).what(), "no compiler");
}

TEST_F(OutcomeTest, EveryFlippedByteOfTheCodeIsGarbage) {
  write_outcome(files_, "/w", code());
  int flipped = 0;
  for (const std::string& path : files_.files_below("/w")) {
    const std::string bytes = files_.read_file(path).value();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 1);
      files_.write_file(path, damaged, false);
      EXPECT_TRUE(std::holds_alternative<OutcomeGarbage>(read_outcome(files_, "/w"))) << path << " " << i;
      ++flipped;
    }
    files_.write_file(path, bytes, false);
  }
  EXPECT_GT(flipped, 500);
}

TEST_F(OutcomeTest, NothingAndNonsenseAreGarbage) {
  EXPECT_TRUE(std::holds_alternative<OutcomeGarbage>(read_outcome(files_, "/w")));
  for (const char* text : {"", "{}", "null", "{\"error\": 3, \"kind\": 1}", "{\"summary\": \"x\"}"}) {
    files_.write_file("/w/report.json", text, false);
    EXPECT_TRUE(std::holds_alternative<OutcomeGarbage>(read_outcome(files_, "/w"))) << text;
  }
}

}  // namespace
}  // namespace kiln
