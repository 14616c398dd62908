#include "cli/backends.h"

#include <chrono>
#include <filesystem>

#include "compile/cpu/cpu_compiler.h"

namespace kiln {
namespace {

CpuCompilerOptions cpu_compiler_options(const Settings& settings) {
  CpuCompilerOptions options;
  options.program = settings.cpu_compiler;
  options.scratch = std::filesystem::temp_directory_path();
  if (settings.cache) options.identity_memo = std::filesystem::path(settings.cache_dir) / "compilers.json";
  options.time_limit = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(settings.compile_time_limit));
  return options;
}

}  // namespace

Backends make_backends(const Settings& settings, ProcessRunner& processes, FileSystem& files, Log& log) {
  Backends backends;
  backends.compilers["cpu"] = make_cpu_compiler(cpu_compiler_options(settings), processes, files, log);
  return backends;
}

}  // namespace kiln
