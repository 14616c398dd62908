// `symbols:` of kernels that a program gets: __constant__ variables hold what the workload says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kiln/kiln.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::message_of;
using testing::HasSubstr;

/// `scale` is not in the kernel's text: requests that differ in it share their code.
const char* const kWorkload = R"yaml(workload: weigh
parameters:
  n: {type: int, default: 4}
  scale: {type: double, default: 2}
buffers:
  y: {type: double, shape: [n]}
  weights: {type: double, shape: [4], init: {iota: [scale, 1]}}
  squares: {type: double, shape: [4], init: {kernel: make_squares}}
  again: {type: double, shape: [4], init: {same_as: squares}}
  unsaid: {type: double, shape: [4]}
  longer: {type: double, shape: [5], init: 1}
  addresses: {type: ulong, shape: [4], init: {addresses: [weights, weights, null, null]}}
kernels:
  weigh: {source: weigh.cu, grid: [1], block: [32], args: [y, params], symbols: {table: weights}}
  square: {source: square.cu, entry: weigh, grid: [1], block: [32], args: [y, params], symbols: {table: squares}}
  copied: {source: copied.cu, entry: weigh, grid: [1], block: [32], args: [y, params], symbols: {table: again}}
  make_squares: {source: make_squares.cu, grid: [1], block: [4], args: [squares], symbols: {base: weights}}
  without: {source: without.cu, entry: weigh, grid: [1], block: [32], args: [y, params], symbols: {table: unsaid}}
  pointer: {source: pointer.cu, entry: weigh, grid: [1], block: [32], args: [y, params], symbols: {table: addresses}}
  calls: {source: calls.cu, grid: [1], block: [4], args: [y, {function: "ops::twice"}]}
  given: {source: given.cu, entry: weigh, grid: [1], block: [32], args: [weights, params], symbols: {table: weights}}
  absent: {source: absent.cu, entry: weigh, grid: [1], block: [32], args: [y, params], symbols: {tabel: weights}}
  unfit: {source: unfit.cu, entry: weigh, grid: [1], block: [32], args: [y, params], symbols: {table: longer}}
  instance: {source: instance.cu, grid: [1], block: [4], args: [y], symbols: {"numbers<double>": weights}}
  spaces: {source: spaces.cu, grid: [1], block: [4], args: [y], symbols: {"outer::inner::table": weights, "outer::own": squares, hidden: weights}}
  change: {source: change.cu, grid: [1], block: [4], args: [y], symbols: {state: weights}}
run: [weigh]
)yaml";

const char* const kSource = R"(#include "kiln/params.h"
__constant__ double table[4];
extern "C" __global__ void weigh(double* y, const Params p) {
  const int i = threadIdx.x;
  if (i < p.n) y[i] = table[i % 4];
}
)";

const char* const kMakeSquares = R"(__constant__ double base[4];
extern "C" __global__ void make_squares(double* squares) {
  squares[threadIdx.x] = base[threadIdx.x] * base[threadIdx.x];
}
)";

const char* const kChange = R"(__device__ double state[4];
extern "C" __global__ void change(double* y) {
  y[threadIdx.x] = state[threadIdx.x];
  state[threadIdx.x] += 10;
}
)";

const char* const kInstance = R"(template <class T>
__constant__ T numbers[4];
extern "C" __global__ void instance(double* y) { y[threadIdx.x] = numbers<double>[threadIdx.x]; }
)";

const char* const kCalls = R"(namespace ops { __device__ double twice(double a) { return 2 * a; } }
extern "C" __global__ void calls(double* y, double (*f)(double)) { y[threadIdx.x] = f(threadIdx.x + 1.0); }
)";

const char* const kSpaces = R"(namespace outer {
namespace inner { __constant__ double table[4]; }
static __constant__ double own[4];
}
namespace { __constant__ double hidden[4]; }
extern "C" __global__ void spaces(double* y) {
  const int i = threadIdx.x;
  y[i] = outer::inner::table[i] + 100 * outer::own[i] + 1000 * hidden[i];
}
)";

class Symbols : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_symbols.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ / "weigh.yaml") << kWorkload;
    for (const char* file : {"weigh.cu", "square.cu", "copied.cu", "without.cu", "given.cu", "absent.cu",
                             "unfit.cu", "pointer.cu"})
      std::ofstream(folder_ / file) << kSource;
    std::ofstream(folder_ / "make_squares.cu") << kMakeSquares;
    std::ofstream(folder_ / "change.cu") << kChange;
    std::ofstream(folder_ / "instance.cu") << kInstance;
    std::ofstream(folder_ / "spaces.cu") << kSpaces;
    std::ofstream(folder_ / "calls.cu") << kCalls;
    Settings settings;
    settings.cache_dir = (folder_ / "cache").string();
    settings.log_level = "off";
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    service_ = std::make_unique<Service>(settings);
  }
  void TearDown() override {
    service_.reset();  // it writes what it compiled before it goes
    std::filesystem::remove_all(folder_);
  }

  KernelRequest request(const std::string& kernel) {
    return service_->workload((folder_ / "weigh.yaml").string()).kernel(kernel).on(service_->device("cpu"));
  }
  template <class Launched>
  static std::vector<double> result_of(const Launched& kernel) {
    std::vector<double> y(4, -1);
    kernel.run(args(y.data()));
    return y;
  }
  std::string refusal(const std::string& kernel) {
    return bad_input_of([&] { static_cast<void>(request(kernel).get()); });
  }

  std::filesystem::path folder_;
  std::unique_ptr<Service> service_;
};

