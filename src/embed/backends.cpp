#include "embed/backends.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/environment.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "compile/cpu/cpu_compiler.h"
#include "compile/cuda/nvcc_compiler.h"
#include "compile/cuda/nvrtc_compiler.h"
#include "compile/hip/hipcc_compiler.h"
#include "compile/hip/hiprtc_compiler.h"
#include "device/cpu/cpu_backend.h"
#include "device/cuda/cuda_backend.h"
#include "device/cuda/driver.h"
#include "device/hip/hip_backend.h"

namespace kiln {
namespace {

/// "NAME=value, ..." of those that are set.
std::string set_variables(std::initializer_list<const char*> variables) {
  std::vector<std::string> set;
  for (const char* variable : variables) {
    if (const auto value = read_environment(variable)) set.push_back(std::string(variable) + "=" + *value);
  }
  return join(set, ", ");
}

CpuBackendOptions cpu_backend_options(const Settings& settings) {
  constexpr std::size_t kKibibyte = 1024;
  CpuBackendOptions options;
  options.threads = settings.cpu_threads;
  options.stack_bytes = static_cast<std::size_t>(settings.cpu_stack_kib) * kKibibyte;
  options.scratch = temporary_folder().string();
  return options;
}

std::chrono::milliseconds compile_time_limit(const Settings& settings) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(settings.compile_time_limit));
}

CpuCompilerOptions cpu_compiler_options(const Settings& settings) {
  CpuCompilerOptions options;
  for (const char* variable : kCompilerVariables) {
    if (const auto value = read_environment(variable)) options.environment.emplace(variable, *value);
  }
  options.program = settings.cpu_compiler;
  options.scratch = temporary_folder();
  if (settings.cache) options.identity_memo = std::filesystem::path(settings.cache_dir) / "compilers.json";
  options.time_limit = compile_time_limit(settings);
  return options;
}

NvrtcCompilerOptions nvrtc_options(const Settings& settings, const CudaPlaces& places) {
  NvrtcCompilerOptions options;
  options.places = places;
  options.environment = set_variables({"NVRTC_APPEND_FLAGS", "NVRTC_DISABLE_PCH"});
  const std::filesystem::path folder = settings.cache_dir;
  if (settings.cache) options.identity_memo = folder / "nvrtc.txt";
  if (settings.cache) options.source_folder = std::filesystem::absolute(folder) / "sources";
  options.time_limit = compile_time_limit(settings);
  return options;
}

HiprtcCompilerOptions hiprtc_options(const Settings& settings, const HipPlaces& places) {
  HiprtcCompilerOptions options;
  options.places = places;
  options.environment =
      set_variables({"HIPRTC_COMPILE_OPTIONS_APPEND", "HIPRTC_LINK_OPTIONS_APPEND", "CCC_OVERRIDE_OPTIONS",
                     "COMPILER_PATH", "CPATH", "CPLUS_INCLUDE_PATH"});
  const std::filesystem::path folder = settings.cache_dir;
  if (settings.cache) options.identity_memo = folder / "hiprtc.txt";
  if (settings.cache) options.source_folder = std::filesystem::absolute(folder) / "sources";
  return options;
}

ProgramCompilerOptions program_options(const Settings& settings, const std::string& name) {
  ProgramCompilerOptions options;
  options.scratch = temporary_folder();
  if (settings.cache) options.identity_memo = std::filesystem::path(settings.cache_dir) / (name + ".txt");
  options.time_limit = compile_time_limit(settings);
  return options;
}

}  // namespace

void start_device(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (name.substr(0, colon) != "cuda") return;
  const auto ordinal = parse_integer(colon == std::string::npos ? "0" : name.substr(colon + 1));
  constexpr std::int64_t kMost = 1'000'000;
  if (!ordinal || *ordinal < 0 || *ordinal > kMost) return;
  const auto files = make_real_file_system();
  start_cuda_driver(cuda_places(""), *files, static_cast<int>(*ordinal));
}

Backends make_backends(const Settings& settings, ProcessRunner& processes, FileSystem& files, Log& log) {
  Backends backends;
  backends.devices.push_back(make_cpu_backend(cpu_backend_options(settings), files));
  const CudaPlaces cuda = cuda_places(settings.nvrtc);
  backends.devices.push_back(make_cuda_backend(cuda, files));
  backends.compilers["cuda"] = make_nvrtc_compiler(nvrtc_options(settings, cuda), files, log);
  const HipPlaces hip = hip_places(settings.hip, settings.hiprtc);
  backends.devices.push_back(make_hip_backend(hip, files));
  backends.compilers["hip"] = make_hiprtc_compiler(hiprtc_options(settings, hip), files, log);
  backends.compilers["cpu"] = make_cpu_compiler(cpu_compiler_options(settings), processes, files, log);
  CpuCompilerOptions baseline = cpu_compiler_options(settings);
  baseline.baseline = true;
  backends.ahead["cpu"] = {"baseline", make_cpu_compiler(std::move(baseline), processes, files, log)};
  backends.ahead["cuda"] = {"nvcc", make_nvcc_compiler(settings.nvcc, cuda, program_options(settings, "nvcc"),
                                                       processes, files, log)};
  backends.ahead["hip"] = {
      "hipcc",
      make_hipcc_compiler(settings.hipcc, hip, program_options(settings, "hipcc"), processes, files, log)};
  return backends;
}

}  // namespace kiln
