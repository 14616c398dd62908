// What is a hit and what is a miss, by the real compiler and the real disk.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

/// A kernel with headers beside it, in folders of "-I" options, and in one that is asked for.
class CacheKeyTest : public CliTest {
 protected:
  CacheKeyTest() {
    write("here/job.yaml", "workload: work/fill.yaml\n");
    write("here/work/fill.yaml",
          "workload: fill\nparameters: {n: {type: int, default: 64}}\nbuffers: {x: {type: int, shape: [n]}}\n"
          "kernels:\n  fill: {source: fill.cu, block: [64], grid: [1], args: [x, params],\n"
          "         options: [-Ifirst, -I../second]}\nrun: [fill]\n");
    write("here/work/fill.cu",
          "#include \"kiln/params.h\"\n#include \"sub/step.h\"\n#include <value.h>\n"
          "#if __has_include(<tuned.h>)\n#include <tuned.h>\n#else\n#define TUNED 0\n#endif\n"
          "extern \"C\" __global__ void fill(int* x, const Params p) {\n"
          "  if (threadIdx.x < p.n) x[threadIdx.x] = step(VALUE) + TUNED;\n}\n");
    write("here/work/sub/step.h",
          "#pragma once\n#include \"../deep.h\"\n__device__ int step(int v) { return v + DEEP; }\n");
    write("here/work/deep.h", "#pragma once\n#define DEEP 1\n");
    write("here/second/value.h", "#pragma once\n#define VALUE 3\n");
    files_->make_directories(folder_ / "here/work/first", false);
  }

  /// "1 compiled" or "0 compiled".
  std::string compile(const std::string& tree) {
    const CliResult result = kiln({"compile", path(tree + "/job.yaml")});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    const std::size_t at = result.out.find(" compiled,");
    return at == std::string::npos ? result.out : result.out.substr(at - 1, 10);
  }
};

TEST_F(CacheKeyTest, TheSameTreeInAnotherFolderHits) {
  EXPECT_EQ(compile("here"), "1 compiled");
  EXPECT_EQ(compile("here"), "0 compiled");
  files_->make_directories(folder_ / "somewhere", false);
  std::filesystem::copy(folder_ / "here", folder_ / "somewhere/else",
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(folder_ / "here");
  EXPECT_EQ(compile("somewhere/else"), "0 compiled");
}

TEST_F(CacheKeyTest, AHeaderThatIsIncludedByAHeaderCounts) {
  EXPECT_EQ(compile("here"), "1 compiled");
  write("here/work/deep.h", "#pragma once\n#define DEEP 2\n");
  EXPECT_EQ(compile("here"), "1 compiled");
}

TEST_F(CacheKeyTest, AHeaderThatBeginsToShadowAnotherIsAMiss) {
  EXPECT_EQ(compile("here"), "1 compiled");
  EXPECT_EQ(compile("here"), "0 compiled");
  write("here/work/first/value.h", "#define VALUE 4\n");
  EXPECT_EQ(compile("here"), "1 compiled");
  std::filesystem::remove(folder_ / "here/work/first/value.h");
  EXPECT_EQ(compile("here"), "0 compiled");
}

TEST_F(CacheKeyTest, AHeaderThatAppearsWhereNoneWasIsAMiss) {
  EXPECT_EQ(compile("here"), "1 compiled");
  EXPECT_EQ(compile("here"), "0 compiled");
  write("here/work/first/tuned.h", "#define TUNED 1\n");
  EXPECT_EQ(compile("here"), "1 compiled");
}

TEST_F(CacheKeyTest, OneNameMayMeanTwoFiles) {
  write("here/work/sub/step.h",
        "#pragma once\n#include \"value.h\"\n__device__ int step(int v) { return v + INNER; }\n");
  write("here/work/sub/value.h", "#pragma once\n#define INNER 1\n");
  EXPECT_EQ(compile("here"), "1 compiled");
}

TEST_F(CacheKeyTest, AHeaderThatMacrosNameCounts) {
  const std::string kernel = "extern \"C\" __global__ void fill(int* x, const Params p) { x[0] = VALUE; }\n";
  for (const char* include : {"#define QUOTE(name) #name\n#include QUOTE(value.h)\n",
                              "#define NAME \"value.h\"\n#include NAME\n"}) {
    write("here/work/fill.cu", std::string("#include \"kiln/params.h\"\n") + include + kernel);
    write("here/second/value.h", "#define VALUE 3\n");
    EXPECT_EQ(compile("here"), "1 compiled") << include;
    EXPECT_EQ(compile("here"), "0 compiled") << include;
    write("here/second/value.h", "#define VALUE 5\n");
    EXPECT_EQ(compile("here"), "1 compiled") << include;
  }
}

TEST_F(CacheKeyTest, AHeaderThatAnOptionsMacroNamesCounts) {
  write("here/work/fill.yaml",
        "workload: fill\nparameters: {n: {type: int, default: 64}}\nbuffers: {x: {type: int, shape: [n]}}\n"
        "kernels:\n  fill: {source: fill.cu, block: [64], grid: [1], args: [x, params],\n"
        "         options: ['-DNAME=\"own.h\"', -D, FOLDER=sub]}\nrun: [fill]\n");
  const std::string kernel = "extern \"C\" __global__ void fill(int* x, const Params p) { x[0] = VALUE; }\n";
  const std::string text =
      "#include \"kiln/params.h\"\n#define QUOTE(name) #name\n#define STRING(name) QUOTE(name)\n";
  write("here/work/other.h", "#define VALUE 0\n");
  write("here/work/fill.cu",
        text + "#ifndef NAME\n#define NAME \"other.h\"\n#endif\n#include NAME\n" + kernel);
  write("here/work/own.h", "#define VALUE 3\n");
  EXPECT_EQ(compile("here"), "1 compiled");
  write("here/work/own.h", "#define VALUE 4\n");
  EXPECT_EQ(compile("here"), "1 compiled");
  write("here/work/fill.cu", text + "#include STRING(FOLDER/own.h)\n" + kernel);
  write("here/work/sub/own.h", "#define VALUE 5\n");
  EXPECT_EQ(compile("here"), "1 compiled");
  EXPECT_EQ(compile("here"), "0 compiled");
  write("here/work/sub/own.h", "#define VALUE 6\n");
  EXPECT_EQ(compile("here"), "1 compiled");
}

TEST_F(CacheKeyTest, WhatDependsOnAnUnknownFileIsNotKept) {
  write(
      "here/work/fill.cu",
      "#include \"kiln/params.h\"\n#define QUOTE(name) #name\n#define STRING(name) QUOTE(name)\n"
      "#if __cplusplus > 1\n#define CASE value\n#else\n#define CASE other\n#endif\n#include STRING(CASE.h)\n"
      "extern \"C\" __global__ void fill(int* x, const Params p) { x[0] = VALUE; }\n");
  EXPECT_EQ(compile("here"), "1 compiled");
  EXPECT_EQ(compile("here"), "1 compiled");
}

}  // namespace
}  // namespace kiln::test
