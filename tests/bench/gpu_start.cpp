#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "gpu_figures.h"
#include "kiln/error.h"
#include "pair_timer.h"
#include "scratch_folder.h"
#include "touch_workload.h"

namespace kiln::bench {
namespace {

std::string output_of(ProcessRunner& processes, const Command& command) {
  const ProcessResult result = processes.run(command);
  if (!result.ok()) throw internal_error(command.program + " failed: " + result.error);
  return result.output;
}

/// The machine code of the only entry in a cache folder.
std::filesystem::path binary_in(const std::filesystem::path& cache) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache)) {
    if (entry.path().filename() == "binary") return entry.path();
  }
  throw internal_error("the cache in " + cache.string() + " is empty");
}

/// Mean of the smallest tenth, of at least one value.
double fastest_tenth(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t count = std::max<std::size_t>(1, values.size() / 10);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

}  // namespace

void print_start_figures(Gpu& gpu) {
  const ScratchFolder scratch;
  scratch.write("touch/touch.yaml", kTouchYaml);
  scratch.write("touch/touch.cu", kTouchText);
  scratch.write("job.yaml", "workload: touch\nmeasure: false\n");
  Command kiln;
  kiln.program = gpu.options.kiln_program;
  kiln.arguments = {"--workload-path",
                    scratch.path().string(),
                    "--cache-dir",
                    (scratch.path() / "cache").string(),
                    "-q",
                    "run",
                    (scratch.path() / "job.yaml").string(),
                    "--device",
                    "cuda:0",
                    "--format",
                    "json"};
  const auto processes = make_process_runner();
  static_cast<void>(output_of(*processes, kiln));  // fills the cache
  Command bare;
  bare.program = gpu.options.bare_start;
  bare.arguments = {binary_in(scratch.path() / "cache").string()};

  std::vector<double> with, without, difference;
  const int starts = 4 * gpu.options.rounds;
  for (int i = 0; i < starts; ++i) {
    const auto record = nlohmann::json::parse(output_of(*processes, kiln));
    with.push_back(record.at("first_launch_seconds").get<double>() * 1e3);
    without.push_back(std::stod(output_of(*processes, bare)) * 1e3);
    difference.push_back(with.back() - without.back());
  }
  print_row("warm start: main to first launch by kiln, ms", with, "%.1f");
  print_row("warm start: the same by bare driver calls, ms", without, "%.1f");
  print_row("warm start: difference of neighbours, ms", difference, "%.1f", "1");
  // Making a context takes 100 ms, give or take 10; the fastest starts are those that nothing else disturbed.
  std::printf("| warm start: difference of the fastest tenths, ms | %.1f | 1 |\n",
              fastest_tenth(with) - fastest_tenth(without));
}

}  // namespace kiln::bench
