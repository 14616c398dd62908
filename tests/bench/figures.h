#pragma once

#include <string>

namespace kiln::bench {

struct BenchOptions {
  int rounds = 25;
  std::string kiln_program;        ///< the kiln executable
  std::string workload_folder;     ///< kernels_src
  std::string bare_start;          ///< the kiln_bench_bare_start executable
  std::string figures;             ///< of --gpu and --cpu-ratios: a group's name; empty: all
  std::string arch = "native";     ///< of compile figures
  std::string isolation = "auto";  ///< of compile figures
  std::string library;             ///< of library figures: the path of libkiln.so
  std::string load_library;        ///< the kiln_bench_load_library executable
  int variants = 0;                ///< of compile figures; 0: 48 for each core
  std::string device = "auto";     ///< of background and sweep figures
  int grid = 256;                  ///< of sweep figures: points in each direction
};

/// Kernels on the CPU back end against the loops of openmp_loops.h; a Markdown table on standard output.
void print_cpu_ratios(const BenchOptions& options);
/// Kernels with barriers on the CPU back end against OpenMP loops, or the same kernels in OpenCL (PoCL); a
/// Markdown table on standard output.
void print_barrier_ratios(const BenchOptions& options, bool beside_opencl);
/// Cold compiles of the same kernels for the CPU; a Markdown table on standard output.
void print_barrier_compiles(const BenchOptions& options);
/// Cold compile, warm start and peak memory of the kiln program; a Markdown table on standard output.
void print_process_figures(const BenchOptions& options);
/// Load and size of the shared library, compile time of the headers; a Markdown table.
void print_library_figures(const BenchOptions& options);
/// Independent variants compiled one at a time and one for each core; a Markdown table on standard output.
void print_compile_figures(const BenchOptions& options);
/// Code from the disk, cold compiles and many variants at once, without a device; a Markdown table.
void print_service_figures(const BenchOptions& options);
/// Background mode: what its launch costs against a plain kernel's, and when which kernel is there.
void print_background_figures(const BenchOptions& options);
/// A sweep of 120 points in a process of its own, each checked: with nothing compiled before, and again.
void print_sweep_figures(const BenchOptions& options);
/// Search spaces of published kernels: building, sampling and neighbours; a Markdown table.
void print_space_figures(const BenchOptions& options);
/// Launches, compiles, starts and kernels on the first NVIDIA GPU against the bare driver, NVRTC and nvcc.
/// Throws Error where there is none.
void print_gpu_figures(const BenchOptions& options);

}  // namespace kiln::bench
