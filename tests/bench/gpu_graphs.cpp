// Programs of many launches: as graphs, plainly, and by the bare driver.
#include <cstdio>

#include "base/clock.h"
#include "device/cuda/cuda_backend.h"
#include "device/gpu/gpu_context.h"
#include "device/registry.h"
#include "gpu_figures.h"
#include "pair_timer.h"
#include "scratch_folder.h"
#include "service/kernel_service.h"
#include "trial/trial.h"

namespace kiln::bench {
namespace {

constexpr const char* kStencilText = R"(#include "kiln/params.h"
extern "C" __global__ void stencil(double* out, const double* in, Params p) {
  const int n = p.n;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  const int k = blockIdx.z;
  if (i >= n || j >= n) return;
  const auto at = [&](int x, int y, int z) {
    return x < 0 || y < 0 || z < 0 || x >= n || y >= n || z >= n ? 0.0 : in[(z * n + y) * n + x];
  };
  const double u = at(i, j, k);
  out[(k * n + j) * n + i] = u + p.rate * (at(i - 1, j, k) + at(i + 1, j, k) + at(i, j - 1, k) + at(i, j + 1, k) +
                                           at(i, j, k - 1) + at(i, j, k + 1) - 6 * u);
}
)";

constexpr const char* kStencilYaml = R"yaml(workload: stencil
parameters:
  n: {type: int, default: 64, bind: compile}
  rate: {type: double, default: 0.1, bind: compile}
buffers:
  u: {type: double, shape: [n, n, n], init: 1}
  v: {type: double, shape: [n, n, n], init: 0}
kernels:
  stencil: {source: stencil.cu, grid: ["ceil_div(n, 32)", "ceil_div(n, 4)", n], block: [32, 4], args: [v, u, params]
}
run: {repeat: 1000, do: [stencil, {swap: [u, v]}]}
)yaml";

/// Sixty launches of one text with constants of their own; nothing that the device does takes long.
std::string many_yaml(int launches) {
  std::string text =
      "workload: many\n"
      "parameters: {c: {type: int, default: 0, bind: compile}}\n"
      "buffers: {x: {type: float, shape: [1024], init: 1}}\n"
      "kernels: {many: {source: many.cu, grid: [8], block: [128], args: [x, params]}}\n"
      "run:\n";
  for (int i = 0; i < launches; ++i)
    text += "  - {kernel: many, as: many" + std::to_string(i) + ", with: {c: " + std::to_string(i) + "}}\n";
  return text;
}
constexpr const char* kManyText = R"(#include "kiln/params.h"
extern "C" __global__ void many(float* x, Params p) { x[blockIdx.x * blockDim.x + threadIdx.x] += p.c; }
)";

/// A workload of the scratch folder as a job would run it, without its checks.
class Program {
 public:
  Program(Gpu& gpu, const std::string& file, const std::string& yaml, bool graph)
      : clock_(make_system_clock()), service_(nullptr, *clock_) {
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(make_cuda_backend(gpu.places, *gpu.files));
    registry_ = std::make_unique<DeviceRegistry>(std::move(backends));
    context_ = std::make_unique<JobContext>(JobContext{.devices = *registry_,
                                                       .compilers = {{"cuda", gpu.compiler.get()}},
                                                       .service = service_,
                                                       .files = *gpu.files,
                                                       .clock = *clock_,
                                                       .log = *gpu.log});
    const auto folder = std::filesystem::path(file).parent_path().string();
    const auto workload = parse_workload(YamlNode::parse(yaml, file), yaml, folder);
    const DeviceInfo device = registry_->open("cuda:0")->info();
    variant_ = {
        configure(workload, {{"graph", RawValue{graph ? "true" : "false", false, {}}}}, device, *gpu.files)
            .configuration,
        "", "cuda:0"};
    trial_ = std::make_unique<Trial>(variant_, *context_, pool_, false);
    static_cast<void>(trial_->specialise());
    if (const auto failure = trial_->load()) throw environment_error(failure->log);
    trial_->prepare();
  }

