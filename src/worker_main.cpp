// kiln-worker FOLDER: compiles what the capsule in FOLDER says and leaves the outcome there.
#include <cstdio>
#include <iostream>
#include <optional>

#include "base/file.h"
#include "base/log.h"
#include "base/process.h"
#include "embed/backends.h"
#include "isolate/worker.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: kiln-worker CAPSULE\nKiln starts this program to compile in a process of its own; "
                 "to repeat "
                 "a failed compile: kiln replay CAPSULE\n";
    return 2;
  }
  const auto files = kiln::make_real_file_system();
  const auto log = kiln::make_stderr_log(kiln::LogLevel::kWarn);
  // What a compiler starts must end with this process, when its parent ends the process group.
  const auto processes = kiln::make_process_runner(kiln::ProcessGroup::kOfParent);
  std::optional<kiln::Backends> backends;
  const auto compiler_of = [&](const kiln::Settings& settings,
                               const std::string& backend) -> kiln::Compiler* {
    backends = kiln::make_backends(settings, *processes, *files, *log);
    const auto found = backends->compilers.find(backend);
    return found == backends->compilers.end() ? nullptr : found->second.get();
  };
  return kiln::run_worker(*files, argv[1], compiler_of, std::cerr);
}
