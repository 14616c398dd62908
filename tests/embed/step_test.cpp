// Steps of workloads inside a program, on the cpu with a real compiler.
#include "kiln/step.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "base/file.h"
#include "kiln/stream.h"
#include "support/error_matchers.h"
#include "support/small_workload.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// count: how often it ran. where: the address of x. y = factor * x + weights through a temporary buffer;
/// `weights` is filled by a kernel. With `twice`, x is scaled once more by way of a swap.
constexpr const char* kSource = R"cuda(#include "kiln/params.h"
extern "C" __global__ void scale(T* to, const T* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Params::n) to[i] = from[i] * (T)Params::factor;
}
extern "C" __global__ void add(T* y, const T* a, const T* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Params::n) y[i] = a[i] + b[i];
}
__device__ int passes;
extern "C" __global__ void count(int* calls, unsigned long long* address, const T* x) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  ++*calls;
  ++passes;
  *address = (unsigned long long)x;
}
extern "C" __global__ void weigh(T* weights) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Params::n) weights[i] = (T)(100 * i);
}
)cuda";
constexpr const char* kYaml = R"yaml(workload: affine
parameters:
  T: {type: type, default: float, values: [float, double]}
  n: {type: int, default: 4, bind: compile}
  factor: {type: int, default: 2, bind: compile}
  twice: {type: bool, default: false}
buffers:
  x: {type: T, shape: [n], init: 1}
  scaled: {type: T, shape: [n], temporary: true}
  weights: {type: T, shape: [n], init: {kernel: weigh}}
  y: {type: T, shape: [n]}
  expected: {type: T, shape: [n]}
  calls: {type: int, shape: [1], init: 40}
  address: {type: ulong, shape: [1]}
  passed: {type: int, shape: [1]}
  part: {type: T, shape: [1], view: {of: x, offset: 0}}
inputs: [x]
outputs: y
kernels:
  scale: {source: affine.cu, args: [{name: to}, {name: from}], block: [4], grid: ["ceil_div(n, 4)"]}
  add: {source: affine.cu, args: [y, scaled, weights], block: [4], grid: ["ceil_div(n, 4)"]}
  count: {source: affine.cu, args: [calls, address, x], block: [4], grid: [1], read_symbols: {passes: passed}}
  weigh: {source: affine.cu, args: [weights], block: [4], grid: ["ceil_div(n, 4)"]}
  broken: {source: missing.cu, args: [expected], block: [1], grid: [1]}
run:
  - {kernel: scale, as: scale_first, when: twice, args: {to: y, from: x}}
  - {swap: [x, y], when: twice}
  - {kernel: scale, as: scale_x, args: {to: scaled, from: x}}
  - add
  - count
verify:
  checks:
    - {buffer: y, reference: {kernel: broken, buffer: expected}, rtol: 0.5}
)yaml";

class Steps : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "kiln_steps.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    std::filesystem::create_directory(folder_ / "affine");
    std::ofstream(folder_ / "affine" / "affine.cu") << kSource;
    std::ofstream(folder_ / "affine" / "affine.yaml") << kYaml;
    Settings settings;
    settings.cache_dir = (folder_ / "cache").string();
    settings.workload_path = {folder_.string()};
    settings.wisdom_dir = (folder_ / "wisdom").string();
    settings.log_level = "off";
    service_.emplace(settings);
    device_.emplace(service_->device("cpu"));
  }
  void TearDown() override {
    device_.reset();
    service_.reset();
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] Step make(const std::vector<std::string>& set = {}, const std::string& job = "affine") const {
    StepOptions options;
    options.set = set;
    return make_step(*service_, *device_, job, options);
  }
  /// y of one call; `shift` elements after an aligned address.
  static std::vector<float> call(const Step& step, const std::vector<float>& values, std::size_t shift = 0) {
    alignas(256) std::array<float, 64> x{};
    alignas(256) std::array<float, 64> y{};
    std::copy(values.begin(), values.end(), x.begin() + static_cast<std::ptrdiff_t>(shift));
    const void* in = x.data() + shift;
    void* out = y.data() + shift;
    step.run({&in, 1}, {&out, 1});
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(shift);
    return {first, first + static_cast<std::ptrdiff_t>(values.size())};
  }

  std::filesystem::path folder_;
  std::optional<Service> service_;
  std::optional<DeviceHandle> device_;
};

