#include "gpu_figures.h"

#include <chrono>
#include <utility>

#include "device/cuda/cuda_backend.h"
#include "kiln/error.h"
#include "pair_timer.h"

namespace kiln::bench {

Gpu::Gpu(const BenchOptions& bench_options)
    : options(bench_options),
      files(make_real_file_system()),
      log(make_stderr_log(LogLevel::kWarn)),
      places(cuda_places("")),
      backend(make_cuda_backend(places, *files)) {
  if (const std::string problem = backend->problem(); !problem.empty()) throw environment_error(problem);
  NvrtcCompilerOptions compiler_options;
  compiler_options.places = places;
  compiler = make_nvrtc_compiler(std::move(compiler_options), *files, *log);
  device = backend->open(0);
  driver = open_cuda_driver(places, *files).library;
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print_row(const std::string& name, const std::vector<double>& values, const char* format,
               const std::string& goal) {
  const auto number = [&](int q) {
    char text[64];
    static_cast<void>(std::snprintf(text, sizeof text, format, quartile(values, q)));
    return std::string(text);
  };
  std::printf("| %s | %s (%s to %s) | %s |\n", name.c_str(), number(2).c_str(), number(1).c_str(),
              number(3).c_str(), goal.c_str());
  std::fflush(stdout);
}

void print_sweep_figures(Gpu& gpu) {
  BenchOptions options = gpu.options;
  options.device = gpu.device->info().id;
  print_sweep_figures(options);
}

void print_gpu_figures(const BenchOptions& options) {
  Gpu gpu(options);
  std::printf("\n%s, driver %s, NVRTC %s\n\n| figure | median (quartiles) | goal |\n| --- | --- | --- |\n",
              gpu.device->info().name.c_str(), gpu.device->info().driver.c_str(),
              gpu.compiler->identity().version.c_str());
  const std::pair<const char*, void (*)(Gpu&)> groups[] = {
      {"launch", print_launch_figures},   {"graphs", print_graph_figures}, {"compile", print_compile_figures},
      {"service", print_service_figures}, {"start", print_start_figures},  {"nvcc", print_nvcc_figures},
      {"sweep", print_sweep_figures}};
  for (const auto& [name, print] : groups) {
    if (options.figures.empty() || options.figures == name) print(gpu);
  }
}

}  // namespace kiln::bench
