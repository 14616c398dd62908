// The C interface, as a C program uses it, on the cpu with a real compiler.
#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "capi/signature.h"
#include "kiln.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StrEq;

constexpr const char* kText = R"cuda(
struct Weights { float near, far; };
template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
__global__ void smooth(Weights w, long n, const float* x, float* y) {
  const long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i + 1 < n) y[i] = w.near * x[i] + w.far * (x[i - 1] + x[i + 1]);
}
__global__ void powers(const int degree, double x, double* y) {
  double power[degree + 1];
  power[0] = 1;
  for (int i = 1; i <= degree; ++i) power[i] = power[i - 1] * x;
  *y = power[degree];
}
#ifndef OFFSET
#define OFFSET 0
#endif
__constant__ double scale[2];
__global__ void scaled(double* y) { *y = scale[0] + OFFSET + scale[1]; }
)cuda";
constexpr const char* kAxpy = "int, double, const double*, double*";

std::string last_error() {
  return kiln_last_error_message();
}

class CInterface : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "kiln_capi.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    if (std::system("command -v c++ > /dev/null") != 0) GTEST_SKIP() << "no C++ compiler on this machine";
    const std::string settings = "cache_dir: " + (folder_ / "cache").string() + "\n";
    kiln_service_options options = {};
    options.size = sizeof options;
    options.application = "kiln-capi-test";
    options.settings = settings.c_str();
    ASSERT_EQ(kiln_service_create(&options, &service_), KILN_OK) << last_error();
    ASSERT_EQ(kiln_device_open(service_, "cpu", &device_), KILN_OK) << last_error();
    ASSERT_EQ(kiln_program_create(service_, "lines.cu", kText, &program_), KILN_OK) << last_error();
  }
  void TearDown() override {
    // The service first: what was made of it keeps it.
    kiln_service_release(service_);
    kiln_program_release(program_);
    kiln_device_release(device_);
    std::filesystem::remove_all(folder_);
  }

  static void keep_message(void* user, kiln_log_level level, const char* message) {
    static_cast<std::vector<std::pair<int, std::string>>*>(user)->emplace_back(level, message);
  }
  [[nodiscard]] kiln_function_request* request(const char* kernel) const {
    kiln_function_request* made = nullptr;
    EXPECT_EQ(kiln_function_request_create(program_, kernel, device_, nullptr, &made), KILN_OK)
        << last_error();
    return made;
  }
  [[nodiscard]] kiln_function_request* axpy_request() const {
    kiln_function_request* made = request("axpy");
    const char* type = "double";
    EXPECT_EQ(kiln_function_request_template_args(made, 1, &type), KILN_OK);
    EXPECT_EQ(kiln_function_request_block(made, 64, 1, 1), KILN_OK);
    EXPECT_EQ(kiln_function_request_cover(made, 0, -1, -1), KILN_OK);
    return made;
  }
  /// Releases the request.
  static kiln_function* get(kiln_function_request* request, const char* signature) {
    kiln_function* function = nullptr;
    EXPECT_EQ(kiln_function_get(request, signature, &function), KILN_OK) << last_error();
    kiln_function_request_release(request);
    return function;
  }

  std::filesystem::path folder_;
  kiln_service* service_ = nullptr;
  kiln_device* device_ = nullptr;
  kiln_program* program_ = nullptr;
};

