#include "compile/cuda/nvrtc_library.h"
#include "compile/cuda/nvrtc_program.h"
#include "compile/cuda/nvrtc_unit.h"
#include "gpu_figures.h"
#include "kiln/error.h"
#include "specialize/unit.h"
#include "workload/library.h"

namespace kiln::bench {
namespace {

/// The step's kernels of a workload, specialised for the device; `round` makes a text that no cache has.
Specialization specialization_of(Gpu& gpu, const std::string& workload_name, int round) {
  const WorkloadLibrary library(*gpu.files, {gpu.options.workload_folder});
  const auto workload = library.load(workload_name, {});
  const Configuration configuration = configure(workload, {}, "cuda", *gpu.files).configuration;
  const auto units = make_units(configuration, {workload->run.front().kernel}, Role::kStep,
                                gpu.device->info().target, *gpu.files);
  Specialization specialization = units.at(0).specialization;
  specialization.defines.emplace_back("KILN_BENCH_ROUND", std::to_string(round));
  return specialization;
}

double bare_seconds(const NvrtcLibrary& nvrtc, const Specialization& specialization) {
  const NvrtcArch arch = choose_nvrtc_arch(specialization.target.arch, nvrtc.archs, nvrtc.version());
  const RtcUnit unit = make_nvrtc_unit(specialization, {});
  const std::vector<std::string> options = nvrtc_options(specialization, arch, {});
  return seconds_of([&] {
    NvrtcProgram program(nvrtc, unit, specialization.source_name);
    for (const EntryPoint& entry : specialization.entries) program.add_name(entry.name_expression);
    if (program.compile(options, {}) != nvrtc_abi::kSuccess) throw internal_error(program.log());
    static_cast<void>(program.cubin());
  });
}

}  // namespace

void print_compile_figures(Gpu& gpu) {
  const NvrtcLibrary nvrtc = open_nvrtc(gpu.places, *gpu.files);
  int round = 0;
  for (const std::string workload : {"stencil7", "minibude"}) {
    static_cast<void>(bare_seconds(nvrtc, specialization_of(gpu, workload, ++round)));
    std::vector<double> ratios, times;
    for (int i = 0; i < gpu.options.rounds; ++i) {
      const Specialization fresh = specialization_of(gpu, workload, ++round);
      const auto kiln = [&] {
        return seconds_of([&] {
          const CompileResult result = gpu.compiler->compile(fresh);
          if (const auto* problem = std::get_if<Diagnostic>(&result)) throw internal_error(problem->log);
        });
      };
      const Specialization other = specialization_of(gpu, workload, ++round);
      // By turns, so that neither is always the first.
      const double first = i % 2 == 0 ? kiln() : bare_seconds(nvrtc, other);
      const double second = i % 2 == 0 ? bare_seconds(nvrtc, other) : kiln();
      const double with = i % 2 == 0 ? first : second;
      ratios.push_back(with / (i % 2 == 0 ? second : first));
      times.push_back(with * 1e3);
    }
    print_row("cold compile of " + workload + " by Kiln, ms", times, "%.1f");
    print_row("cold compile of " + workload + ", Kiln over nvrtcCompileProgram", ratios, "%.3f", "1.03");
  }
}

}  // namespace kiln::bench
