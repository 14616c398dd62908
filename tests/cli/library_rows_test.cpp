// Statements `library:` on the CPU, with a library that the tests bring: what is called with which arguments,
// and what happens where a library or a function is missing.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/text.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kProduct = R"yaml(workload: product
parameters:
  m: {type: int, default: 5}
  n: {type: int, default: 7}
  k: {type: int, default: 3}
  trans_a: {type: bool, default: false}
  trans_b: {type: bool, default: false}
buffers:
  a: {type: float, shape: [m, k], init: {uniform: [-1, 1]}}
  b: {type: float, shape: [k, n], init: {uniform: [-1, 1]}}
  d: {type: float, shape: [m, n]}
  expected: {type: float, shape: [m, n]}
kernels:
  multiply: {source: product.cu, grid: [1], block: [1], args: [expected, a, b, params]}
run:
  - {library: gemm, as: product, args: {a: a, b: b, d: d, m: m, n: n, k: k, trans_a: trans_a, trans_b: trans_b, alpha: 2}}
verify:
  checks:
    - {buffer: d, reference: {kernel: multiply, buffer: expected}, rtol: 1e-5, atol: 1e-5}
metrics:
  rate: {unit: 1/s, value: 1 / time}
)yaml";

constexpr const char* kMultiply = R"(#include "kiln/params.h"
extern "C" __global__ void multiply(float* d, const float* a, const float* b, const Params p) {
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) {
      float sum = 0;
      for (int l = 0; l < p.k; ++l)
        sum += a[p.trans_a ? l * p.m + i : i * p.k + l] * b[p.trans_b ? j * p.k + l : l * p.n + j];
      d[i * p.n + j] = 2 * sum;
    }
}
)";

class LibraryRows : public CliTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(KILN_PROGRAM).parent_path() / "libkiln_vendor.so"))
      GTEST_SKIP() << "the plug-in was not built (KILN_VENDOR)";
    write("product/product.yaml", kProduct);
    write("product/product.cu", kMultiply);
  }

  /// In a process that finds the tests' library where it looks for OpenBLAS.
  CliResult run(const std::string& job, const std::string& more = "") {
    const std::string folder = std::filesystem::path(KILN_FAKE_BLAS).parent_path().string();
    const ProcessResult result = make_process_runner()->run(
        {"/bin/sh",
         {"-c", "LD_LIBRARY_PATH=" + folder + " FAKE_BLAS_CALLS=" + path("calls") + " " + KILN_PROGRAM +
                    " run " + write("job.yaml", job) + " --device cpu --output " + path("results") +
                    " --cache-dir " + path("cache") + " --workload-path " + KILN_SOURCE_DIR +
                    "/kernels_src:" + path("") + more},
         "",
         ""});
    return {result.exit_code, result.output, result.error};
  }
  [[nodiscard]] std::vector<std::string> calls() {
    std::vector<std::string> lines = split(files_->read_file(path("calls")).value_or(""), '\n');
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
  }
  [[nodiscard]] std::vector<nlohmann::json> records() {
    std::vector<nlohmann::json> all;
    for (const std::string& line :
         split(files_->read_file(path("results/records.jsonl")).value_or(""), '\n')) {
      if (!line.empty()) all.push_back(nlohmann::json::parse(line));
    }
    return all;
  }
};

TEST_F(LibraryRows, MultiplyAsTheKernelDoesHoweverOperandsAreStored) {
  const CliResult result =
      run("workload: product\nmeasure: false\nsweep: {trans_a: [false, true], trans_b: [false, true]}\n");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("4 ok"));
  EXPECT_THAT(calls(), AllOf(SizeIs(4), Each("cblas_sgemm")));
  for (const nlohmann::json& record : records()) {
    ASSERT_THAT(record["launches"], SizeIs(1));
    EXPECT_EQ(record["launches"][0]["step"], "product");
    EXPECT_THAT(record["launches"][0]["kernel"].get<std::string>(), HasSubstr("cblas_sgemm of libopenblas"));
  }
}

TEST_F(LibraryRows, AreMeasuredBesideTheProjectsKernels) {
  const CliResult result =
      run("workload: transpose\nset: {rows: 40, columns: 30}\nsweep: {implementation: [tuned, library]}\n"
          "measure: {min_time: 0 s, min_samples: 3, max_samples: 3}\n");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 ok"));
  EXPECT_GE(calls().size(), 4U);  // the check and three samples
  for (const nlohmann::json& record : records()) EXPECT_GT(record["metrics"]["bandwidth"]["value"], 0);
}

TEST_F(LibraryRows, MultiplyInTheShippedWorkload) {
  const CliResult result =
      run("workload: gemm\nmeasure: false\nset: {operation: library, m: 33, n: 20, k: 17, alpha: 0.5}\n"
          "sweep: {trans_a: [false, true], trans_b: [false, true]}\n");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("4 ok"));
  EXPECT_THAT(calls(), AllOf(SizeIs(4), Each("cblas_sgemm")));
  const CliResult added = run("workload: gemm\nmeasure: false\nset: {operation: library, m: 8, beta: 1}\n");
  EXPECT_EQ(added.code, 2);
  EXPECT_THAT(added.err, HasSubstr("beta == 0"));
}

TEST_F(LibraryRows, AreLeftOutWithTheReason) {
  const CliResult function =
      run("workload: transpose\nmeasure: false\nset: {rows: 8, bytes: 8, implementation: library}\n");
  EXPECT_THAT(function.out + function.err, HasSubstr("has no cblas_domatcopy"));
  const CliResult routine = run("workload: spmv\nmeasure: false\nset: {extent: 4, method: library}\n");
  EXPECT_THAT(routine.out + routine.err, HasSubstr("no library is known that does this on cpu"));
  for (const nlohmann::json& record : records()) EXPECT_EQ(record["status"], "unfit");
  EXPECT_THAT(calls(), SizeIs(0));
}

TEST_F(LibraryRows, SayWhichArgumentIsMissing) {
  std::string text = kProduct;
  text.replace(text.find("b: b, "), 6, "");
  write("product/product.yaml", text);
  const CliResult result = run("workload: product\nmeasure: false\n");
  EXPECT_THAT(result.out + result.err, HasSubstr("expected a buffer as argument 'b'"));
}

TEST_F(LibraryRows, NameTheNearestRoutine) {
  std::string text = kProduct;
  text.replace(text.find("library: gemm"), 13, "library: gemn");
  write("product/product.yaml", text);
  const CliResult result = run("workload: product\nmeasure: false\n");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("product.yaml:"), HasSubstr("gemm")));
}

}  // namespace
}  // namespace kiln::test
