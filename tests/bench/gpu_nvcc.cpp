#include <algorithm>
#include <map>

#include "base/process.h"
#include "compile/cuda/nvrtc_library.h"
#include "compile/cuda/nvrtc_unit.h"
#include "device/cuda/cuda_backend.h"
#include "gpu_figures.h"
#include "job/job_runner.h"
#include "kiln/error.h"
#include "pair_timer.h"
#include "scratch_folder.h"

namespace kiln::bench {
namespace {

/// Compiles the very text that NVRTC gets with nvcc -O3, ahead of time as users do it. Entries are
/// `extern "C"`: NVRTC's lowered names are nvcc's.
class NvccCompiler final : public Compiler {
 public:
  explicit NvccCompiler(Gpu& gpu) : gpu_(gpu) {
    identity_ = {"nvcc", "with NVRTC " + gpu.compiler->identity().version, "-O3"};
  }

  const CompilerIdentity& identity() override { return identity_; }
  Target target_for(const std::string& arch) override { return gpu_.compiler->target_for(arch); }

  CompileResult compile(const Specialization& specialization) override {
    CompileResult result = gpu_.compiler->compile(specialization);
    auto* code = std::get_if<CodeObject>(&result);
    if (code == nullptr) return result;
    const RtcUnit unit = make_nvrtc_unit(specialization, {});
    const ScratchFolder scratch;
    for (const auto& [name, text] : unit.headers) scratch.write(name, text);
    scratch.write("unit.cu", unit.text);
    Command nvcc;
    nvcc.program = "nvcc";
    nvcc.arguments = {"-O3", "-cubin", "-o", (scratch.path() / "unit.cubin").string(),
                      "-I" + scratch.path().string()};
    const NvrtcArch arch{"-arch=" + specialization.target.arch, false, ""};
    for (const std::string& option : nvrtc_options(specialization, arch, {}))
      nvcc.arguments.push_back(option);
    nvcc.arguments.push_back((scratch.path() / "unit.cu").string());
    const ProcessResult ran = processes_->run(nvcc);
    if (!ran.ok()) throw environment_error("nvcc failed: " + ran.error + ran.output);
    code->binary = gpu_.files->read_file(scratch.path() / "unit.cubin").value();
    return result;
  }

 private:
  Gpu& gpu_;
  CompilerIdentity identity_;
  std::unique_ptr<ProcessRunner> processes_ = make_process_runner();
};

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
  Command version;
  version.program = "nvcc";
  version.arguments = {"--version"};
  if (!processes->run(version).ok()) {
    std::printf("| kernels by NVRTC over nvcc -O3 | not measured: no nvcc in PATH | 1.01 |\n");
    return;
  }
  const std::vector<Case> cases = {
      {"stencil7, double, 512^3", "workload: stencil7\n"},
      {"babelstream, double, 2^25", "workload: babelstream\nset: {n: 33554432}\n"},
      {"minibude, 65536 poses", "workload: minibude\nset: {nposes: 65536}\n"},
      {"hartree_fock, 64 atoms", "workload: hartree_fock\nset: {natoms: 64}\n"},
  };
  NvccCompiler nvcc(gpu);
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
      const JobContext context{
          devices, {{"cuda", &compiler}}, service, *gpu.files, *clock, *gpu.log, "bench", "",
          "",      clock->steady_ns()};
      MedianSink sink;
      run_job(plan, context, sink);
      return sink.median_seconds;
    };
    std::vector<double> ratios;
    constexpr int kTurns = 7;
    for (int i = 0; i < kTurns; ++i) {
      const double kiln = median(*gpu.compiler, by_nvrtc);
      ratios.push_back(kiln / median(nvcc, by_nvcc));
    }
    print_row(item.name + ": step by NVRTC over nvcc -O3", ratios, "%.4f", "1.01");
  }
}

}  // namespace kiln::bench