TEST_F(CInterface, AFunctionOfATextIsLaunchedCheckedTimedAndDescribed) {
  kiln_function* axpy = get(axpy_request(), kAxpy);
  ASSERT_NE(axpy, nullptr);
  std::vector<double> x(1000, 1.0), y(1000, 2.0);
  int n = 1000;
  double a = 0.5;
  double *from = x.data(), *to = y.data();
  std::array<void*, 4> values = {&n, &a, &from, &to};
  EXPECT_EQ(kiln_launch(axpy, nullptr, values.data()), KILN_OK);
  EXPECT_EQ(kiln_device_synchronize(device_), KILN_OK);
  EXPECT_EQ(y, std::vector<double>(1000, 2.5));

  n = 10;  // and the grid with it
  std::array<std::size_t, 4> sizes = {sizeof n, sizeof a, sizeof from, sizeof to};
  EXPECT_EQ(kiln_launch_checked(axpy, nullptr, nullptr, 4, values.data(), sizes.data()), KILN_OK);
  kiln_shape shape = {sizeof shape, {2, 1, 1}, {0, 0, 0}, UINT64_MAX};
  n = 1000;
  EXPECT_EQ(kiln_launch_checked(axpy, nullptr, &shape, 4, values.data(), sizes.data()), KILN_OK);
  EXPECT_EQ(kiln_device_synchronize(device_), KILN_OK);
  EXPECT_EQ(y[9], 3.5);
  EXPECT_EQ(y[10], 3.0);
  EXPECT_EQ(y[127], 3.0) << "two blocks of 64";
  EXPECT_EQ(y[128], 2.5);

  double seconds = 0;
  EXPECT_EQ(kiln_time(axpy, 3, values.data(), &seconds), KILN_OK);
  EXPECT_GT(seconds, 0);
  EXPECT_EQ(y[500], 4.5) << "one launch to warm up, and three";
  EXPECT_EQ(kiln_run(axpy, values.data()), KILN_OK);
  EXPECT_EQ(y[500], 5.0);

  kiln_function_info info = {};
  info.size = sizeof info;
  EXPECT_EQ(kiln_function_get_info(axpy, &info), KILN_OK);
  EXPECT_THAT(info.name, StrEq("axpy<double>"));
  EXPECT_THAT(info.origin, StrEq("compiled"));
  EXPECT_EQ(std::string(info.key).size(), 64U);
  EXPECT_GT(info.compile_seconds, 0);
  EXPECT_EQ(info.registers, -1) << "the cpu has none to tell of";
  kiln_function_release(axpy);

  kiln_statistics statistics = {};
  statistics.size = sizeof statistics;
  EXPECT_EQ(kiln_service_statistics(service_, &statistics), KILN_OK);
  EXPECT_EQ(statistics.compiled, 1U);
}

TEST_F(CInterface, ABundleIsTakenWholeOrNot) {
  const std::string nothing(1024, '\0');
  EXPECT_EQ(kiln_service_add_bundle(service_, nothing.data(), nothing.size()), KILN_OK)
      << kiln_last_error_message();
  EXPECT_EQ(kiln_service_add_bundle(service_, "no bundle", 9), KILN_BAD_INPUT);
  EXPECT_THAT(kiln_last_error_message(), testing::HasSubstr("cut off"));
  EXPECT_EQ(kiln_service_add_bundle(service_, nullptr, 9), KILN_BAD_INPUT);
}

TEST_F(CInterface, WhatIsWrongIsAStatusAndThisThreadsMessage) {
  kiln_device* gpu = nullptr;
  const bool has_gpu = kiln_device_open(service_, "cuda:0", &gpu) == KILN_OK;
  kiln_device_release(gpu);
  kiln_device* device = device_;
  // Where there are others it is a wrong number.
  EXPECT_EQ(kiln_device_open(service_, "cuda:99", &device), has_gpu ? KILN_BAD_INPUT : KILN_ENVIRONMENT);
  EXPECT_EQ(device, nullptr) << "the result of a failure";
  EXPECT_EQ(kiln_last_error_kind() == KILN_ERROR_ENVIRONMENT, !has_gpu);
  EXPECT_EQ(kiln_device_open(service_, "gpu", &device), KILN_BAD_INPUT);
  EXPECT_EQ(kiln_device_open(nullptr, "cpu", &device), KILN_BAD_INPUT);
  EXPECT_EQ(last_error(), "service is NULL");
  std::thread([] {
    EXPECT_EQ(kiln_last_error_kind(), KILN_ERROR_NONE);
    EXPECT_THAT(kiln_last_error_message(), StrEq(""));
  }).join();
  EXPECT_EQ(kiln_device_open(service_, "cpu", nullptr), KILN_BAD_INPUT);
  EXPECT_EQ(last_error(), "device is NULL");
  EXPECT_EQ(kiln_device_id(nullptr), nullptr);
  kiln_device_release(nullptr);

  kiln_function_request* wrong = nullptr;
  kiln_program* plain = nullptr;
  EXPECT_EQ(kiln_program_create(service_, "plain.cu", "__global__ void axpy(int n) {}", &plain), KILN_OK);
  EXPECT_EQ(kiln_function_request_create(plain, "axpi", device_, nullptr, &wrong), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("did you mean 'axpy'"));
  kiln_program_release(plain);
  kiln_function* function = nullptr;
  kiln_function_request* request = axpy_request();
  EXPECT_EQ(kiln_function_get(request, "int, float, const double*, double*", &function), KILN_BAD_INPUT);
  EXPECT_EQ(kiln_last_error_kind(), KILN_ERROR_COMPILE);
  EXPECT_THAT(last_error(), HasSubstr("argument 1 is double, the program passes float"));
  EXPECT_THAT(kiln_last_error_log(), HasSubstr("static assertion failed"));
  EXPECT_EQ(kiln_function_get(request, kAxpy, &function), KILN_OK) << last_error();
  EXPECT_THAT(last_error(), HasSubstr("argument 1")) << "of the last call that failed";
  kiln_function_request_release(request);

  std::array<void*, 4> values = {};
  std::array<std::size_t, 4> sizes = {4, 4, 8, 8};
  EXPECT_EQ(kiln_launch(function, nullptr, nullptr), KILN_BAD_INPUT);
  EXPECT_EQ(kiln_launch_checked(function, nullptr, nullptr, 3, values.data(), sizes.data()), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("takes 4 arguments; the launch passes 3"));
  int n = 1;
  values[0] = &n;
  EXPECT_EQ(kiln_launch_checked(function, nullptr, nullptr, 4, values.data(), sizes.data()), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("argument 1 (double) has 8 bytes; the launch passes 4"));
  sizes[1] = 8;
  EXPECT_EQ(kiln_launch_checked(function, nullptr, nullptr, 4, values.data(), sizes.data()), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("values[1] is NULL"));
  kiln_function_release(function);
}

