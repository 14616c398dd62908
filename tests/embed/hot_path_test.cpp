// What a launch and a look-up take on a GPU: no memory. Over a CUDA driver and an NVRTC without a GPU
// (support/cuda/fake_cuda.cpp, compile/cuda/fake_nvrtc.cpp), through everything that lies between a caller
// and the driver's function.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kiln.h"
#include "kiln/kiln.h"
#include "support/allocation_count.h"
#include "support/cuda/fake_cuda.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

constexpr const char* kWorkload = R"yaml(workload: launches
parameters:
  n:     {type: int, default: 64}
  dt:    {type: double, default: 0.5, max: 4, bind: run}
  count: {type: int, default: 3, bind: run}
  block: {type: int, default: 32, bind: compile}
  size:  {type: int, default: 1}
buffers:
  x: {type: float, shape: [8, n]}
  y: {type: float, shape: [8, n]}
kernels:
  scale:  {source: launches.cu, grid: [n], block: [block], cluster: [size], args: [y, x, n, params]}
  step:   {source: launches.cu, entry: keep_scalars, grid: [n], block: [block], args: [y, dt, x, count]}
  boxes:  {source: launches.cu, grid: [n], block: [block], args: [{tensor_map: x, box: [4, 8]}, y, params]}
  map_first:     {source: launches.cu, entry: increment, grid: [n], block: [block], args: [{tensor_map: x, box: [4, 8]}, y]}
  pointer_first: {source: launches.cu, entry: increment, grid: [n], block: [block], args: [y, {tensor_map: x, box: [4, 8]}]}
run: [scale]
)yaml";

constexpr int kTimes = 1000;

class HotPath : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "kiln_hot_path.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(folder_ / "launches.yaml") << kWorkload;
    std::ofstream(folder_ / "launches.cu") << "// the fake compiler does not read it\n";
    const char* path = std::getenv("LD_LIBRARY_PATH");
    if (path != nullptr) library_path_ = path;
    ::setenv("LD_LIBRARY_PATH", KILN_FAKE_CUDA_12, 1);
    fake_ = &fake_cuda_in(KILN_FAKE_CUDA_12);
    fake_->reset();
    fake_->keep_launches(false);
    Settings settings;
    settings.cache = false;
    settings.log_level = "off";
    settings.nvrtc = KILN_FAKE_NVRTC_11_1;
    settings.isolation = "none";
    service_.emplace(settings);
    device_.emplace(service_->device("cuda:0"));
    ASSERT_EQ(device_->name(), "Fake GPU");
  }
  void TearDown() override {
    if (library_path_)
      ::setenv("LD_LIBRARY_PATH", library_path_->c_str(), 1);
    else
      ::unsetenv("LD_LIBRARY_PATH");
    std::filesystem::remove_all(folder_);
  }

  KernelRequest request(const std::string& kernel) {
    return service_->workload((folder_ / "launches.yaml").string()).kernel(kernel).on(*device_);
  }

  /// Of kTimes calls, after one that may prepare something.
  static std::size_t allocations(const std::function<void()>& call) {
    call();
    const std::size_t before = allocation_count();
    for (int i = 0; i < kTimes; ++i) call();
    return allocation_count() - before;
  }

  /// As above, of launches on the caller's stream and on Kiln's; each must have come to the driver.
  void expect_no_allocation(const Kernel& kernel, const std::string& driver_function) {
    for (void* stream : {static_cast<void*>(this), static_cast<void*>(nullptr)}) {
      const int before = fake_->calls(driver_function);
      EXPECT_EQ(allocations([&] { kernel.launch(stream, args(y_, x_)); }), 0U) << driver_function;
      EXPECT_EQ(fake_->calls(driver_function) - before, kTimes + 1);
    }
  }

  std::filesystem::path folder_;
  std::optional<std::string> library_path_;
  FakeCuda* fake_ = nullptr;
  std::optional<Service> service_;
  std::optional<DeviceHandle> device_;
  alignas(16) float x_[8] = {}, y_[8] = {};
};

