// Words of a workload that only the compiler understands: its message begins with their place.
#include <gmock/gmock.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kText = R"(template <class T> __constant__ T weights[4];
template <class T> __global__ void scale(T* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= weights<T>[i % 4];
}
)";

/// A workload of the text, of which `lines` may change a key of the kernel.
std::string workload(const std::string& entry, const std::string& argument, const std::string& symbol,
                     const std::string& options) {
  return "workload: w\nparameters:\n  n: {type: int, default: 64, bind: run}\n"
         "buffers:\n  x: {type: float, shape: [n], init: 2}\n"
         "  w: {type: float, shape: [4], init: 2}\n"
         "kernels:\n  k:\n    source: k.cu\n    entry: " +
         entry + "\n    template_args: [" + argument +
         "]\n    grid: [n / 64]\n    block: [64]\n    args: [x, n]\n    symbols: {\"weights<" + symbol +
         ">\": w}\n    options: " + options + "\nrun: [k]\n";
}

class WrittenPlaces : public CliTest {
 protected:
  CliResult compile(const std::string& text, const std::vector<std::string>& more) {
    write("w/k.cu", kText);
    write("w/w.yaml", text);
    std::vector<std::string> words{"compile", write("job.yaml", "workload: w\n")};
    words.insert(words.end(), more.begin(), more.end());
    return kiln(words);
  }

  void expect(const CliResult& result, const std::string& place) {
    EXPECT_EQ(result.code, kExitFailed) << result.out << result.err;
    EXPECT_THAT(result.out + result.err, HasSubstr("w.yaml:" + place));
  }
};

TEST_F(WrittenPlaces, AnUnknownOptionOnTheCpu) {
  expect(compile(workload("scale", "float", "float", "{cpu: [-O2, -fno-math-errnoo]}"), {}),
         "16:26: kernels.k.options.cpu[1]: '-fno-math-errnoo'");
}

TEST_F(WrittenPlaces, MisspeltNamesOnTheCpu) {
  expect(compile(workload("scale", "flaot", "float", "[]"), {}),
         "11:21: kernels.k.template_args[0]: 'flaot', did you mean 'float'?");
  expect(compile(workload("scale", "float", "flaot", "[]"), {}),
         "15:15: kernels.k.symbols: 'flaot', did you mean 'float'?");
  expect(compile(workload("scael", "float", "float", "[]"), {}),
         "10:12: kernels.k.entry: 'scael', did you mean 'scale'?");
}

TEST_F(WrittenPlaces, AnErrorOfTheTextHasNoPlaceInTheWorkload) {
  const CliResult result = compile(workload("scale", "void", "float", "[-O2]"), {});
  EXPECT_EQ(result.code, kExitFailed) << result.out << result.err;
  EXPECT_THAT(result.out + result.err, Not(HasSubstr("w.yaml:")));
}

TEST_F(WrittenPlaces, WordsOnANvidiaGpu) {
  const CliResult option =
      compile(workload("scale", "float", "float", "{cuda: [--use_fastmath]}"), {"--arch", "sm_90"});
  if (option.code == kExitEnvironment) GTEST_SKIP() << option.err;
  expect(option, "16:22: kernels.k.options.cuda[0]: '--use_fastmath', did you mean '--use_fast_math'?");
  expect(compile(workload("scale", "float", "float", "{cuda: [--foo]}"), {"--arch", "sm_90"}),
         "16:22: kernels.k.options.cuda[0]: '--foo': ");
  expect(compile(workload("scale", "flaot", "float", "[]"), {"--arch", "sm_90"}),
         "11:21: kernels.k.template_args[0]: 'flaot', did you mean 'float'?");
  expect(compile(workload("scale", "float", "flaot", "[]"), {"--arch", "sm_90"}),
         "15:15: kernels.k.symbols: 'flaot', did you mean 'float'?");
}

TEST_F(WrittenPlaces, WordsOnAnAmdGpu) {
  const CliResult option =
      compile(workload("scale", "float", "float", "{hip: [--foo]}"), {"--arch", "gfx90a"});
  if (option.code == kExitEnvironment) GTEST_SKIP() << option.err;
  expect(option, "16:21: kernels.k.options.hip[0]: '--foo'");
  expect(compile(workload("scale", "flaot", "float", "[]"), {"--arch", "gfx90a"}),
         "11:21: kernels.k.template_args[0]: 'flaot', did you mean 'float'?");
}

}  // namespace
}  // namespace kiln::test
