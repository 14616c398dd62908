#include "trial/shared_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "trial/needs.h"
#include "workload/configuration.h"
#include "workload/workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const Target kGpu{"cuda", "sm_90", 32};

class SharedVariables : public testing::Test {
 protected:
  /// `text` defines the kernels fill (of an init), step and check (a reference); the strings are added to
  /// their entries in the workload.
  std::vector<std::string> units(const std::string& text, const std::string& to_fill = "",
                                 const std::string& to_step = "", const std::string& to_check = "") {
    files_.make_directories("/w", false);
    files_.write_file("/w/k.cu", text, false);
    const std::string launch = ", grid: [1], block: [32], args: [";
    const std::string yaml =
        "workload: w\nbuffers:\n  a: {type: int, shape: [32], init: {kernel: fill}}\n"
        "  out: {type: int, shape: [32]}\n  r: {type: int, shape: [32]}\n  table: {type: int, shape: [32], "
        "init: 1}\n"
        "kernels:\n  fill: {source: k.cu" +
        launch + "a]" + to_fill + "}\n  step: {source: k.cu" + launch + "out, a]" + to_step +
        "}\n  check: {source: k.cu" + launch + "r, a]" + to_check +
        "}\nrun: [step]\nverify: {checks: [{buffer: out, reference: {kernel: check, buffer: r}}]}\n";
    const auto workload = parse_workload(YamlNode::parse(yaml, "w.yaml"), yaml, "/w");
    const Configuration configuration = configure(workload, {}, unknown_device(kGpu), files_).configuration;
    std::vector<std::string> found;
    for (const Unit& unit : TrialNeeds(configuration).units(kGpu, files_)) {
      std::string kernels;
      for (const auto& [kernel, expression] : unit.name_expressions)
        kernels += (kernels.empty() ? "" : " ") + kernel;
      found.push_back(kernels);
    }
    return found;
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

const std::string kKernels =
    "__global__ void fill(int* a) { a[threadIdx.x] = 1; USE_FILL }\n"
    "__global__ void step(int* out, const int* a) { out[threadIdx.x] = a[threadIdx.x]; USE_STEP }\n"
    "__global__ void check(int* r, const int* a) { r[threadIdx.x] = a[threadIdx.x]; USE_CHECK }\n";

/// The kernels, with these statements in them.
std::string kernels(const std::string& declarations, const std::string& fill, const std::string& step,
                    const std::string& check = "") {
  std::string text = declarations + "\n" + kKernels;
  for (const auto& [mark, use] : {std::pair{"USE_FILL", fill}, {"USE_STEP", step}, {"USE_CHECK", check}})
    text.replace(text.find(mark), std::string(mark).size(), use);
  return text;
}

TEST_F(SharedVariables, KernelsWithoutThemAreCompiledApartFromTheStep) {
  for (const char* declaration :
       {"", "__device__ int counter;", "__constant__ int counter = 3;",
        "__device__ const int counter[2] = {1, 2};", "__device__ int f(int counter) { return counter; }"}) {
    const std::string use =
        std::string(declaration).find("const") == std::string::npos ? "" : "a[0] = counter;";
    EXPECT_THAT(units(kernels(declaration, "", use, "")), ElementsAre("step", "check fill")) << declaration;
  }
}

TEST_F(SharedVariables, BringTheirKernelsIntoTheUnitOfTheStep) {
  for (const char* declaration :
       {"__device__ int counter;", "static __device__ int counter = 3;", "__managed__ int other, counter;",
        "namespace n { __device__ int* other = nullptr, counter[4]; } using namespace n;",
        "template <class T> __device__ T counter;", "__device__ int counter(0);",
        "__device__ int4 counter{};"}) {
    EXPECT_THAT(units(kernels(declaration, "counter = 1;", "out[0] = counter;")),
                ElementsAre("check fill step"))
        << declaration;
  }
  EXPECT_THAT(
      units(kernels("__device__ int counter;\n#define COUNT ++counter\n__device__ void count() { COUNT; }",
                    "count();", "", "r[0] = counter;")),
      ElementsAre("step", "check fill"));
  EXPECT_THAT(
      units(kernels("__device__ int counter;\n#define COUNT ++counter\n__device__ void count() { COUNT; }",
                    "", "count();", "r[0] = counter;")),
      ElementsAre("check fill step"));
}

TEST_F(SharedVariables, AreRefusedWhereMacrosOrOptionsKeepKernelsApart) {
  const std::string text = kernels("__device__ int counter;", "counter = 1;", "out[0] = counter;");
  EXPECT_THAT(bad_input_of([&] { units(text, ", options: {cuda: [--fmad=false]}"); }),
              AllOf(HasSubstr("w.yaml:8:"), HasSubstr("kernels.fill"), HasSubstr("'counter' of k.cu"),
                    HasSubstr("'step'"), HasSubstr("other macros or options"), HasSubstr("'defines'")));
  EXPECT_THAT(bad_input_of([&] { units(text, "", ", defines: {N: \"1\"}"); }), HasSubstr("'counter'"));
  EXPECT_THAT(units(text, "", "", ", defines: {N: \"1\"}"), ElementsAre("fill step", "check"));
}

TEST_F(SharedVariables, AreThoseOfSymbolsToo) {
  const std::string text =
      kernels("__constant__ int shift[32];", "", "out[0] = shift[0];", "r[0] = shift[0];");
  const std::string given = ", symbols: {shift: table}";
  EXPECT_THAT(units(text, "", given), ElementsAre("check fill step"));
  EXPECT_THAT(units(text, "", given, given), ElementsAre("step", "check fill"));
  EXPECT_THAT(bad_input_of([&] { units(text, "", given, ", defines: {N: \"1\"}"); }),
              AllOf(HasSubstr("kernels.check"), HasSubstr("'shift'"), HasSubstr("'symbols' of both")));
}

/// A reference on another device has a variable of its own.
TEST_F(SharedVariables, AreNotSharedAcrossDevices) {
  Unit own, other;
  own.specialization.source_path = other.specialization.source_path = "/w/k.cu";
  own.specialization.source_text = other.specialization.source_text =
      kernels("__device__ int counter;", "", "counter = 1;", "r[0] = counter;");
  own.specialization.target = kGpu;
  other.specialization.target = {"cpu", "x86-64", 32};
  own.name_expressions = {{"step", "step"}};
  other.name_expressions = {{"check", "check"}};
  const std::string yaml =
      "workload: w\nbuffers: {a: {type: int, shape: [1], init: 0}}\nkernels:\n"
      "  step: {source: k.cu, grid: [1], block: [1], args: [a]}\n"
      "  check: {source: k.cu, grid: [1], block: [1], args: [a]}\nrun: [step]\n";
  const auto workload = parse_workload(YamlNode::parse(yaml, "w.yaml"), yaml, "/w");
  const Configuration configuration = configure(workload, {}, unknown_device(kGpu), files_).configuration;
  EXPECT_THAT(bad_input_of([&] {
                require_shared_variables(configuration, {&own, &other});
              }),
              AllOf(HasSubstr("kernels.check"), HasSubstr("'counter'"), HasSubstr("for another device")));
}

}  // namespace
}  // namespace kiln