TEST_F(HotPath, TheCountIsOfWhatANewTakes) {
  std::vector<std::string> kept;
  EXPECT_GE(allocations([&] { kept.emplace_back(100, 'x'); }), static_cast<std::size_t>(kTimes));
}

TEST_F(HotPath, ALaunchTakesNoMemory) {
  expect_no_allocation(request("scale").get(), "cuLaunchKernel");
}

TEST_F(HotPath, ALaunchOfClustersTakesNoMemory) {
  expect_no_allocation(request("scale").set("size", 2).get(), "cuLaunchKernelEx");
}

TEST_F(HotPath, ALaunchWithATensorMapTakesNoMemory) {
  const Kernel kernel = request("boxes").get();
  EXPECT_EQ(allocations([&] { kernel.launch(nullptr, args(x_, y_)); }), 0U);
  EXPECT_EQ(fake_->calls("cuTensorMapEncodeTiled"), kTimes + 1);
}

// The fake driver's "increment" adds 1 to what its first argument points to, and its map is the tensor's
// address.
/// The streams that the launches of `launch` were given to.
std::set<cuda_abi::Stream> streams_of(FakeCuda& fake, const std::function<void()>& launch) {
  const std::size_t before = fake.launches().size();
  fake.keep_launches(true);
  launch();
  fake.keep_launches(false);
  std::set<cuda_abi::Stream> streams;
  const auto launches = fake.launches();
  for (std::size_t i = before; i < launches.size(); ++i) streams.insert(launches[i].stream);
  return streams;
}

TEST_F(HotPath, ANullStreamIsTheLegacyDefaultStreamForEveryKindOfKernel) {
  const std::set<cuda_abi::Stream> legacy{cuda_abi::kLegacyStream};
  const Kernel kernel = request("scale").get();
  EXPECT_EQ(streams_of(*fake_, [&] { kernel.launch(nullptr, args(y_, x_)); }), legacy);
  EXPECT_EQ(streams_of(*fake_, [&] { kernel.run(args(y_, x_)); }), legacy);
  const Kernel clustered = request("scale").set("size", 2).get();
  EXPECT_EQ(streams_of(*fake_, [&] { clustered.launch(nullptr, args(y_, x_)); }), legacy);
  const BackgroundKernel background = request("scale").background();
  EXPECT_EQ(streams_of(*fake_, [&] { background.launch(nullptr, args(y_, x_)); }), legacy);
  background.wait();
  EXPECT_EQ(streams_of(*fake_, [&] { background.run(args(y_, x_)); }), legacy);
  const KernelFamily family = request("scale").family({"n"});
  EXPECT_EQ(streams_of(*fake_, [&] { family.at({32}).launch(nullptr, args(y_, x_)); }), legacy);
  void* own = this;
  EXPECT_EQ(streams_of(*fake_, [&] { kernel.launch(own, args(y_, x_)); }),
            std::set<cuda_abi::Stream>{static_cast<cuda_abi::Stream>(own)});
  EXPECT_TRUE(fake_->stream_flags().empty()) << "the program's work needs no stream of Kiln's";
}

TEST_F(HotPath, ALaunchWithScalarsTakesNoMemory) {
  const Kernel kernel = request("step").get();
  double dt = 0;
  for (void* stream : {static_cast<void*>(this), static_cast<void*>(nullptr)}) {
    EXPECT_EQ(allocations([&] {
                dt += 1e-6;
                kernel.launch(stream, args(y_, x_), {{"count", 5}, {"dt", dt}});
              }),
              0U);
  }
  EXPECT_EQ(fake_->calls("cuLaunchKernel"), 2 * (kTimes + 1));
}