TEST_F(CInterface, StructuresOfAnotherSizeAreRefusedOrReadAsFarAsTheyGo) {
  kiln_service* service = nullptr;
  kiln_service_options options = {};
  EXPECT_EQ(kiln_service_create(&options, &service), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), AllOf(HasSubstr("options: size is 0"), HasSubstr("expected sizeof *options")));
  struct Newer {
    kiln_service_options options;
    std::uint64_t more;
  } newer = {};
  newer.options.size = sizeof newer;
  newer.options.application = "kiln-capi-test";
  EXPECT_EQ(kiln_service_create(&newer.options, &service), KILN_OK) << last_error();
  kiln_service_release(service);
  newer.more = 1;
  EXPECT_EQ(kiln_service_create(&newer.options, &service), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("newer libkiln"));
  kiln_statistics older = {};
  older.size = offsetof(kiln_statistics, disk_hits);
  older.disk_hits = 77;
  EXPECT_EQ(kiln_service_statistics(service_, &older), KILN_OK);
  EXPECT_EQ(older.disk_hits, 77U) << "not in the caller's structure";
  EXPECT_EQ(older.size, offsetof(kiln_statistics, disk_hits));
}

TEST_F(CInterface, SettingsAreLinesOfASettingsFile) {
  kiln_service* service = nullptr;
  kiln_service_options options = {};
  options.size = sizeof options;
  options.application = "kiln-capi-test";
  options.settings = "cache: false\nlog_levl: off\n";
  EXPECT_EQ(kiln_service_create(&options, &service), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), AllOf(HasSubstr("settings:2:1"), HasSubstr("log_level")));
  options.settings = "cpu_threads: many\n";
  EXPECT_EQ(kiln_service_create(&options, &service), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("settings:1:14"));
  options.settings = "";
  EXPECT_EQ(kiln_service_create(&options, &service), KILN_OK) << last_error();
  kiln_service_release(service);
}

/// A service of other options, with a request for a kernel of one work-item.
struct OneKernel {
  OneKernel() = default;
  OneKernel(const OneKernel&) = delete;
  OneKernel& operator=(const OneKernel&) = delete;
  ~OneKernel() {
    kiln_program_release(program);
    kiln_device_release(device);
    kiln_service_release(service);
  }

  void open(const kiln_service_options& options) {
    ASSERT_EQ(kiln_service_create(&options, &service), KILN_OK) << last_error();
    ASSERT_EQ(kiln_device_open(service, "cpu", &device), KILN_OK) << last_error();
    ASSERT_EQ(kiln_program_create(service, "one.cu", "__global__ void one(int* x) { *x = 1; }", &program),
              KILN_OK);
    ASSERT_EQ(kiln_function_request_create(program, "one", device, nullptr, &request), KILN_OK);
    EXPECT_EQ(kiln_function_request_block(request, 1, 1, 1), KILN_OK);
    EXPECT_EQ(kiln_function_request_grid(request, 1, 1, 1), KILN_OK);
  }

  kiln_service* service = nullptr;
  kiln_device* device = nullptr;
  kiln_program* program = nullptr;
  kiln_function_request* request = nullptr;  ///< released by CInterface::get
};

