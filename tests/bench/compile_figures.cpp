#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include "base/process.h"
#include "compile_figures.h"
#include "figures.h"
#include "gpu_figures.h"
#include "kiln/kiln.h"
#include "pair_timer.h"
#include "scratch_folder.h"

namespace kiln::bench {

double compile_variants(const BenchOptions& options, const ScratchFolder& scratch, int jobs, int count,
                        int& next) {
  const std::string job = (scratch.path() / "variants.yaml").string();
  std::string values;
  for (int i = 0; i < count; ++i) values += (i == 0 ? "" : ", ") + std::to_string(1000 + next++);
  std::ofstream(job) << "workload: " << options.workload_folder
                     << "/stencil7\nset: {implementation: paper}\nsweep: {nx: [" << values << "]}\n";
  Command command;
  command.program = options.kiln_program;
  command.arguments = {"compile",     job,
                       "--cache-dir", (scratch.path() / "cache").string(),
                       "-j",          std::to_string(jobs),
                       "--isolation", options.isolation,
                       "--arch",      options.arch};
  const ProcessResult result = make_process_runner()->run(command);
  if (!result.ok()) throw Error(ErrorKind::kInternal, "kiln compile failed: " + result.error + result.output);
  return result.seconds;
}

void let_processes_go() {
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

double compile_bare(const BenchOptions& options, int processes, int count) {
  std::atomic<bool> failed{false};
  const double seconds = seconds_of([&] {
    std::vector<std::jthread> threads;
    for (int i = 0; i < processes; ++i) {
      threads.emplace_back([&] {
        Command command;
        command.program = "/proc/self/exe";
        command.arguments = {"--bare-compiles", std::to_string(count / processes),
                             "--arch",          options.arch,
                             "--workloads",     options.workload_folder};
        if (!make_process_runner()->run(command).ok()) failed = true;
      });
    }
  });
  if (failed) throw Error(ErrorKind::kInternal, "the bare compiles failed");
  return seconds;
}

namespace {

void print_rates(const std::string& who, const std::vector<double>& one, const std::vector<double>& all,
                 int cores, const char* wanted) {
  std::vector<double> ratio;
  for (std::size_t i = 0; i < one.size(); ++i) ratio.push_back(all[i] / one[i] / cores);
  const auto row = [&](const char* name, const std::vector<double>& values, const char* format,
                       const char* goal) {
    std::printf(
        ("| %s: %s | " + std::string(format) + " (" + format + " to " + format + ") | %s |\n").c_str(),
        who.c_str(), name, quartile(values, 2), quartile(values, 1), quartile(values, 3), goal);
  };
  row("compiles a second, one at a time", one, "%.1f", "");
  row("compiles a second, one for each core", all, "%.1f", "");
  row("rate on C cores / (C times the rate of one)", ratio, "%.2f", wanted);
}

}  // namespace

void print_compile_figures(const BenchOptions& options) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  // Enough for each core that starting a worker does not weigh.
  const int count = options.variants > 0 ? options.variants : 48 * cores;
  const ScratchFolder scratch;
  int next = 0;
  static_cast<void>(compile_variants(options, scratch, cores, 2, next));  // finds the compiler
  const bool nvrtc = options.arch.starts_with("sm_");
  std::vector<double> one, all, bare_one, bare_all;
  for (int i = 0; i < options.rounds; ++i) {
    one.push_back(count / compile_variants(options, scratch, 1, count, next));
    all.push_back(count / compile_variants(options, scratch, cores, count, next));
    if (!nvrtc) continue;
    bare_one.push_back(count / compile_bare(options, 1, count));
    bare_all.push_back(count / compile_bare(options, cores, count));
  }
  std::printf("%d independent variants of stencil7 for %s, %d cores, isolation %s\n\n", count,
              options.arch.c_str(), cores, options.isolation.c_str());
  std::printf("| figure | median (quartiles) | wanted |\n| --- | --- | --- |\n");
  print_rates("Kiln", one, all, cores, "0.85");
  if (nvrtc) print_rates("as many processes that call NVRTC only", bare_one, bare_all, cores, "");
}

}  // namespace kiln::bench
