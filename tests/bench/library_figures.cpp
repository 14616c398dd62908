#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/process.h"
#include "figures.h"
#include "kiln/error.h"
#include "pair_timer.h"
#include "scratch_folder.h"

// What linking with Kiln costs a program: load, size, compile of the headers.
namespace kiln::bench {
namespace {

namespace fs = std::filesystem;

ProcessResult run_or_throw(ProcessRunner& processes, const std::string& program,
                           std::vector<std::string> arguments) {
  Command command;
  command.program = program;
  command.arguments = std::move(arguments);
  ProcessResult result = processes.run(command);
  if (!result.ok()) throw Error(ErrorKind::kEnvironment, program + " failed: " + result.error);
  return result;
}

void print_row(const char* what, const std::vector<double>& values, const char* goal) {
  std::printf("| %s | %.2f (%.2f to %.2f) | %s |\n", what, quartile(values, 2), quartile(values, 1),
              quartile(values, 3), goal);
}

void load(const BenchOptions& options, ProcessRunner& processes) {
  std::vector<double> milliseconds;
  int threads = 0;
  for (int i = 0; i <= options.rounds; ++i) {
    std::istringstream line(run_or_throw(processes, options.load_library, {options.library}).output);
    std::int64_t ns = 0;
    line >> ns >> threads;
    if (i > 0)
      milliseconds.push_back(static_cast<double>(ns) * 1e-6);  // the first brings the files to memory
  }
  print_row("load of the shared library with all that it needs, ms", milliseconds, "5");
  std::printf("| threads of the process then | %d | 1 |\n", threads);
}

void size(const BenchOptions& options, ProcessRunner& processes, const fs::path& scratch) {
  const fs::path stripped = scratch / "stripped.so";
  static_cast<void>(run_or_throw(processes, "strip", {"-o", stripped.string(), options.library}));
  std::printf("| the shared library, stripped, MB | %.2f | 5 |\n",
              static_cast<double>(fs::file_size(stripped)) * 1e-6);
}

void compile_headers(const BenchOptions& options, ProcessRunner& processes, const fs::path& scratch) {
  const fs::path include = fs::path(options.workload_folder).parent_path() / "include";
  for (const char* level : {"-O0", "-O2"}) {
    for (const char* header : {"kiln/kiln.h", "kiln/function.h"}) {
      const fs::path source = scratch / "user.cpp";
      std::ofstream(source) << "#include <" << header << ">\nint main() {}\n";
      std::vector<double> seconds;
      for (int i = 0; i < options.rounds; ++i) {
        seconds.push_back(run_or_throw(processes, "c++",
                                       {"-std=c++20", level, "-I", include.string(), "-c", source.string(),
                                        "-o", (scratch / "user.o").string()})
                              .seconds);
      }
      const std::string what = std::string("c++ ") + level + " of a program that includes " + header + ", s";
      print_row(what.c_str(), seconds, std::string(level) == "-O0" && header[5] == 'k' ? "0.7" : "");
    }
  }
}

}  // namespace

void print_library_figures(const BenchOptions& options) {
  const std::unique_ptr<ProcessRunner> processes = make_process_runner();
  const ScratchFolder scratch;
  std::printf("| figure | median (quartiles) | goal |\n| --- | --- | --- |\n");
  load(options, *processes);
  size(options, *processes, scratch.path());
  compile_headers(options, *processes, scratch.path());
}

}  // namespace kiln::bench
