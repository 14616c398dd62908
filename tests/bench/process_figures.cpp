#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/process.h"
#include "figures.h"
#include "kiln/kiln.h"
#include "pair_timer.h"
#include "scratch_folder.h"

namespace kiln::bench {
namespace {

namespace fs = std::filesystem;

Settings settings_in(const BenchOptions& options, const fs::path& cache) {
  Settings settings = Settings::from_environment();
  settings.workload_path = {options.workload_folder};
  settings.cache_dir = cache.string();
  return settings;
}

/// Every get() asks for code that no cache has: another scalar is another constant.
void cold_compile(const BenchOptions& options, const fs::path& cache) {
  const Service service(settings_in(options, cache));
  const DeviceHandle cpu = service.device("cpu");
  const auto compile = [&](const char* workload, const char* kernel, const char* parameter, int value) {
    const auto begin = std::chrono::steady_clock::now();
    static_cast<void>(service.workload(workload).kernel(kernel).on(cpu).set(parameter, value).get());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<double> small, large;
  static_cast<void>(compile("stencil7", "laplacian", "nx", 99));  // finds the compiler
  for (int i = 0; i < options.rounds; ++i) {
    small.push_back(compile("stencil7", "laplacian", "nx", 100 + i));
    large.push_back(compile("minibude", "fasten", "nposes", 100 + i));
  }
  std::printf("| cold compile and load, stencil7 (small kernel), ms | %.0f (%.0f to %.0f) | 120 |\n",
              quartile(small, 2), quartile(small, 1), quartile(small, 3));
  std::printf("| cold compile and load, minibude, ms | %.0f (%.0f to %.0f) | |\n", quartile(large, 2),
              quartile(large, 1), quartile(large, 3));
}

Command run_command(const BenchOptions& options, const fs::path& job, const fs::path& cache) {
  Command command;
  command.program = options.kiln_program;
  command.arguments = {"--cache-dir", cache.string(), "-q",       "run", job.string(),
                       "--device",    "cpu",          "--format", "json"};
  return command;
}

void warm_start(const BenchOptions& options, const ScratchFolder& scratch, ProcessRunner& processes) {
  const fs::path job = scratch.path() / "warm.yaml";
  std::ofstream(job) << "workload: " << options.workload_folder
                     << "/stencil7\nset: {nx: 32}\nmeasure: false\n";
  const Command command = run_command(options, job, scratch.path() / "cache");
  std::vector<double> launch, whole;
  for (int i = 0; i <= options.rounds; ++i) {
    const ProcessResult result = processes.run(command);
    if (!result.ok()) throw Error(ErrorKind::kInternal, "kiln run failed: " + result.error);
    if (i == 0) continue;  // fills the cache
    launch.push_back(nlohmann::json::parse(result.output).at("first_launch_seconds").get<double>() * 1e3);
    whole.push_back(result.seconds * 1e3);
  }
  std::printf("| warm cache: start of the job to its first launch, ms | %.1f (%.1f to %.1f) | 30 |\n",
              quartile(launch, 2), quartile(launch, 1), quartile(launch, 3));
  std::printf("| warm cache: the whole `kiln run` process, checks included, ms | %.1f (%.1f to %.1f) | |\n",
              quartile(whole, 2), quartile(whole, 1), quartile(whole, 3));
}

/// Peak resident memory of a child, in bytes.
double peak_bytes(const Command& command) {
  std::vector<char*> arguments{const_cast<char*>(command.program.c_str())};
  for (const std::string& argument : command.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(127);
    execv(command.program.c_str(), arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) < 0 || status != 0)
    throw Error(ErrorKind::kInternal, "kiln run failed");
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void peak_memory(const BenchOptions& options, const ScratchFolder& scratch) {
  const fs::path job = scratch.path() / "memory.yaml";
  std::ofstream(job) << "workload: " << options.workload_folder
                     << "/babelstream\nset: {T: double, n: 33554432, iterations: 1}\nmeasure: {max_samples: "
                        "5, min_time: 0 s}\n";
  const double buffers = (3.0 * 33554432 + 33554432.0 / 8192) * 8;
  static_cast<void>(peak_bytes(run_command(options, job, scratch.path() / "cache")));  // compiles
  const double peak = peak_bytes(run_command(options, job, scratch.path() / "cache"));
  std::printf("| peak memory of a job with %.0f MB of buffers: beyond them, MB | %.1f | 64 |\n",
              buffers * 1e-6, (peak - buffers) * 1e-6);
}

}  // namespace

void print_process_figures(const BenchOptions& options) {
  const ScratchFolder scratch;
  const auto processes = make_process_runner();
  std::printf(
      "\nCosts of Kiln itself on the CPU, median (quartiles) of %d\n\n| what | figure | goal |\n| --- | --- "
      "| --- |\n",
      options.rounds);
  cold_compile(options, scratch.path() / "cold");
  warm_start(options, scratch, *processes);
  peak_memory(options, scratch);
}

}  // namespace kiln::bench