TEST_F(CInterface, ProgressIsReportedAndEndsACall) {
  struct Seen {
    std::vector<int> stages;
    std::string kernel;
    int refused = -1;
  } seen;
  kiln_service_options options = {};
  options.size = sizeof options;
  options.application = "kiln-capi-test";
  const std::string settings = "cache_dir: " + (folder_ / "progress").string() + "\n";
  options.settings = settings.c_str();
  options.user = &seen;
  options.progress = [](void* user, kiln_stage stage, const char* kernel, double seconds) -> int {
    auto& all = *static_cast<Seen*>(user);
    all.stages.push_back(stage);
    all.kernel = kernel;
    EXPECT_GE(seconds, 0);
    return static_cast<int>(stage) != all.refused;
  };
  OneKernel one;
  ASSERT_NO_FATAL_FAILURE(one.open(options));
  seen.refused = KILN_STAGE_COMPILING;
  kiln_function* function = nullptr;
  EXPECT_EQ(kiln_function_get(one.request, "int*", &function), KILN_CANCELLED);
  EXPECT_EQ(kiln_last_error_kind(), KILN_ERROR_CANCELLED);
  EXPECT_THAT(last_error(), HasSubstr("'one.cu one': the program ended the request"));
  EXPECT_EQ(seen.stages, (std::vector<int>{KILN_STAGE_LOOKING, KILN_STAGE_COMPILING, KILN_STAGE_FAILED}));
  seen.stages.clear();
  seen.refused = -1;
  function = get(one.request, "int*");
  EXPECT_EQ(seen.stages, (std::vector<int>{KILN_STAGE_LOOKING, KILN_STAGE_COMPILING, KILN_STAGE_LOADING,
                                           KILN_STAGE_READY}));
  EXPECT_EQ(seen.kernel, "one.cu one");
  kiln_function_release(function);
}

TEST_F(CInterface, TheLogOfTheServiceIsTheCallers) {
  std::vector<std::pair<int, std::string>> messages;
  kiln_service_options options = {};
  options.size = sizeof options;
  options.application = "kiln-capi-test";
  options.settings = "cache_dir: /proc/no-folder-for-kiln\n";
  options.log = &CInterface::keep_message;
  options.user = &messages;
  {
    OneKernel one;
    ASSERT_NO_FATAL_FAILURE(one.open(options));
    kiln_function* function = get(one.request, "int*");
    kiln_function_release(function);
  }  // the service's last message comes when it goes
  EXPECT_THAT(messages, Contains(Pair(KILN_LOG_WARN, HasSubstr("/proc/no-folder-for-kiln"))));
}