  [[nodiscard]] std::vector<const LoadedUnit*> units() const { return trial_->loaded_units(); }
  [[nodiscard]] Stream& stream() { return trial_->stream(); }
  void step() {
    trial_->make_ready(1);
    trial_->enqueue({});
  }
  void wait() { trial_->wait(); }

 private:
  std::unique_ptr<Clock> clock_;
  KernelService service_;
  std::unique_ptr<DeviceRegistry> registry_;
  std::unique_ptr<JobContext> context_;
  BufferPool pool_;
  Variant variant_;
  std::unique_ptr<Trial> trial_;
};

/// The first kernel of a unit by the bare driver, in the same context.
cuda_abi::Function bare_function(const CudaDriver& driver, const LoadedUnit& unit) {
  const CodeObject& code = unit.code->code();
  cuda_abi::Context context = nullptr;
  cuda_abi::Module module = nullptr;
  cuda_abi::Function function = nullptr;
  check_driver(driver, driver.call.primary_context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check_driver(driver, driver.call.context_push(context), "cuCtxPushCurrent");
  check_driver(driver, driver.call.module_load(&module, code.binary.c_str(), 0, nullptr, nullptr),
               "cuModuleLoadDataEx");
  check_driver(driver,
               driver.call.module_get_function(&function, module, code.lowered_names.begin()->second.c_str()),
               "cuModuleGetFunction");
  return function;
}

/// The stencil's launches as someone would capture them by hand.
class BareGraph {
 public:
  BareGraph(const CudaDriver& driver, cuda_abi::Function function, Device& device, cuda_abi::Stream stream)
      : driver_(driver), stream_(stream) {
    for (auto& buffer : buffers_) buffer = device.allocate(sizeof(double) * kPoints * kPoints * kPoints);
    const cuda_abi::Functions& call = driver.call;
    check_driver(driver, call.begin_capture(stream, cuda_abi::CaptureMode::kThreadLocal),
                 "cuStreamBeginCapture");
    for (int i = 0; i < 1000; ++i) {
      void* out = buffers_.at(static_cast<std::size_t>(i + 1) % 2)->data();
      void* in = buffers_.at(static_cast<std::size_t>(i) % 2)->data();
      char no_parameters = 0;
      void* arguments[] = {&out, &in, &no_parameters};
      check_driver(driver,
                   call.launch_kernel(function, kPoints / 32, kPoints / 4, kPoints, 32, 4, 1, 0, stream,
                                      arguments, nullptr),
                   "cuLaunchKernel");
    }
    cuda_abi::Graph graph = nullptr;
    check_driver(driver, call.end_capture(stream, &graph), "cuStreamEndCapture");
    check_driver(driver, call.graph_instantiate(&instance_, graph, 0), "cuGraphInstantiateWithFlags");
  }
  void launch() const {
    check_driver(driver_, driver_.call.graph_launch(instance_, stream_), "cuGraphLaunch");
  }

 private:
  static constexpr unsigned kPoints = 64;
  const CudaDriver& driver_;
  cuda_abi::Stream stream_;
  std::array<std::unique_ptr<DeviceBuffer>, 2> buffers_;
  cuda_abi::GraphInstance instance_ = nullptr;  // until the process ends
};

void print_ratio(const std::string& name, const std::vector<double>& over, const std::vector<double>& under,
                 const char* goal) {
  std::printf("| %s | %.4f | %s |\n", name.c_str(), quartile(over, 2) / quartile(under, 2), goal);
}

void print_stencil(Gpu& gpu, const ScratchFolder& scratch) {
  const std::string file = (scratch.path() / "stencil.yaml").string();
  Program as_graph(gpu, file, kStencilYaml, true);
  Program plain(gpu, file, kStencilYaml, false);
  const BareGraph bare(*gpu.driver, bare_function(*gpu.driver, *as_graph.units().front()), *gpu.device,
                       static_cast<cuda_abi::Stream>(as_graph.stream().native()));
  const auto step_of = [](Program& program) {
    return seconds_of([&] {
             program.step();
             program.wait();
           }) *
           1e6;
  };
  std::vector<double> graphs, bares, plains;
  for (int round = -2; round < 4 * gpu.options.rounds; ++round) {
    const double graph_time = step_of(as_graph);
    const double bare_time = seconds_of([&] {
                               bare.launch();
                               as_graph.wait();
                             }) *
                             1e6;
    const double plain_time = step_of(plain);
    if (round < 0) continue;  // the first steps capture
    graphs.push_back(graph_time);
    bares.push_back(bare_time);
    plains.push_back(plain_time);
  }
  print_row("step of 1000 launches of a stencil of 64^3 as a graph, us", graphs, "%.0f");
  print_row("a hand-written CUDA graph of the same launches, us", bares, "%.0f");
  print_ratio("ratio of the medians", graphs, bares, "1.05");
  print_row("the step without a graph, us", plains, "%.0f");
  print_ratio("graph to launches, ratio of the medians", graphs, plains, "0.7");
}

void print_many(Gpu& gpu, const ScratchFolder& scratch) {
  constexpr int kLaunches = 60;
  constexpr int kSteps = 8;  // the driver's queue holds their launches
  Program program(gpu, (scratch.path() / "many.yaml").string(), many_yaml(kLaunches), false);
  std::vector<cuda_abi::Function> functions;
  for (const LoadedUnit* unit : program.units()) functions.push_back(bare_function(*gpu.driver, *unit));
  const auto buffer = gpu.device->allocate(4096);
  auto* stream = static_cast<cuda_abi::Stream>(program.stream().native());
  const auto bare_step = [&] {
    void* address = buffer->data();
    char no_parameters = 0;
    void* arguments[] = {&address, &no_parameters};
    for (const cuda_abi::Function function : functions)
      gpu.driver->call.launch_kernel(function, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr);
  };
  std::vector<double> kiln, bare, difference;
  for (int round = -2; round < 40 * gpu.options.rounds; ++round) {
    const auto batch = [&](const auto& step) {
      const double seconds = seconds_of([&] {
        for (int i = 0; i < kSteps; ++i) step();
      });
      program.wait();
      return seconds / kSteps / kLaunches * 1e9;
    };
    const double kiln_time = batch([&] { program.step(); });
    const double bare_time = batch(bare_step);
    if (round < 0) continue;
    kiln.push_back(kiln_time);
    bare.push_back(bare_time);
    difference.push_back(kiln_time - bare_time);
  }
  print_row("step of 60 kernels without a graph, ns a launch", kiln, "%.0f");
  print_row("cuLaunchKernel of the same kernels, ns", bare, "%.0f");
  print_row("difference of neighbouring batches, ns a launch", difference, "%.1f", "100");
}

void print_configuration(Gpu& gpu, const ScratchFolder& scratch) {
  const std::string file = (scratch.path() / "many.yaml").string();
  const std::string yaml = many_yaml(200);
  const auto workload = parse_workload(YamlNode::parse(yaml, file), yaml, scratch.path().string());
  std::vector<double> configured, specialised;
  for (int round = -1; round < gpu.options.rounds; ++round) {
    Configuration configuration;
    const double to_configure = seconds_of(
        [&] { configuration = configure(workload, {}, gpu.device->info(), *gpu.files).configuration; });
    const double to_specialise = seconds_of(
        [&] { static_cast<void>(TrialNeeds(configuration).units(gpu.device->info().target, *gpu.files)); });
    if (round < 0) continue;
    configured.push_back(to_configure * 1e3);
    specialised.push_back(to_specialise * 1e3);
  }
  print_row("configuration of 200 launches with values of their own, ms", configured, "%.2f", "50");
  print_row("specialisation of the same, ms", specialised, "%.2f");
}

}  // namespace

void print_graph_figures(Gpu& gpu) {
  const ScratchFolder scratch;
  scratch.write("stencil.cu", kStencilText);
  scratch.write("many.cu", kManyText);
  print_stencil(gpu, scratch);
  print_many(gpu, scratch);
  print_configuration(gpu, scratch);
}

}  // namespace kiln::bench
