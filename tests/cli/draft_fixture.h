#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {

/// Drafts of programs by `kiln new`, which may be filled in and run.
class DraftTest : public CliTest {
 protected:
  /// The draft's text; what the command printed is in `said_`.
  std::string draft(const std::string& text) {
    const CliResult result = kiln({"new", write("program.cu", text), "-o", path("program.yaml"), "--force"});
    EXPECT_EQ(result.code, kExitDone) << result.err;
    said_ = result.out + result.err;
    return files_->read_file(path("program.yaml")).value_or("");
  }

  /// Runs it on the CPU with other texts in the place of some.
  CliResult run_with(std::string yaml, const std::vector<std::pair<std::string, std::string>>& filled) {
    for (const auto& [from, to] : filled) {
      const std::size_t at = yaml.find(from);
      EXPECT_NE(at, std::string::npos) << from << " in\n" << yaml;
      if (at != std::string::npos) yaml.replace(at, from.size(), to);
    }
    return kiln({"run", write("program.yaml", yaml), "--device", "cpu", "--require-checks"});
  }

  std::string said_;
};

}  // namespace kiln::test