TEST_F(CInterface, AKernelOfAWorkloadTakesParametersPointersAndScalars) {
  std::filesystem::create_directory(folder_ / "saxpy");
  const auto write = [&](const char* name, const std::string& text) {
    FILE* file = std::fopen((folder_ / "saxpy" / name).c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fputs(text.c_str(), file);
    std::fclose(file);
  };
  write(
      "saxpy.cu",
      "#include \"kiln/params.h\"\nextern \"C\" __global__ void saxpy(const float* x, float* y, float a) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < Params::n) y[i] += a * x[i];\n}\n");
  write("saxpy.yaml", R"yaml(workload: saxpy
parameters:
  n: {type: int, default: 100}
  a: {type: float, default: 1, bind: run}
buffers:
  x: {type: float, shape: [n]}
  y: {type: float, shape: [n]}
kernels:
  saxpy: {source: saxpy.cu, args: [x, y, a], block: [64], grid: ["ceil_div(n, 64)"]}
run: [saxpy]
)yaml");
  kiln_workload* workload = nullptr;
  ASSERT_EQ(kiln_workload_load(service_, (folder_ / "saxpy").c_str(), &workload), KILN_OK) << last_error();
  EXPECT_THAT(kiln_workload_name(workload), StrEq("saxpy"));
  ASSERT_EQ(kiln_workload_kernel_count(workload), 1U);
  EXPECT_THAT(kiln_workload_kernel_name(workload, 0), StrEq("saxpy"));
  EXPECT_EQ(kiln_workload_kernel_name(workload, 1), nullptr);
  kiln_kernel_request* request = nullptr;
  ASSERT_EQ(kiln_kernel_request_create(workload, "saxpy", device_, nullptr, &request), KILN_OK);
  EXPECT_EQ(kiln_kernel_request_set_int(request, "n", 10), KILN_OK);
  kiln_kernel* kernel = nullptr;
  ASSERT_EQ(kiln_kernel_get(request, &kernel), KILN_OK) << last_error();
  std::vector<float> x(12, 1), y(12, 0);
  const std::array<const void*, 2> pointers = {x.data(), y.data()};
  EXPECT_EQ(kiln_kernel_run(kernel, 2, pointers.data(), 0, nullptr), KILN_OK) << last_error();
  kiln_scalar a = {"a", KILN_SCALAR_DOUBLE, {}};
  a.value.real = 4;
  EXPECT_EQ(kiln_kernel_launch(kernel, nullptr, 2, pointers.data(), 1, &a), KILN_OK) << last_error();
  EXPECT_EQ(kiln_device_synchronize(device_), KILN_OK);
  EXPECT_EQ(y[9], 5);
  EXPECT_EQ(y[10], 0);
  a.name = "b";
  EXPECT_EQ(kiln_kernel_launch(kernel, nullptr, 2, pointers.data(), 1, &a), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("'b'"));
  EXPECT_EQ(kiln_kernel_run(kernel, 1, pointers.data(), 0, nullptr), KILN_BAD_INPUT);
  kiln_kernel_info info = {};
  info.size = sizeof info;
  EXPECT_EQ(kiln_kernel_get_info(kernel, &info), KILN_OK);
  EXPECT_THAT(info.name, StrEq("saxpy"));
  EXPECT_THAT(info.wisdom, StrEq(""));
  kiln_kernel_release(kernel);
  kiln_kernel_request_release(request);
  kiln_workload_release(workload);
}

TEST_F(CInterface, AStepOfAWorkloadIsOneCall) {
  std::filesystem::create_directory(folder_ / "shift");
  std::ofstream(folder_ / "shift" / "shift.cu")
      << "#include \"kiln/params.h\"\nextern \"C\" __global__ void shift(T* y, const T* x) {\n"
         "  const int i = threadIdx.x;\n  y[i] = x[i] + 1;\n}\n";
  std::ofstream(folder_ / "shift" / "shift.yaml") << R"yaml(workload: shift
parameters:
  T: {type: type, default: float, values: [float, double]}
  n: {type: int, default: 4, bind: compile}
buffers:
  x: {type: T, shape: [n, 2], init: 1}
  y: {type: T, shape: [n, "2 * 1"]}
inputs: [x]
outputs: [y]
kernels:
  shift: {source: shift.cu, args: [y, x], block: ["2 * n"], grid: [1]}
run: [shift]
)yaml";
  const std::string path = folder_ / "shift";
  std::string declared;
  const auto declare = [](void* user, const kiln_declared_buffer* buffer) {
    auto& text = *static_cast<std::string*>(user);
    text +=
        std::string(buffer->is_output != 0 ? "out " : "in ") + buffer->name + " " + buffer->type_parameter;
    for (size_t i = 0; i < buffer->rank; ++i)
      text += std::string(" ") + buffer->shape[i] + "|" + buffer->shape_parameters[i];
    text += "; ";
  };
  ASSERT_EQ(kiln_step_declare(service_, path.c_str(), nullptr, declare, &declared), KILN_OK) << last_error();
  EXPECT_EQ(declared, "in x T n|n 2|; out y T n|n 2 * 1|; ");
  EXPECT_EQ(kiln_step_declare(service_, path.c_str(), nullptr, nullptr, nullptr), KILN_BAD_INPUT);

  const std::array<const char*, 2> set = {"n=3", "T=double"};
  kiln_step_options options = {};
  options.size = sizeof options;
  options.set_count = set.size();
  options.set = set.data();
  kiln_step* step = nullptr;
  ASSERT_EQ(kiln_step_create(service_, device_, path.c_str(), &options, &step), KILN_OK) << last_error();
  EXPECT_EQ(kiln_step_input_count(step), 1U);
  EXPECT_EQ(kiln_step_output_count(step), 1U);
  kiln_step_buffer buffer = {};
  buffer.size = sizeof buffer;
  ASSERT_EQ(kiln_step_get_output(step, 0, &buffer), KILN_OK);
  EXPECT_THAT(buffer.name, StrEq("y"));
  EXPECT_THAT(buffer.type, StrEq("double"));
  ASSERT_EQ(buffer.rank, 2U);
  EXPECT_EQ(buffer.shape[0], 3U);
  EXPECT_EQ(kiln_step_get_input(step, 1, &buffer), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("index is 1"));
  kiln_step_info info = {};
  info.size = sizeof info;
  ASSERT_EQ(kiln_step_get_info(step, &info), KILN_OK);
  EXPECT_THAT(info.name, StrEq("shift"));
  EXPECT_EQ(info.launches, 1U);

  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  std::vector<double> y(6);
  const void* in = x.data();
  void* out = y.data();
  ASSERT_EQ(kiln_step_run(step, 1, &in, 1, &out), KILN_OK) << last_error();
  EXPECT_THAT(y, testing::ElementsAre(2, 3, 4, 5, 6, 7));
  in = y.data();
  EXPECT_EQ(kiln_step_launch(step, nullptr, 1, &in, 1, &out), KILN_OK) << last_error();
  EXPECT_EQ(kiln_device_synchronize(device_), KILN_OK);
  EXPECT_EQ(y[5], 8);
  EXPECT_EQ(kiln_step_run(step, 0, nullptr, 1, &out), KILN_BAD_INPUT);
  kiln_step_release(step);
  options.set_count = 1;
  options.size = 3;
  EXPECT_EQ(kiln_step_create(service_, device_, path.c_str(), &options, &step), KILN_BAD_INPUT);
  EXPECT_EQ(step, nullptr);
}