using Values = std::vector<double>;

TEST_F(Symbols, HoldWhatTheWorkloadSays) {
  EXPECT_EQ(result_of(request("weigh").get()), (Values{2, 3, 4, 5}));
  EXPECT_EQ(result_of(request("square").set("scale", 3).get()), (Values{9, 16, 25, 36}));
  EXPECT_EQ(result_of(request("copied").get()), (Values{4, 9, 16, 25})) << "a copy of what a kernel makes";
  EXPECT_EQ(result_of(request("instance").get()), (Values{2, 3, 4, 5})) << "of a template of variables";
  EXPECT_EQ(result_of(request("spaces").get()), (Values{2402, 3903, 5604, 7505})) << "of namespaces";
}

TEST_F(Symbols, AreNotSharedByKernelsOfOneCode) {
  const Kernel two = request("weigh").get();
  const Kernel seven = request("weigh").set("scale", 7).get();
  EXPECT_EQ(two.key(), seven.key());
  EXPECT_EQ(result_of(two), (Values{2, 3, 4, 5}));
  EXPECT_EQ(result_of(seven), (Values{7, 8, 9, 10}));
  EXPECT_EQ(result_of(two), (Values{2, 3, 4, 5}));
}

TEST_F(Symbols, AreEachKernelsOwnAlsoOfEqualRequests) {
  const KernelRequest wanted = request("change");
  const Kernel first = wanted.get();
  EXPECT_EQ(result_of(first), (Values{2, 3, 4, 5}));
  EXPECT_EQ(result_of(first), (Values{12, 13, 14, 15}));
  EXPECT_EQ(result_of(wanted.get()), (Values{2, 3, 4, 5}));
  EXPECT_EQ(result_of(first), (Values{22, 23, 24, 25}));
}

TEST_F(Symbols, HoldItInFamiliesAndInTheBackground) {
  const KernelFamily family = request("weigh").family({"n"});
  EXPECT_EQ(result_of(family.at({4})), (Values{2, 3, 4, 5}));
  EXPECT_EQ(result_of(family.at({2})), (Values{2, 3, -1, -1}));
  const BackgroundKernel background = request("weigh").set("scale", 4).set("n", 3).background();
  EXPECT_EQ(result_of(background), (Values{4, 5, 6, -1}));
  background.wait();
  EXPECT_EQ(background.status().state, BackgroundState::kSpecialised);
  EXPECT_EQ(result_of(background), (Values{4, 5, 6, -1}));
}

TEST_F(Symbols, FunctionsArePassedByTheirAddress) {
  EXPECT_EQ(result_of(request("calls").get()), (Values{2, 4, 6, 8}));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request("calls").function<void(double*)>()); }),
              HasSubstr("it takes a pointer to 'ops::twice'; launch what get() returns"));
}

TEST_F(Symbols, AreRefusedWhereTheirContentIsNotKnown) {
  EXPECT_THAT(refusal("without"),
              HasSubstr("kernels.without.symbols: the content of 'table' is not known to a "
                        "program that launches the kernel: its buffer 'unsaid' has no "
                        "'init:' that says it"));
  EXPECT_THAT(refusal("given"), HasSubstr("its buffer 'weights' is an argument, too"));
  EXPECT_THAT(refusal("pointer"),
              HasSubstr("its buffer 'addresses' holds addresses of buffers, which come with "
                        "each launch; a Program's symbol() sets it"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(request("without").background()); }),
              HasSubstr("has no 'init:'"));
}

TEST_F(Symbols, AreRefusedWhereTheyDoNotFitTheCode) {
  EXPECT_THAT(refusal("absent"), HasSubstr("'absent.cu' defines no variable 'tabel'"));
  EXPECT_THAT(message_of(ErrorKind::kUnfit, [&] { static_cast<void>(request("unfit").get()); }),
              HasSubstr("variable 'table' holds 32 bytes, buffer 'longer' holds 40 bytes"));
}

TEST_F(Symbols, OfOneTextHaveOneContent) {
  std::string text = kWorkload;
  text.replace(text.find("square.cu"), 9, "weigh.cu");
  std::ofstream(folder_ / "weigh.yaml") << text;
  EXPECT_THAT(bad_input_of([&] { request("weigh"); }),
              HasSubstr("'table' of 'weigh.cu' gets buffer 'squares' here and 'weights' in kernel 'weigh'"));
}

}  // namespace
}  // namespace kiln
