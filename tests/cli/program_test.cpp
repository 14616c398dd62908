#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/process.h"
#include "base/scratch_folder.h"

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

/// What the program writes for a job whose kernel prints, as does a constructor when its code is loaded.
ProcessResult run_printing_job(const std::string& redirection) {
  const auto files = make_real_file_system();
  const ScratchFolder scratch = make_scratch_folder(*files, temporary_folder(), "kiln-printing-");
  const std::filesystem::path& folder = scratch.get().path;
  std::ofstream(folder / "k.cu") << "struct Loud { Loud() { printf(\"constructor\\n\"); } } loud;\n"
                                    "extern \"C\" __global__ void k(int* a) {\n"
                                    "  if (threadIdx.x == 0) printf(\"hello,from,kernel\\n\");\n"
                                    "  a[threadIdx.x] = 7;\n}\n";
  std::ofstream(folder / "job.yaml")
      << "device: cpu\nworkload:\n  workload: loud\n  buffers: {a: {type: int, shape: [4]}}\n"
         "  kernels: {k: {source: k.cu, grid: [1], block: [4], args: [a]}}\n"
         "  run: [k]\n  verify: {checks: [{buffer: a, expected: 7}]}\n"
         "measure: {min_time: 0, max_time: 0, min_samples: 1, max_samples: 1}\n";
  const std::string command = std::string("cd '") + folder.string() + "' && KILN_CACHE=off \"" +
                              KILN_PROGRAM + "\" run job.yaml --format csv " + redirection;
  return make_process_runner()->run({"bash", {"-c", command}, "", ""});
}

TEST(Program, WhatKernelsPrintIsNoResult) {
  const ProcessResult result = run_printing_job("");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.output.find("hello"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("constructor"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.rfind("run_id,", 0), 0U) << result.output;
  EXPECT_NE(result.error.find("hello,from,kernel"), std::string::npos) << result.error;
  EXPECT_NE(result.error.find("constructor"), std::string::npos) << result.error;
}

TEST(Program, RunsWithoutStandardErrorAndWithoutStandardOutput) {
  EXPECT_NE(run_printing_job("2>&-").output.find("loud"), std::string::npos);
  EXPECT_EQ(run_printing_job(">&- 2> /dev/null; test $? -ne 70 -a $? -lt 128").exit_code, 0);
}

}  // namespace
}  // namespace kiln
