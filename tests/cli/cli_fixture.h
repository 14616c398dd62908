#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/run_cli.h"

namespace kiln::test {

/// What a command said and returned.
struct CliResult {
  int code = 0;
  std::string out, err;
};

/// Runs `kiln` in this process with a cache of its own, in a folder of its own.
class CliTest : public ::testing::Test {
 protected:
  CliTest() : files_(make_real_file_system()) {
    folder_ = files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_cli_");
  }
  ~CliTest() override { files_->remove_all(folder_); }

  CliResult kiln(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "kiln");
    if (arguments.size() > 1) {
      arguments.insert(arguments.end(), {"--cache-dir", path("cache"), "--workload-path",
                                         std::string(KILN_SOURCE_DIR) + "/kernels_src:" + path("")});
    }
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_cli(static_cast<int>(argv.size()), argv.data(), out, err);
    return {code, out.str(), err.str()};
  }

  /// A path in the test's folder.
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) {
    const std::filesystem::path file = folder_ / name;
    files_->make_directories(file.parent_path(), false);
    files_->write_file(file, text, false);
    return file.string();
  }

  [[nodiscard]] bool exists(const std::string& name) { return files_->status(folder_ / name).has_value(); }

  std::unique_ptr<FileSystem> files_;
  std::filesystem::path folder_;
};

}  // namespace kiln::test