TEST_F(CInterface, BuffersStreamsEventsAndGraphs) {
  kiln_stream* stream = nullptr;
  ASSERT_EQ(kiln_stream_create(device_, &stream), KILN_OK);
  kiln_buffer *x = nullptr, *y = nullptr;
  ASSERT_EQ(kiln_buffer_create(device_, 100, sizeof(double), &x), KILN_OK);
  ASSERT_EQ(kiln_buffer_create(device_, 100, sizeof(double), &y), KILN_OK);
  void* address = nullptr;
  EXPECT_EQ(kiln_buffer_on_host(x, KILN_READ, &address), KILN_BAD_INPUT) << "it was never written";
  ASSERT_EQ(kiln_buffer_on_host(x, KILN_WRITE, &address), KILN_OK);
  std::fill_n(static_cast<double*>(address), 100, 1.0);
  ASSERT_EQ(kiln_buffer_on_host(y, KILN_WRITE, &address), KILN_OK);
  std::fill_n(static_cast<double*>(address), 100, 0.0);
  EXPECT_EQ(kiln_buffer_on_host(y, static_cast<kiln_access>(3), &address), KILN_BAD_INPUT);

  struct Step {
    kiln_function* function;
    void* native;
    void *x, *y;
    bool fail;
  } step = {get(axpy_request(), kAxpy), kiln_stream_native(stream), nullptr, nullptr, false};
  ASSERT_EQ(kiln_buffer_on_device(x, stream, KILN_READ, &step.x), KILN_OK);
  ASSERT_EQ(kiln_buffer_on_device(y, stream, KILN_UPDATE, &step.y), KILN_OK);
  const auto enqueue = [](void* user) {
    auto* own = static_cast<Step*>(user);
    int n = 100;
    double a = 2;
    std::array<void*, 4> values = {&n, &a, &own->x, &own->y};
    if (own->fail) return kiln_launch(nullptr, own->native, values.data());
    return kiln_launch(own->function, own->native, values.data());
  };
  kiln_graph* graph = nullptr;
  ASSERT_EQ(kiln_stream_capture(stream, enqueue, &step, &graph), KILN_OK) << last_error();
  kiln_event *begin = nullptr, *end = nullptr;
  ASSERT_EQ(kiln_stream_record(stream, &begin), KILN_OK);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(kiln_graph_launch(graph, stream), KILN_OK);
  ASSERT_EQ(kiln_stream_record(stream, &end), KILN_OK);
  ASSERT_EQ(kiln_stream_wait(stream, end), KILN_OK);
  ASSERT_EQ(kiln_stream_synchronize(stream), KILN_OK);
  double seconds = -1;
  EXPECT_EQ(kiln_event_seconds(begin, end, &seconds), KILN_OK);
  EXPECT_GE(seconds, 0);
  ASSERT_EQ(kiln_buffer_on_host(y, KILN_READ, &address), KILN_OK);
  EXPECT_EQ(static_cast<double*>(address)[99], 6);

  EXPECT_EQ(kiln_graph_update(graph, stream, enqueue, &step), KILN_OK) << last_error();
  ASSERT_EQ(kiln_graph_launch(graph, stream), KILN_OK);
  ASSERT_EQ(kiln_stream_synchronize(stream), KILN_OK);
  EXPECT_EQ(static_cast<double*>(address)[99], 8) << "the same step once more, on the cpu's own memory";
  EXPECT_EQ(kiln_graph_update(graph, stream, nullptr, nullptr), KILN_BAD_INPUT);

  kiln_graph* none = graph;
  step.fail = true;
  EXPECT_EQ(kiln_stream_capture(stream, enqueue, &step, &none), KILN_BAD_INPUT);
  EXPECT_EQ(last_error(), "function is NULL") << "what the callback failed with";
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(kiln_stream_capture(
                stream, [](void*) { return KILN_ENVIRONMENT; }, nullptr, &none),
            KILN_BAD_INPUT);
  EXPECT_EQ(last_error(), "enqueue returned 3");

  kiln_function_release(step.function);
  kiln_event_release(begin);
  kiln_event_release(end);
  kiln_graph_release(graph);
  kiln_buffer_release(x);
  kiln_buffer_release(y);
  kiln_stream_release(stream);
}

