#include "bare_nvrtc.h"
#include "compile/cuda/nvrtc_library.h"
#include "gpu_figures.h"
#include "kiln/error.h"

namespace kiln::bench {
void print_compile_figures(Gpu& gpu) {
  const NvrtcLibrary nvrtc = open_nvrtc(gpu.places, *gpu.files);
  int round = 0;
  const auto fresh_unit = [&](const std::string& workload) {
    return specialization_of(gpu.options, *gpu.files, workload, gpu.device->info().target, ++round);
  };
  for (const std::string workload : {"stencil7", "minibude"}) {
    static_cast<void>(bare_compile_seconds(nvrtc, fresh_unit(workload)));
    std::vector<double> ratios, times;
    for (int i = 0; i < gpu.options.rounds; ++i) {
      const Specialization fresh = fresh_unit(workload);
      const auto kiln = [&] {
        return seconds_of([&] {
          const CompileResult result = gpu.compiler->compile(fresh);
          if (const auto* problem = std::get_if<Diagnostic>(&result)) throw internal_error(problem->log);
        });
      };
      const Specialization other = fresh_unit(workload);
      // By turns, so that neither is always the first.
      const double first = i % 2 == 0 ? kiln() : bare_compile_seconds(nvrtc, other);
      const double second = i % 2 == 0 ? bare_compile_seconds(nvrtc, other) : kiln();
      const double with = i % 2 == 0 ? first : second;
      ratios.push_back(with / (i % 2 == 0 ? second : first));
      times.push_back(with * 1e3);
    }
    print_row("cold compile of " + workload + " by Kiln, ms", times, "%.1f");
    print_row("cold compile of " + workload + ", Kiln over nvrtcCompileProgram", ratios, "%.3f", "1.03");
  }
}

}  // namespace kiln::bench
