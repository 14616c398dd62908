#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "compile/cuda/nvrtc_compiler.h"
#include "device/cuda/driver.h"
#include "device/device.h"
#include "figures.h"

namespace kiln::bench {

/// The first NVIDIA GPU and NVRTC, as the figures of a GPU use them.
struct Gpu {
  explicit Gpu(const BenchOptions& options);

  BenchOptions options;
  std::unique_ptr<FileSystem> files;
  std::unique_ptr<Log> log;
  CudaPlaces places;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Compiler> compiler;
  std::shared_ptr<Device> device;
  std::shared_ptr<const CudaDriver> driver;  ///< for calls beside Kiln's
};

[[nodiscard]] double seconds_of(const std::function<void()>& work);
/// "| name | median (lower to upper quartile) | goal |"
void print_row(const std::string& name, const std::vector<double>& values, const char* format,
               const std::string& goal = "");

/// Launches through Kiln's layers against cuLaunchKernel with the same arguments; the look-up of a kernel by
/// values.
void print_launch_figures(Gpu& gpu);
/// Steps of many launches: as graphs against a hand-written CUDA graph and against launches; launches of a
/// program against cuLaunchKernel; the configuration of many launches with values of their own.
void print_graph_figures(Gpu& gpu);
/// Compiles that no cache has against the same calls of NVRTC.
void print_compile_figures(Gpu& gpu);
/// What a program that embeds Kiln waits for: a kernel that it has, one on the disk, one that is compiled,
/// 64 at once.
void print_service_figures(Gpu& gpu);
/// From the start of a process to its first launch, with code from the disk: the kiln program against
/// kiln_bench_bare_start.
void print_start_figures(Gpu& gpu);
/// The four workloads by NVRTC against the same text by nvcc.
void print_nvcc_figures(Gpu& gpu);
/// A whole sweep by the kiln program.
void print_sweep_figures(Gpu& gpu);

}  // namespace kiln::bench
