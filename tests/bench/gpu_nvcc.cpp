#include <chrono>
#include <filesystem>

#include "base/process.h"
#include "compile/cuda/nvcc_compiler.h"
#include "device/cuda/cuda_backend.h"
#include "gpu_figures.h"
#include "job/job_runner.h"
#include "kiln/error.h"
#include "pair_timer.h"

namespace kiln::bench {
namespace {

/// Keeps the median of each variant.
class MedianSink final : public RecordSink {
 public:
  void begin(const JobPlan& /*plan*/) override {}
  void variant_started(std::size_t /*index*/, std::size_t /*count*/, const std::string& /*label*/) override {}
  void record(const Record& record) override {
    if (record.status != RunStatus::kOk) throw internal_error(record.workload + ": " + record.message);
    median_seconds = record.step.value().median;
  }
  double median_seconds = 0;
};

struct Case {
  std::string name, job;
};

}  // namespace

void print_nvcc_figures(Gpu& gpu) {
  const auto processes = make_process_runner();
  const auto nvcc = make_nvcc_compiler("", gpu.places,
                                       {std::filesystem::temp_directory_path(), "", std::chrono::minutes(2)},
                                       *processes, *gpu.files, *gpu.log);
  try {
    static_cast<void>(nvcc->identity());
  } catch (const Error& error) {
    std::printf("| kernels by NVRTC over nvcc | not measured: %s | 1.01 |\n", error.what());
    return;
  }
  const std::vector<Case> cases = {
      {"stencil7, double, 512^3", "workload: stencil7\n"},
      {"babelstream, double, 2^25", "workload: babelstream\nset: {n: 33554432}\n"},
      {"minibude, 65536 poses", "workload: minibude\nset: {nposes: 65536}\n"},
      {"hartree_fock, 64 atoms", "workload: hartree_fock\nset: {natoms: 64}\n"},
  };
  const WorkloadLibrary library(*gpu.files, {gpu.options.workload_folder});
  const auto clock = make_system_clock();
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(make_cuda_backend(gpu.places, *gpu.files));
  DeviceRegistry devices(std::move(backends));
  KernelService by_nvrtc(nullptr, *clock);
  KernelService by_nvcc(nullptr, *clock);
  for (const Case& item : cases) {
    const JobSpec job =
        parse_job(item.job + "device: cuda:0\nmeasure: {min_time: 0.2 s, max_time: 2 s}\n", item.name);
    const JobPlan plan = make_plan(job, library, *gpu.files, {devices.open("cuda:0")->info()});
    const auto median = [&](Compiler& compiler, KernelService& service) {
      const JobContext context{.devices = devices,
                               .compilers = {{"cuda", &compiler}},
                               .service = service,
                               .files = *gpu.files,
                               .clock = *clock,
                               .log = *gpu.log,
                               .run_id = "bench",
                               .start_ns = clock->steady_ns()};
      MedianSink sink;
      run_job(plan, context, sink);
      return sink.median_seconds;
    };
    std::vector<double> ratios;
    constexpr int kTurns = 7;
    for (int i = 0; i < kTurns; ++i) {
      const double kiln = median(*gpu.compiler, by_nvrtc);
      ratios.push_back(kiln / median(*nvcc, by_nvcc));
    }
    print_row(item.name + ": step by NVRTC over nvcc", ratios, "%.4f", "1.01");
  }
}

}  // namespace kiln::bench
