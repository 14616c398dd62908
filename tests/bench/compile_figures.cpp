#include <cstdio>
#include <fstream>
#include <thread>
#include <vector>

#include "base/process.h"
#include "figures.h"
#include "kiln/kiln.h"
#include "pair_timer.h"
#include "scratch_folder.h"

namespace kiln::bench {
namespace {

/// Seconds for `count` variants of stencil7 that no cache has, as `jobs` compiles at once.
double compile_variants(const BenchOptions& options, const ScratchFolder& scratch, int jobs, int count,
                        int& next) {
  const std::string job = (scratch.path() / "variants.yaml").string();
  std::string values;
  for (int i = 0; i < count; ++i) values += (i == 0 ? "" : ", ") + std::to_string(1000 + next++);
  std::ofstream(job) << "workload: " << options.workload_folder << "/stencil7\nsweep: {nx: [" << values
                     << "]}\n";
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

}  // namespace

void print_compile_figures(const BenchOptions& options) {
  constexpr int kVariants = 24;
  const ScratchFolder scratch;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  int next = 0;
  static_cast<void>(compile_variants(options, scratch, cores, 2, next));  // finds the compiler
  std::vector<double> one, all, speed_up;
  for (int i = 0; i < options.rounds; ++i) {
    one.push_back(kVariants / compile_variants(options, scratch, 1, kVariants, next));
    all.push_back(kVariants / compile_variants(options, scratch, cores, kVariants, next));
    speed_up.push_back(all.back() / one.back() / cores);
  }
  std::printf("%d independent variants of stencil7 for %s, %d cores, isolation %s\n\n", kVariants,
              options.arch.c_str(), cores, options.isolation.c_str());
  std::printf("| figure | median (quartiles) | wanted |\n| --- | --- | --- |\n");
  const auto row = [](const char* name, const std::vector<double>& values, const char* wanted) {
    std::printf("| %s | %.2f (%.2f to %.2f) | %s |\n", name, quartile(values, 2), quartile(values, 1),
                quartile(values, 3), wanted);
  };
  row("compiles a second, one at a time", one, "");
  row("compiles a second, one for each core", all, "");
  row("rate on C cores / (C times the rate of one)", speed_up, "0.85");
}

}  // namespace kiln::bench
