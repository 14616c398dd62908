#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "compile/cuda/nvrtc_compiler.h"
#include "compile/cuda/nvrtc_library.h"
#include "compile/cuda/nvrtc_program.h"
#include "device/cuda/cuda_backend.h"
#include "device/cuda/driver.h"
#include "figures.h"
#include "kiln/error.h"
#include "pair_timer.h"

namespace kiln::bench {
namespace {

constexpr const char* kText = R"(extern "C" __global__ void touch(float* a, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = value;
})";

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Specialization touch_for(const Target& target) {
  Specialization specialization;
  specialization.source_name = "touch.cu";
  specialization.source_text = kText;
  specialization.entries = {{"touch", std::nullopt, ""}};
  specialization.target = target;
  return specialization;
}

/// Nanoseconds a launch, in batches that the driver's queue holds; the wait for each batch is not counted.
void print_launch(Device& device, Compiler& compiler, FileSystem& files, int rounds) {
  constexpr int kBatch = 500;
  const CompileResult compiled = compiler.compile(touch_for(device.info().target));
  const CodeObject& code = std::get<CodeObject>(compiled);
  const auto module = device.load(code.binary);
  Function& function = *module->function("touch");
  const auto stream = device.create_stream();
  const auto buffer = device.allocate(4096);
  void* address = buffer->data();
  float value = 1;
  int n = 1024;
  void* arguments[] = {&address, &value, &n};
  const LaunchShape shape{{8, 1, 1}, {128, 1, 1}, 0};

  // The same kernel by the bare driver, in the same context.
  const CudaDriverResult driver = open_cuda_driver(cuda_places(""), files);
  const cuda_abi::Functions& call = driver.driver->call;
  cuda_abi::Context context = nullptr;
  cuda_abi::Module bare_module = nullptr;
  cuda_abi::Function bare = nullptr;
  check_cuda(*driver.driver, call.primary_context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check_cuda(*driver.driver, call.context_push(context), "cuCtxPushCurrent");
  check_cuda(*driver.driver, call.module_load(&bare_module, code.binary.c_str(), 0, nullptr, nullptr),
             "cuModuleLoadDataEx");
  check_cuda(*driver.driver, call.module_get_function(&bare, bare_module, "touch"), "cuModuleGetFunction");
  auto* native = static_cast<cuda_abi::Stream>(stream->native());

  std::vector<double> kiln, raw, difference;
  for (int round = 0; round < rounds * 40; ++round) {
    const double with = seconds([&] {
      for (int i = 0; i < kBatch; ++i) function.launch(*stream, shape, arguments);
    });
    stream->synchronize();
    const double without = seconds([&] {
      for (int i = 0; i < kBatch; ++i)
        call.launch_kernel(bare, 8, 1, 1, 128, 1, 1, 0, native, arguments, nullptr);
    });
    stream->synchronize();
    kiln.push_back(with / kBatch * 1e9);
    raw.push_back(without / kBatch * 1e9);
    difference.push_back(kiln.back() - raw.back());
  }
  std::printf("| launch by Kiln, ns | %.0f (%.0f to %.0f) | |\n", quartile(kiln, 2), quartile(kiln, 1),
              quartile(kiln, 3));
  std::printf("| launch by cuLaunchKernel, ns | %.0f (%.0f to %.0f) | |\n", quartile(raw, 2),
              quartile(raw, 1), quartile(raw, 3));
  std::printf("| difference of neighbouring batches, ns | %.1f (%.1f to %.1f) | 50 |\n",
              quartile(difference, 2), quartile(difference, 1), quartile(difference, 3));
  std::printf("| ratio of the medians | %.4f | 1.02 |\n", quartile(kiln, 2) / quartile(raw, 2));
  check_cuda(*driver.driver, call.module_unload(bare_module), "cuModuleUnload");
}

/// A whole compile by Kiln against the same unit and options by NVRTC's own calls; NVRTC's cache sees a new
/// text each time.
void print_compile(const Target& target, Compiler& compiler, FileSystem& files, int rounds) {
  const NvrtcLibrary nvrtc = open_nvrtc(cuda_places(""), files);
  const NvrtcArch arch = choose_nvrtc_arch(target.arch, nvrtc.archs, nvrtc.version());
  Specialization specialization = touch_for(target);
  int fresh = 0;
  const auto renew = [&] { specialization.defines = {{"KILN_ROUND", std::to_string(++fresh)}}; };
  const auto bare = [&] {
    renew();
    const NvrtcUnit unit = make_nvrtc_unit(specialization);
    const std::vector<std::string> options = nvrtc_options(specialization, arch, {});
    return seconds([&] {
      NvrtcProgram program(nvrtc, unit, "touch.cu");
      program.add_name("touch");
      if (program.compile(options, {}) != nvrtc_abi::kSuccess) throw internal_error(program.log());
      static_cast<void>(program.cubin());
    });
  };
  const auto kiln = [&] {
    renew();
    return seconds([&] { static_cast<void>(compiler.compile(specialization)); });
  };
  std::vector<double> ratios, times;
  static_cast<void>(bare());
  for (int i = 0; i < rounds; ++i) {
    const double with = kiln();
    ratios.push_back(with / bare());
    times.push_back(with * 1e3);
  }
  std::printf("| compile of a small kernel, ms | %.2f (%.2f to %.2f) | |\n", quartile(times, 2),
              quartile(times, 1), quartile(times, 3));
  std::printf("| compile by Kiln over nvrtcCompileProgram | %.3f (%.3f to %.3f) | 1.03 |\n",
              quartile(ratios, 2), quartile(ratios, 1), quartile(ratios, 3));
}

}  // namespace

void print_gpu_figures(const BenchOptions& options) {
  const auto files = make_real_file_system();
  const auto log = make_stderr_log(LogLevel::kWarn);
  const CudaPlaces places = cuda_places("");
  const auto backend = make_cuda_backend(places, *files);
  if (const std::string problem = backend->problem(); !problem.empty()) throw environment_error(problem);
  const auto compiler = make_nvrtc_compiler({places, "", std::chrono::minutes(2)}, *files, *log);
  const auto device = backend->open(0);
  std::printf("\n%s, driver %s, NVRTC %s\n\n| figure | median (quartiles) | goal |\n| --- | --- | --- |\n",
              device->info().name.c_str(), device->info().driver.c_str(),
              compiler->identity().version.c_str());
  print_launch(*device, *compiler, *files, options.rounds);
  print_compile(device->info().target, *compiler, *files, options.rounds);
}

}  // namespace kiln::bench