TEST_F(Steps, TakeTheCallersArraysAndFillTheirOwnBuffersOnce) {
  const Step step = make();
  ASSERT_THAT(step.inputs(), SizeIs(1));
  EXPECT_EQ(step.inputs()[0].name, "x");
  EXPECT_EQ(step.inputs()[0].type, "float");
  EXPECT_THAT(step.inputs()[0].shape, ElementsAre(4));
  EXPECT_EQ(step.outputs().at(0).name, "y");
  EXPECT_EQ(step.info().name, "affine");
  EXPECT_EQ(step.info().launches, 3U);
  EXPECT_THAT(call(step, {1, 2, 3, 4}), ElementsAre(2, 104, 206, 308));
  EXPECT_THAT(call(step, {0, 0, 0, 1}), ElementsAre(0, 100, 200, 302));
}

TEST_F(Steps, ArraysThatAreNotAlignedAreCopied) {
  const Step step = make();
  for (const std::size_t shift : {1U, 4U, 16U})
    EXPECT_THAT(call(step, {1, 2, 3, 4}, shift), ElementsAre(2, 104, 206, 308)) << shift;
}

TEST_F(Steps, AnInputIsUsedWhereItStandsIfItIsAligned) {
  StepOptions options;
  options.outputs = {"address"};
  const Step step = make_step(*service_, *device_, "affine", options);
  alignas(64) std::array<float, 32> x{};
  for (const std::size_t shift : {0U, 1U, 16U}) {
    std::uint64_t address = 0;
    const void* in = x.data() + shift;
    void* out = &address;
    step.run({&in, 1}, {&out, 1});
    EXPECT_EQ(address == reinterpret_cast<std::uintptr_t>(in), shift % 16 == 0) << shift;
  }
}

TEST_F(Steps, AnInputWhoseAddressABufferHoldsIsCopiedThere) {
  std::ofstream(folder_ / "affine" / "pointed.cu") << R"cuda(__constant__ const float* places[2];
extern "C" __global__ void pointed(float* y) { y[threadIdx.x] = places[0][threadIdx.x] + places[1][threadIdx.x]; }
)cuda";
  std::ofstream(folder_ / "affine" / "pointed.yaml") << R"yaml(workload: pointed
buffers:
  x: {type: float, shape: [4], init: 1}
  shift: {type: float, shape: [4], init: {iota: [10, 10]}}
  y: {type: float, shape: [4]}
  table: {type: ulong, shape: [2], init: {addresses: [x, shift]}}
inputs: [x]
outputs: [y]
kernels: {pointed: {source: pointed.cu, args: [y], block: [4], grid: [1], symbols: {places: table}}}
run: [pointed]
)yaml";
  const Step step = make({}, (folder_ / "affine" / "pointed.yaml").string());
  EXPECT_THAT(call(step, {1, 2, 3, 4}), ElementsAre(11, 22, 33, 44));
  EXPECT_THAT(call(step, {0, 0, 0, 1}), ElementsAre(10, 20, 30, 41));
}

TEST_F(Steps, AnOutputKeepsItsContentFromCallToCall) {
  StepOptions options;
  options.outputs = {"calls"};
  const Step step = make_step(*service_, *device_, "affine", options);
  for (int i = 1; i <= 3; ++i) {
    alignas(64) int calls = -7;
    const void* none = nullptr;
    void* out = &calls;
    step.run({&none, 1}, {&out, 1});
    EXPECT_EQ(calls, 40 + i);
  }
}

TEST_F(Steps, AnInputThatIsAnOutputIsUpdatedInPlaceByOneAddressAlone) {
  StepOptions options;
  options.inputs = {"calls"};
  options.outputs = {"calls"};
  const Step step = make_step(*service_, *device_, "affine", options);
  alignas(64) int calls = 5;
  alignas(64) int result = 0;
  const void* in = &calls;
  void* out = &calls;
  step.run({&in, 1}, {&out, 1});
  EXPECT_EQ(calls, 6);
  out = &result;
  step.run({&in, 1}, {&out, 1});
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(result, 7);
}

