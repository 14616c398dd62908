// kiln-worker CAPSULE: compiles what the capsule says and leaves the outcome there.
// kiln-worker --serve: the same for each capsule that is named on standard input.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "embed/backends.h"
#include "isolate/worker.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: kiln-worker CAPSULE\nKiln starts this program to compile in a process of its own; "
                 "to repeat a failed compile: kiln replay CAPSULE\n";
    return 2;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write
  const auto files = kiln::make_real_file_system();
  const auto log = kiln::make_stderr_log(kiln::LogLevel::kWarn);
  // What a compiler starts must end with this process, when its parent ends the process group.
  const auto processes = kiln::make_process_runner(kiln::ProcessGroup::kOfParent);
  kiln::Settings made_with;
  std::optional<kiln::Backends> backends;
  const auto compiler_of = [&](const kiln::Settings& settings,
                               const std::string& backend) -> kiln::Compiler* {
    if (!backends || made_with != settings) {
      made_with = settings;
      backends = kiln::make_backends(made_with, *processes, *files, *log);
    }
    const auto found = backends->compilers.find(backend);
    return found == backends->compilers.end() ? nullptr : found->second.get();
  };
  if (argv[1] == std::string_view(kiln::kWorkerServes))
    return kiln::serve_compiles(*files, compiler_of, std::cerr);
  kiln::belong_to_parent();
  const bool outcome =
      kiln::run_worker(*files, argv[1], compiler_of, std::cerr) != kiln::WorkerEnd::kNoOutcome;
  return outcome ? EXIT_SUCCESS : EXIT_FAILURE;
}
