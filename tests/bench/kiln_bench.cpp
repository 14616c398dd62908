// Prints the figures of docs/performance.md as Markdown.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>

#include "bare_nvrtc.h"
#include "figures.h"

namespace {

/// Idle OpenMP threads that spin would take the cores from Kiln's kernels. libgomp reads its environment
/// before main, so the program starts itself again with the variable set.
void make_openmp_wait_asleep(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);  // where this fails, the policy is the default one
}

/// NVRTC (since 12.9) and the driver keep what they compile on the disk: no compile here would be cold.
void switch_off_caches_of_cuda() {
  setenv("CUDA_CACHE_DISABLE", "1", 1);
}

}  // namespace

int main(int argc, char** argv) {
  switch_off_caches_of_cuda();
  make_openmp_wait_asleep(argv);
  CLI::App app{"Measures Kiln: kernels against hand-written loops, and what Kiln itself costs"};
  kiln::bench::BenchOptions options;
  const auto here = std::filesystem::canonical("/proc/self/exe").parent_path();
  options.kiln_program = (here / "kiln").string();
  options.bare_start = (here / "kiln_bench_bare_start").string();
  options.load_library = (here / "kiln_bench_load_library").string();
  options.workload_folder = KILN_BENCH_WORKLOADS;
  bool ratios = false;
  bool process = false;
  bool gpu = false;
  app.add_option("--rounds", options.rounds, "repetitions of each figure")->check(CLI::Range(3, 10000));
  app.add_option("--kiln", options.kiln_program, "the kiln executable");
  app.add_option("--workloads", options.workload_folder, "the folder kernels_src");
  app.add_flag("--cpu-ratios", ratios, "only kernels against OpenMP loops");
  app.add_flag("--process", process, "only compile time, start-up and memory");
  app.add_flag("--gpu", gpu, "only what an NVIDIA GPU is needed for");
  app.add_option("--figures", options.figures, "of --gpu and --cpu-ratios: only these")
      ->check(CLI::IsMember({"launch", "graphs", "compile", "service", "start", "nvcc", "sweep",
                             "babelstream", "stencil7", "minibude", "xsbench", "hartree_fock", "cloverleaf",
                             "su3", "spmv", "batched_gemm", "barriers"}));
  bool compile = false;
  app.add_flag("--compile", compile, "only the rate of compiles, one at a time and on all cores");
  app.add_option("--arch", options.arch, "of --compile: native, sm_90, gfx90a; of --service: sm_90");
  app.add_option("--isolation", options.isolation, "of --compile and --service: auto, none or process");
  app.add_option("--variants", options.variants, "of --compile, 0: 48 for each core; of --service, 0: 64");
  bool service = false;
  app.add_flag("--service", service, "only what a program that embeds Kiln waits for, without a device");
  int bare_compiles = 0;
  app.add_option("--bare-compiles", bare_compiles,
                 "only as many compiles by NVRTC alone, silently: what --compile compares with");
  app.add_option("--library", options.library, "only what linking with this libkiln.so costs a program")
      ->check(CLI::ExistingFile);
  bool background = false;
  app.add_flag("--background", background, "only background mode");
  bool spaces = false;
  app.add_flag("--spaces", spaces, "only the building of large search spaces");
  std::string barriers;
  app.add_option("--barriers", barriers,
                 "only kernels with barriers on the CPU: against this, or their cold compiles")
      ->check(CLI::IsMember({"openmp", "opencl", "compile"}));
  bool sweep = false;
  app.add_flag("--sweep", sweep, "only the time of a whole sweep, cold and from disk");
  app.add_option("--grid", options.grid, "of sweeps: points in each direction")->check(CLI::Range(16, 1024));
  app.add_option("--device", options.device, "of --background and --sweep: auto, cpu, cuda:0, hip:0");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!options.library.empty()) {
      kiln::bench::print_library_figures(options);
      return 0;
    }
    if (background) {
      kiln::bench::print_background_figures(options);
      return 0;
    }
    if (barriers == "compile") {
      kiln::bench::print_barrier_compiles(options);
      return 0;
    }
    if (!barriers.empty()) {
      kiln::bench::print_barrier_ratios(options, barriers == "opencl");
      return 0;
    }
    if (spaces) {
      kiln::bench::print_space_figures(options);
      return 0;
    }
    if (sweep) {
      kiln::bench::print_sweep_figures(options);
      return 0;
    }
    if (bare_compiles > 0) {
      kiln::bench::compile_without_kiln(options, bare_compiles);
      return 0;
    }
    if (compile) {
      kiln::bench::print_compile_figures(options);
      return 0;
    }
    if (service) {
      if (options.arch == "native") options.arch = "sm_90";
      kiln::bench::print_service_figures(options);
      return 0;
    }
    if (gpu) {
      kiln::bench::print_gpu_figures(options);
      return 0;
    }
    if (ratios || !process) kiln::bench::print_cpu_ratios(options);
    if (process || !ratios) kiln::bench::print_process_figures(options);
  } catch (const std::exception& error) {
    std::cerr << "kiln_bench: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