TEST_F(Steps, WhatTheCallerCapturesIsPartOfTheCallersGraph) {
  const Step step = make({"graph=true"});
  const StreamHandle stream = device_->create_stream();
  alignas(256) std::array<float, 4> x{1, 1, 1, 1};
  alignas(256) std::array<float, 4> y{};
  const void* in = x.data();
  void* out = y.data();
  const GraphHandle graph = stream.capture([&] { step(stream.native(), {&in, 1}, {&out, 1}); });
  EXPECT_THAT(y, Each(0));
  x.fill(3);
  graph.launch(stream);
  stream.synchronize();
  EXPECT_THAT(y, ElementsAre(6, 106, 206, 306));
}

TEST_F(Steps, WisdomGivesWhatNothingElseGivesAndTheDefaultsStandIn) {
  test::write_small_workload(*make_real_file_system(), folder_);
  std::filesystem::create_directory(folder_ / "wisdom");
  std::ofstream(folder_ / "wisdom" / "scale.wisdom.yaml")
      << test::small_workload_wisdom(device_->name(), device_->arch(), "{block: 32}");
  const auto block_of_step = [&](bool wisdom, const std::string& text) {
    std::ofstream(folder_ / "scale" / "scale.cu") << "#include \"kiln/params.h\"\n"
                                                  << text << R"cuda(
extern "C" __global__ void KILN_LAUNCH_BOUNDS_scale scale(T* y, const T*, const Params p) {
  const int i = blockIdx.x * Params::block + threadIdx.x;
  if (i < p.n) y[i] = blockDim.x;
}
)cuda";
    StepOptions options;
    options.set = {"n=200"};
    options.outputs = {"y"};
    options.wisdom = wisdom;
    const Step step = make_step(*service_, *device_, "scale", options);
    std::vector<double> y(200);
    void* out = y.data();
    step.run({}, {&out, 1});
    return y;
  };
  EXPECT_THAT(block_of_step(false, ""), Each(64));
  EXPECT_THAT(block_of_step(true, ""), Each(32));
  EXPECT_THAT(block_of_step(true, "static_assert(Params::block != 32, \"too small\");"), Each(64));
}

TEST_F(Steps, BuffersThatTheProgramSwapsComeOutUnderTheirNames) {
  const Step step = make({"twice=true"});
  EXPECT_EQ(step.info().launches, 4U);
  // x is scaled into y, they change places, and `scale` reads what stands under x.
  EXPECT_THAT(call(step, {1, 2, 3, 4}), ElementsAre(4, 108, 212, 316));
  EXPECT_THAT(call(step, {1, 2, 3, 4}, 1), ElementsAre(4, 108, 212, 316));
  EXPECT_THAT(call(step, {5, 6, 7, 8}), ElementsAre(20, 124, 228, 332));
}

TEST_F(Steps, AGraphIsReplayedForTheAddressesOfEachCall) {
  const Step step = make({"graph=true"});
  EXPECT_TRUE(step.info().graph);
  for (int i = 0; i < 24; ++i) {  // more addresses than there are graphs
    const auto value = static_cast<float>(i);
    std::vector<float> memory(64 * 3);
    const auto* aligned =
        reinterpret_cast<float*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 255) / 256 * 256);
    const std::size_t shift = static_cast<std::size_t>(aligned - memory.data());
    std::fill_n(memory.begin() + static_cast<std::ptrdiff_t>(shift), 4, value);
    const void* in = memory.data() + shift;
    void* out = memory.data() + shift + 64;
    step.run({&in, 1}, {&out, 1});
    EXPECT_THAT(std::vector<float>(static_cast<float*>(out), static_cast<float*>(out) + 4),
                ElementsAre(2 * value, 2 * value + 100, 2 * value + 200, 2 * value + 300));
  }
}

TEST_F(Steps, OutputsMayBeVariablesOfTheDevice) {
  StepOptions options;
  options.outputs = {"passed"};
  const Step step = make_step(*service_, *device_, "affine", options);
  const std::array<float, 4> x{};
  for (const int expected : {1, 2, 3}) {
    const void* in = x.data();
    int passed = 0;
    void* out = &passed;
    step.run({&in, 1}, {&out, 1});
    EXPECT_EQ(passed, expected);
  }
}