// The fake driver's "keep_scalars" writes its second and its fourth argument to where its first one points.
TEST_F(HotPath, ScalarsOfALaunchComeToTheDriverAndDoNotStay) {
  const Kernel kernel = request("step").get();
  std::array<double, 2> kept{};
  kernel.launch(nullptr, args(kept.data(), x_), {{"dt", 1.25}});
  EXPECT_EQ(kept, (std::array<double, 2>{1.25, 3}));
  kernel.run(args(kept.data(), x_), {{"count", 9}});
  EXPECT_EQ(kept, (std::array<double, 2>{0.5, 9}));
  EXPECT_EQ(bad_input_of([&] {
              kernel.launch(nullptr, args(y_, x_), {{"dt", 5}});
            }),
            "kernel 'step', scalar 'dt': 5 is too large; the most is 4");
  EXPECT_EQ(bad_input_of([&] {
              kernel.run(args(y_, x_), {{"counts", 5}});
            }),
            "kernel 'step' has no parameter 'counts'; did you mean 'count'?");
  EXPECT_EQ(fake_->calls("cuLaunchKernel"), 2);
}

TEST_F(HotPath, MapsAndPointersComeInTheOrderOfTheKernelsArguments) {
  alignas(16) int x[8] = {}, y[8] = {};
  request("map_first").get().launch(nullptr, args(x, y));
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(y[0], 0);
  request("pointer_first").get().launch(nullptr, args(y, x));
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(y[0], 1);
}

TEST_F(HotPath, AKernelInTheBackgroundIsLaunchedWithoutMemory) {
  const BackgroundKernel kernel = request("scale").background();
  kernel.wait();
  EXPECT_EQ(allocations([&] { kernel.launch(nullptr, args(y_, x_)); }), 0U);
}

TEST_F(HotPath, GettingAKnownKernelTakesNoMemory) {
  const KernelRequest wanted = request("scale").set("n", 64);
  static_cast<void>(wanted.get());
  EXPECT_EQ(allocations([&] { static_cast<void>(wanted.get()); }), 0U);
}

TEST_F(HotPath, SettingAValueAgainCostsTheSameEachTime) {
  KernelRequest wanted = request("scale").set("n", 0);
  const std::size_t before = allocation_count();
  wanted.set("n", 1);
  const std::size_t once = allocation_count() - before;
  std::int64_t n = 1;
  EXPECT_EQ(allocations([&] { wanted.set("n", ++n); }), kTimes * once);
}

// The fake driver's "keep_scalars" writes its second and its fourth argument to where its first one points.
constexpr const char* kKeepScalars =
    "extern \"C\" __global__ void keep_scalars(double* out, double dt, const float* x, int count) {}\n";

TEST_F(HotPath, ATypedFunctionGoesToTheDriverWithoutMemory) {
  using Keep = void(double*, double, const float*, int);
  const FunctionRequest request =
      service_->program("keep.cu", kKeepScalars).function("keep_scalars", *device_).block(32);
  std::array<double, 2> kept{};
  for (const bool covers : {false, true}) {
    FunctionRequest shaped = request;
    const Function<Keep> keep = (covers ? shaped.cover(3) : shaped.grid(7)).get<Keep>();
    double dt = 0;
    for (void* stream : {static_cast<void*>(this), static_cast<void*>(nullptr)}) {
      const int before = fake_->calls("cuLaunchKernel");
      EXPECT_EQ(allocations([&] {
                  dt += 0.5;
                  keep(stream, kept.data(), dt, x_, 100);
                }),
                0U);
      EXPECT_EQ(fake_->calls("cuLaunchKernel") - before, kTimes + 1);
      EXPECT_EQ(kept, (std::array<double, 2>{dt, 100}));
    }
    fake_->keep_launches(true);
    keep(nullptr, kept.data(), 1.0, x_, 65);
    keep.launch(this, {{5, 6, 7}, std::nullopt, 128}, kept.data(), 2.0, x_, 9);
    fake_->keep_launches(false);
    const auto launches = fake_->launches();
    ASSERT_GE(launches.size(), 2U);
    const auto& usual = launches[launches.size() - 2];
    EXPECT_EQ(usual.stream, cuda_abi::kLegacyStream);
    EXPECT_EQ(usual.grid, (std::vector<unsigned>{covers ? 3U : 7U, 1, 1}));
    EXPECT_EQ(usual.block, (std::vector<unsigned>{32, 1, 1}));
    EXPECT_EQ(launches.back().grid, (std::vector<unsigned>{5, 6, 7}));
    EXPECT_EQ(launches.back().shared_bytes, 128U);
    EXPECT_EQ(kept, (std::array<double, 2>{2, 9}));
  }
}