TEST_F(CInterface, ConstantsFamiliesDefinesAndSymbols) {
  kiln_function_request* powers = request("powers");
  EXPECT_EQ(kiln_function_request_block(powers, 1, 1, 1), KILN_OK);
  EXPECT_EQ(kiln_function_request_grid(powers, 1, 1, 1), KILN_OK);
  const int keyed = 0;
  kiln_family* family = nullptr;
  ASSERT_EQ(kiln_family_get(powers, "int, double, double*", 1, &keyed, &family), KILN_OK) << last_error();
  int degree = 3;
  double x = 2, y = 0;
  double* to = &y;
  std::array<void*, 3> values = {&degree, &x, &to};
  for (const double expected : {8.0, 16.0}) {
    ASSERT_EQ(kiln_family_launch(family, nullptr, values.data()), KILN_OK) << last_error();
    ASSERT_EQ(kiln_device_synchronize(device_), KILN_OK);
    EXPECT_EQ(y, expected);
    ++degree;
  }
  kiln_family_release(family);
  EXPECT_EQ(kiln_function_request_constant_int(powers, 0, 2), KILN_OK);
  kiln_function* square = get(powers, "int, double, double*");
  EXPECT_EQ(kiln_run(square, values.data()), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("is 2 in this function; the launch passes 5"));
  degree = 2;
  EXPECT_EQ(kiln_run(square, values.data()), KILN_OK);
  EXPECT_EQ(y, 4);
  kiln_function_release(square);

  const std::array<double, 2> scale = {0.5, 0.25};
  EXPECT_EQ(kiln_program_symbol(program_, "scale", scale.data(), sizeof scale), KILN_OK);
  EXPECT_EQ(kiln_program_kernel_count(program_), 4U);
  EXPECT_THAT(kiln_program_kernel_name(program_, 3), StrEq("scaled"));
  kiln_function_request* scaled = request("scaled");
  EXPECT_EQ(kiln_function_request_define(scaled, "OFFSET", "100"), KILN_OK);
  EXPECT_EQ(kiln_function_request_define(scaled, "not a name", ""), KILN_BAD_INPUT);
  EXPECT_EQ(kiln_function_request_block(scaled, 1, 1, 1), KILN_OK);
  EXPECT_EQ(kiln_function_request_grid(scaled, 1, 1, 1), KILN_OK);
  kiln_function* function = get(scaled, "double*");
  EXPECT_EQ(kiln_run(function, values.data() + 2), KILN_OK) << last_error();
  EXPECT_EQ(y, 100.75);
  kiln_function_release(function);
}

TEST_F(CInterface, AStructureIsPassedByItsNameAndSize) {
  struct Weights {
    float near, far;
  } weights = {1, 10};
  kiln_function_request* smooth = request("smooth");
  EXPECT_EQ(kiln_function_request_block(smooth, 8, 1, 1), KILN_OK);
  EXPECT_EQ(kiln_function_request_grid(smooth, 1, 1, 1), KILN_OK);
  kiln_function* function = nullptr;
  EXPECT_EQ(kiln_function_get(smooth, "Weights{12}, long, const float*, float*", &function), KILN_BAD_INPUT);
  function = get(smooth, "Weights{8}, int64_t, const float*, float*");
  ASSERT_NE(function, nullptr);
  std::vector<float> x(8, 1), y(8, 0);
  long n = 8;
  float *from = x.data(), *to = y.data();
  std::array<void*, 4> values = {&weights, &n, &from, &to};
  EXPECT_EQ(kiln_run(function, values.data()), KILN_OK);
  EXPECT_EQ(y[1], 21);
  EXPECT_EQ(y[0], 0);
  kiln_function_release(function);
}