TEST_F(Steps, NullStandsForTheStepsOwnBuffer) {
  const Step step = make();
  alignas(64) std::array<float, 4> y{};
  const void* none = nullptr;
  void* out = y.data();
  step.run({&none, 1}, {&out, 1});
  EXPECT_THAT(y, ElementsAre(2, 102, 202, 302));  // x is 1 by its `init`
  out = nullptr;
  step.run({&none, 1}, {&out, 1});
}

TEST_F(Steps, StreamsAndThreadsFollowEachOther) {
  const Step step = make({"n=16"});
  std::vector<std::thread> threads;
  std::array<std::vector<float>, 4> results;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      const StreamHandle stream = device_->create_stream();
      for (int i = 0; i < 50; ++i) {
        std::vector<float> x(16, static_cast<float>(t)), y(16);
        const void* in = x.data();
        void* out = y.data();
        step(stream.native(), {&in, 1}, {&out, 1});
        stream.synchronize();
        for (std::size_t k = 0; k < y.size(); ++k) y[k] -= static_cast<float>(100 * k);
        results[t] = y;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < results.size(); ++t)
    EXPECT_THAT(results[t], AllOf(SizeIs(16), Each(2 * static_cast<float>(t))));
}

TEST_F(Steps, TheSignatureNamesTheParametersThatArraysDecide) {
  const StepSignature signature = step_signature(*service_, "affine");
  ASSERT_THAT(signature.inputs, SizeIs(1));
  EXPECT_EQ(signature.inputs[0].type_parameter, "T");
  EXPECT_THAT(signature.inputs[0].shape_parameters, ElementsAre("n"));
  StepOptions options;
  options.inputs = {"weights", "x"};
  const StepSignature chosen = step_signature(*service_, "affine", options);
  ASSERT_THAT(chosen.inputs, SizeIs(2));
  EXPECT_EQ(chosen.inputs[0].name, "weights");
  const Step step = make_step(*service_, *device_, "affine", options);
  alignas(64) std::array<float, 4> x{1, 1, 1, 1}, weights{5, 6, 7, 8}, y{};
  const std::array<const void*, 2> in{weights.data(), x.data()};
  void* out = y.data();
  step.run(in, {&out, 1});
  EXPECT_THAT(y, ElementsAre(7, 8, 9, 10));
}

TEST_F(Steps, AJobGivesItsValuesAndTheFirstOfASweep) {
  const Step step =
      make({}, "workload: affine\ndevice: cuda:7\nset: {factor: 3}\nsweep: {T: [float, double]}\n");
  EXPECT_THAT(call(step, {1, 2, 3, 4}), ElementsAre(3, 106, 209, 312));
  std::ofstream(folder_ / "job.yaml") << "workload: affine\nsweep: {factor: [5, 6]}\n";
  EXPECT_THAT(call(make({}, (folder_ / "job.yaml").string()), {1, 0, 0, 0}), ElementsAre(5, 100, 200, 300));
  EXPECT_THAT(call(make({"factor=7"}, (folder_ / "job.yaml").string()), {1, 0, 0, 0}),
              ElementsAre(7, 100, 200, 300));
}

TEST_F(Steps, MistakesNameTheirPlace) {
  const auto making = [&](const StepOptions& options) {
    return [&, options] { static_cast<void>(make_step(*service_, *device_, "affine", options)); };
  };
  StepOptions options;
  options.set = {"facto=1"};
  EXPECT_THAT(bad_input_of(making(options)), HasSubstr("'factor'"));
  options = {};
  options.inputs = {"xx"};
  EXPECT_THAT(bad_input_of(making(options)), HasSubstr("unknown buffer 'xx'; did you mean 'x'?"));
  options.inputs = {"scaled"};
  EXPECT_THAT(bad_input_of(making(options)), HasSubstr("'scaled' is temporary"));
  options.inputs = {"part"};
  EXPECT_THAT(bad_input_of(making(options)), HasSubstr("'part' is a view of 'x'"));
  options.inputs = {"x", "x"};
  EXPECT_THAT(bad_input_of(making(options)), HasSubstr("'x' is there twice"));
  options.inputs = {"expected"};
  EXPECT_THAT(bad_input_of(making(options)), HasSubstr("'expected' is not taken by the step"));
  const Step step = make();
  EXPECT_THAT(bad_input_of([&] { step.run({}, {}); }), HasSubstr("1 inputs; found 0"));
}

}  // namespace
}  // namespace kiln::test