TEST_F(HotPath, AFamilyOfFunctionsIsLookedUpWithoutMemory) {
  using Keep = void(double*, double, const float*, int);
  const auto family = service_->program("keep.cu", kKeepScalars)
                          .function("keep_scalars", *device_)
                          .block(32)
                          .grid(1)
                          .family<Keep>({3});
  std::array<double, 2> kept{};
  for (const int count : {3, 4}) family(nullptr, kept.data(), 1.0, x_, count);
  int count = 3;
  EXPECT_EQ(allocations([&] {
              count = 7 - count;
              family(nullptr, kept.data(), 1.0, x_, count);
            }),
            0U);
}

TEST_F(HotPath, ALaunchByTheCInterfaceTakesNoMemory) {
  const std::string settings =
      std::string("cache: false\nlog_level: off\nisolation: none\nnvrtc: ") + KILN_FAKE_NVRTC_11_1 + "\n";
  kiln_service_options options{};
  options.size = sizeof options;
  options.application = "kiln-hot-path";
  options.settings = settings.c_str();
  kiln_service* service = nullptr;
  kiln_device* device = nullptr;
  kiln_program* program = nullptr;
  kiln_function_request* request = nullptr;
  kiln_function* function = nullptr;
  ASSERT_EQ(kiln_service_create(&options, &service), KILN_OK) << kiln_last_error_message();
  ASSERT_EQ(kiln_device_open(service, "cuda:0", &device), KILN_OK) << kiln_last_error_message();
  ASSERT_EQ(kiln_program_create(service, "keep.cu", kKeepScalars, &program), KILN_OK);
  ASSERT_EQ(kiln_function_request_create(program, "keep_scalars", device, nullptr, &request), KILN_OK);
  EXPECT_EQ(kiln_function_request_block(request, 32, 1, 1), KILN_OK);
  EXPECT_EQ(kiln_function_request_cover(request, 3, -1, -1), KILN_OK);
  ASSERT_EQ(kiln_function_get(request, "double*, double, const float*, int", &function), KILN_OK)
      << kiln_last_error_message();
  std::array<double, 2> kept{};
  double* to = kept.data();
  const float* from = x_;
  double dt = 0.5;
  int count = 7;
  std::array<void*, 4> values{&to, &dt, &from, &count};
  const std::array<std::size_t, 4> sizes{sizeof to, sizeof dt, sizeof from, sizeof count};
  kiln_status status = KILN_OK;
  const int before = fake_->calls("cuLaunchKernel");
  EXPECT_EQ(allocations([&] { status = kiln_launch(function, this, values.data()); }), 0U);
  EXPECT_EQ(status, KILN_OK);
  EXPECT_EQ(allocations([&] {
              status =
                  kiln_launch_checked(function, this, nullptr, sizes.size(), values.data(), sizes.data());
            }),
            0U);
  EXPECT_EQ(status, KILN_OK);
  EXPECT_EQ(fake_->calls("cuLaunchKernel") - before, 2 * (kTimes + 1));
  EXPECT_EQ(kept, (std::array<double, 2>{dt, 7}));
  kiln_function_release(function);
  kiln_function_request_release(request);
  kiln_program_release(program);
  kiln_device_release(device);
  kiln_service_release(service);
}

TEST_F(HotPath, ALookUpTakesNoMemory) {
  const KernelFamily family = request("scale").family({"n", "block"});
  const Kernel* found = nullptr;
  EXPECT_EQ(allocations([&] { found = &family.at({64, 32}); }), 0U);
  EXPECT_EQ(found->name(), "scale");
  std::int64_t n = 0;
  static_cast<void>(family.at({128, 64}));
  EXPECT_EQ(allocations([&] {
              n = n == 64 ? 128 : 64;
              family.at({n, n / 2}).launch(nullptr, args(y_, x_));
            }),
            0U);
}

}  // namespace
}  // namespace kiln::test