TEST_F(CInterface, AJobTellsEachRecordAndCanBeStopped) {
  struct Seen {
    std::vector<std::string> records, labels;
  } seen;
  const std::array<const char*, 1> set = {"n=1024"};
  const std::array<const char*, 1> sweep = {"T=float,double"};
  const std::array<const char*, 1> devices = {"cpu"};
  kiln_job_options options = {};
  options.size = sizeof options;
  options.set_count = options.sweep_count = options.device_count = 1;
  options.set = set.data();
  options.sweep = sweep.data();
  options.devices = devices.data();
  options.record = [](void* user, const char* json) { static_cast<Seen*>(user)->records.emplace_back(json); };
  options.progress = [](void* user, std::size_t, std::size_t, const char* label) {
    static_cast<Seen*>(user)->labels.emplace_back(label);
  };
  options.user = &seen;
  const std::string job =
      std::string("workload: ") + KILN_SOURCE_DIR + "/kernels_src/babelstream\nmeasure: false\n";
  kiln_job_result result = {};
  result.size = sizeof result;
  ASSERT_EQ(kiln_job_run(service_, job.c_str(), &options, &result), KILN_OK) << last_error();
  EXPECT_EQ(result.records, 2U);
  EXPECT_EQ(result.finished, 1);
  EXPECT_EQ(result.good, 1);
  EXPECT_THAT(seen.labels, testing::ElementsAre("T=float", "T=double"));
  ASSERT_EQ(seen.records.size(), 2U);
  EXPECT_THAT(seen.records[0], HasSubstr("\"status\":\"ok\""));
  options.stop = [](void* user) { return static_cast<int>(!static_cast<Seen*>(user)->records.empty()); };
  seen.records.clear();
  ASSERT_EQ(kiln_job_run(service_, job.c_str(), &options, &result), KILN_OK) << last_error();
  EXPECT_EQ(result.finished, 0);
  EXPECT_EQ(result.records, 1U);
  EXPECT_EQ(kiln_job_run(service_, "workload: x\nsett: {}\n", nullptr, nullptr), KILN_BAD_INPUT);
  EXPECT_THAT(last_error(), HasSubstr("job:2:1"));
}

TEST(Signature, TypesAreThoseOfCWithTheirSizes) {
  using detail::ArgumentKind;
  const auto arguments = capi::parse_signature(
      "int, unsigned long int,  const double *restrict,float const*, signed char, uint64_t, std::pair<int, "
      "float>{8}, _Bool, const std::uint8_t*");
  ASSERT_EQ(arguments.size(), 9U);
  const auto expect = [&](std::size_t index, const char* name, std::size_t bytes, ArgumentKind kind) {
    EXPECT_EQ(arguments[index].name, name);
    EXPECT_EQ(arguments[index].bytes, bytes) << name;
    EXPECT_EQ(arguments[index].kind, kind) << name;
  };
  expect(0, "int", 4, ArgumentKind::kSigned);
  expect(1, "unsigned long int", 8, ArgumentKind::kUnsigned);
  expect(2, "const double*", 8, ArgumentKind::kPointer);
  expect(3, "float const*", 8, ArgumentKind::kPointer);
  expect(4, "signed char", 1, ArgumentKind::kSigned);
  expect(5, "unsigned long long", 8, ArgumentKind::kUnsigned);
  expect(6, "std::pair<int,float>", 8, ArgumentKind::kOther);
  expect(7, "bool", 1, ArgumentKind::kBool);
  expect(8, "const std::uint8_t*", 8, ArgumentKind::kPointer);
  EXPECT_THAT(capi::parse_signature(" void "), IsEmpty());
  EXPECT_THAT(capi::parse_signature(""), IsEmpty());
}

TEST(Signature, WhatIsNoTypeIsRefusedWithItsPlace) {
  const auto refused = [](const char* text) {
    return test::bad_input_of([&] { static_cast<void>(capi::parse_signature(text)); });
  };
  EXPECT_THAT(refused("int, , int"), HasSubstr("argument 1: expected a type; found nothing"));
  EXPECT_THAT(refused("int, doubl"), AllOf(HasSubstr("argument 1"), HasSubstr("did you mean 'double'")));
  EXPECT_THAT(refused("int&"), HasSubstr("found 'int&'"));
  EXPECT_THAT(refused("void (*)(int)"), HasSubstr("argument 0"));
  EXPECT_THAT(refused("Particle"), HasSubstr("'Particle{bytes}'"));
  EXPECT_THAT(refused("Particle{0}"), HasSubstr("argument 0"));
  EXPECT_THAT(refused("Particle{4x}"), HasSubstr("argument 0"));
  EXPECT_THAT(refused("Big{4096}, int"), HasSubstr("4100 bytes"));
  EXPECT_THAT(refused("long double"), HasSubstr("no size that Kiln knows"));
  EXPECT_THAT(refused("const"), HasSubstr("argument 0"));
}

}  // namespace
}  // namespace kiln
