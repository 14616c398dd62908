#include <array>

#include "base/clock.h"
#include "base/trace.h"
#include "device/gpu/gpu_context.h"
#include "device/traced_device.h"
#include "gpu_figures.h"
#include "kiln.h"
#include "kiln/kiln.h"
#include "pair_timer.h"
#include "scratch_folder.h"
#include "touch_workload.h"

namespace kiln::bench {
namespace {

/// Launches of a batch: the driver's queue holds them, so that the host never waits for the device.
constexpr int kBatch = 500;
constexpr int kLaunches = 1'000'000;

/// The same kernel by the bare driver, in the same context.
class BareKernel {
 public:
  BareKernel(const CudaDriver& driver, const std::string& binary) : driver_(driver) {
    const cuda_abi::Functions& call = driver.call;
    cuda_abi::Context context = nullptr;
    check_driver(driver, call.primary_context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
    check_driver(driver, call.context_push(context), "cuCtxPushCurrent");
    cuda_abi::Module module = nullptr;
    check_driver(driver, call.module_load(&module, binary.c_str(), 0, nullptr, nullptr),
                 "cuModuleLoadDataEx");
    check_driver(driver, call.module_get_function(&function_, module, "touch"), "cuModuleGetFunction");
  }
  void launch(cuda_abi::Stream stream, void** arguments) const {
    driver_.call.launch_kernel(function_, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr);
  }

 private:
  const CudaDriver& driver_;
  cuda_abi::Function function_ = nullptr;
};

/// One way to launch against the bare driver's, in neighbouring batches.
void compare(const std::string& name, Stream& stream, const std::function<void()>& kiln_batch,
             const std::function<void()>& bare_batch, const std::string& goal = "50",
             int launches = kLaunches) {
  std::vector<double> kiln, bare, difference;
  for (int done = 0; done < launches; done += kBatch) {
    kiln.push_back(seconds_of(kiln_batch) / kBatch * 1e9);
    stream.synchronize();
    bare.push_back(seconds_of(bare_batch) / kBatch * 1e9);
    stream.synchronize();
    difference.push_back(kiln.back() - bare.back());
  }
  print_row(name + ", ns", kiln, "%.0f");
  print_row("cuLaunchKernel in the same run, ns", bare, "%.0f");
  print_row("difference of neighbouring batches, ns", difference, "%.1f", goal);
  std::printf("| ratio of the medians | %.4f | %s |\n", quartile(kiln, 2) / quartile(bare, 2),
              goal.empty() ? "" : "1.02");
}

/// As many launches as a trace keeps, and not more: what it drops costs less.
void compare_traced(Gpu& gpu, const std::string& binary, const LaunchShape& shape, void* const* arguments,
                    const std::function<void()>& bare_batch) {
  constexpr int kTracedLaunches = 100'000;
  const auto clock = make_system_clock();
  Trace trace(*clock, true, {});
  const auto device = make_traced_device(gpu.device, trace);
  const auto module = device->load(binary);
  DeviceFunction& function = *module->function("touch");
  const auto stream = device->create_stream();
  const auto traced_batch = [&] {
    for (int i = 0; i < kBatch; ++i) function.launch(*stream, shape, arguments);
  };
  compare("launch on Kiln's own stream, traced", *stream, traced_batch, bare_batch, "", kTracedLaunches);
}

/// Functions of a source string: the shape of the request, a grid made of an argument, an argument that is a
/// constant in the code.
void compare_functions(const Service& service, Stream& stream, float* address,
                       const std::function<void()>& bare_batch) {
  using Touch = void(float*, float, int);
  const Program program = service.program("touch_text.cu", kTouchProgram);
  const DeviceHandle device = service.device("cuda:0");
  const FunctionRequest request = program.function("touch", device).block(128);
  const auto batch = [&](const Function<Touch>& function) {
    return [&, function] {
      for (int i = 0; i < kBatch; ++i) function(stream.native(), address, static_cast<float>(i), 1024);
    };
  };
  compare("Function, scalars at the launch", stream, batch(FunctionRequest(request).grid(8).get<Touch>()),
          bare_batch, "10");
  compare("Function, grid from an argument", stream, batch(FunctionRequest(request).cover(2).get<Touch>()),
          bare_batch, "15");
  compare("Function, an argument compiled in", stream,
          batch(FunctionRequest(request).grid(8).constant(2, 1024).get<Touch>()), bare_batch, "15");
  const FunctionFamily<Touch> family = FunctionRequest(request).cover(2).family<Touch>({2});
  compare(
      "FunctionFamily, grid from an argument", stream,
      [&] {
        for (int i = 0; i < kBatch; ++i) family(stream.native(), address, static_cast<float>(i), 1024);
      },
      bare_batch, "");
}

void require_ok(kiln_status status) {
  if (status != KILN_OK) throw internal_error(kiln_last_error_message());
}

/// The C interface, whose launch is a call into Kiln.
void compare_c(const Settings& settings, Stream& stream, float* address,
               const std::function<void()>& bare_batch) {
  kiln_service* service = nullptr;
  kiln_device* device = nullptr;
  kiln_program* program = nullptr;
  kiln_function_request* request = nullptr;
  kiln_function* function = nullptr;
  const std::string lines = "cache_dir: " + settings.cache_dir;
  kiln_service_options options{};
  options.size = sizeof options;
  options.application = "kiln-bench";
  options.settings = lines.c_str();
  require_ok(kiln_service_create(&options, &service));
  require_ok(kiln_device_open(service, "cuda:0", &device));
  require_ok(kiln_program_create(service, "touch_text.cu", kTouchProgram, &program));
  require_ok(kiln_function_request_create(program, "touch", device, nullptr, &request));
  require_ok(kiln_function_request_block(request, 128, 1, 1));
  require_ok(kiln_function_request_grid(request, 8, 1, 1));
  require_ok(kiln_function_get(request, "float*, float, int", &function));
  float value = 1;
  int n = 1024;
  void* values[] = {&address, &value, &n};
  const std::array<std::size_t, 3> sizes = {sizeof address, sizeof value, sizeof n};
  compare(
      "kiln_launch of C", stream,
      [&] {
        for (int i = 0; i < kBatch; ++i) {
          value = static_cast<float>(i);
          require_ok(kiln_launch(function, stream.native(), values));
        }
      },
      bare_batch, "15");
  compare(
      "kiln_launch_checked of C", stream,
      [&] {
        for (int i = 0; i < kBatch; ++i) {
          value = static_cast<float>(i);
          require_ok(
              kiln_launch_checked(function, stream.native(), nullptr, sizes.size(), values, sizes.data()));
        }
      },
      bare_batch, "20");
  kiln_function_release(function);
  kiln_function_request_release(request);
  kiln_program_release(program);
  kiln_device_release(device);
  kiln_service_release(service);
}

void print_look_up(const KernelFamily& family) {
  constexpr int kKernels = 16;
  constexpr int kLookUps = 100'000;
  for (int i = 0; i < kKernels; ++i) static_cast<void>(family.at({1000 + i, 128}));
  std::vector<double> times;
  const Kernel* last = nullptr;
  for (int round = 0; round < 50; ++round) {
    const double seconds = seconds_of([&] {
      for (int i = 0; i < kLookUps; ++i) {
        const Kernel* found = &family.at({1000 + i % kKernels, 128});
        // The compiler must not know what was found.
        __asm__ volatile("" : "+r"(found));
        last = found;
      }
    });
    times.push_back(seconds / kLookUps * 1e9);
  }
  if (last == nullptr) throw internal_error("nothing was found");
  print_row("look-up of a kernel by two values among 16, ns", times, "%.1f", "100");
}

}  // namespace

void print_launch_figures(Gpu& gpu) {
  const ScratchFolder scratch;
  scratch.write("touch/touch.yaml", kTouchYaml);
  scratch.write("touch/touch.cu", kTouchText);
  Settings settings = Settings::from_environment();
  settings.cache_dir = (scratch.path() / "cache").string();
  settings.workload_path = {scratch.path().string()};
  const Service service(settings);
  const KernelRequest request = service.workload("touch").kernel("touch").on(service.device("cuda:0"));
  const KernelFamily family = request.family({"n", "block"});

  Specialization specialization;
  specialization.source_name = "touch.cu";
  specialization.source_text = kTouchText;
  specialization.params_header = "struct Params { static constexpr int block = 128; };\n";
  specialization.entries = {{"touch", std::nullopt, ""}};
  specialization.target = gpu.device->info().target;
  const CompileResult compiled = gpu.compiler->compile(specialization);
  const CodeObject& code = std::get<CodeObject>(compiled);
  const auto module = gpu.device->load(code.binary);
  DeviceFunction& function = *module->function("touch");
  const BareKernel bare(*gpu.driver, code.binary);

  const auto stream = gpu.device->create_stream();
  auto* native = static_cast<cuda_abi::Stream>(stream->native());
  const auto buffer = gpu.device->allocate(4096);
  void* address = buffer->data();
  float value = 1;
  int n = 1024;
  void* arguments[] = {&address, &value, &n};
  const LaunchShape shape{{8, 1, 1}, {128, 1, 1}};
  const auto bare_batch = [&] {
    for (int i = 0; i < kBatch; ++i) bare.launch(native, arguments);
  };
  const Kernel& kernel = family.at({1024, 128});
  compare(
      "Kernel::launch on the caller's stream", *stream,
      [&] {
        for (int i = 0; i < kBatch; ++i) kernel.launch(native, args(address));
      },
      bare_batch);
  compare(
      "Kernel::launch with a run-time scalar, on the caller's stream", *stream,
      [&] {
        for (int i = 0; i < kBatch; ++i) kernel.launch(native, args(address), {{"value", i}});
      },
      bare_batch);
  compare(
      "launch on Kiln's own stream", *stream,
      [&] {
        for (int i = 0; i < kBatch; ++i) function.launch(*stream, shape, arguments);
      },
      bare_batch);
  compare_functions(service, *stream, static_cast<float*>(address), bare_batch);
  compare_c(settings, *stream, static_cast<float*>(address), bare_batch);
  compare_traced(gpu, code.binary, shape, arguments, bare_batch);
  print_look_up(family);
}

}  // namespace kiln::bench
