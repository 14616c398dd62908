#include "bare_nvrtc.h"

#include "compile/cuda/nvrtc_program.h"
#include "compile/cuda/nvrtc_unit.h"
#include "device/cuda/driver.h"
#include "device/gpu/gpu_context.h"
#include "gpu_figures.h"
#include "kiln/error.h"
#include "specialize/unit.h"
#include "workload/library.h"
#include "workload/selection.h"

namespace kiln::bench {

Specialization specialization_of(const BenchOptions& options, FileSystem& files,
                                 const std::string& workload_name, const Target& target, int round,
                                 const Values& values) {
  const WorkloadLibrary library(files, {options.workload_folder});
  const auto workload = library.load(workload_name, {});
  const Configuration configuration =
      configure(workload, values, unknown_device(target), files).configuration;
  const std::string kernel = selected_run(configuration).front()->kernel;
  const auto units = make_units(configuration, {kernel}, Role::kRun, target, files);
  Specialization specialization = units.at(0).specialization;
  specialization.defines.emplace_back("KILN_BENCH_ROUND", std::to_string(round));
  return specialization;
}

namespace {

std::vector<std::string> options_of(const NvrtcLibrary& nvrtc, const Specialization& specialization,
                                    BareOptions bare) {
  const NvrtcArch arch = choose_nvrtc_arch(compiled_arch(specialization), nvrtc.archs, nvrtc.version());
  std::vector<std::string> options = nvrtc_options(specialization, arch, {});
  if (bare == BareOptions::kPlain) return options;
  if (has_own_cache(nvrtc.version())) options.emplace_back("--no-cache");
  if (may_be_minimal(specialization, nvrtc.version())) options.emplace_back("--minimal");
  return options;
}

}  // namespace

double bare_compile_seconds(const NvrtcLibrary& nvrtc, const Specialization& specialization,
                            BareOptions bare) {
  const RtcUnit unit = make_nvrtc_unit(specialization, {});
  const std::vector<std::string> options = options_of(nvrtc, specialization, bare);
  return seconds_of([&] {
    NvrtcProgram program(nvrtc, unit, specialization.source_name);
    for (const EntryPoint& entry : specialization.entries) program.add_name(entry.name_expression);
    if (program.compile(options, {}) != nvrtc_abi::kSuccess) throw internal_error(program.log());
    static_cast<void>(program.cubin());
  });
}

double bare_compile_and_load_seconds(const NvrtcLibrary& nvrtc, const CudaDriver& driver,
                                     const Specialization& specialization, BareOptions bare) {
  const RtcUnit unit = make_nvrtc_unit(specialization, {});
  const std::vector<std::string> options = options_of(nvrtc, specialization, bare);
  cuda_abi::Context context = nullptr;
  check_driver(driver, driver.call.primary_context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  check_driver(driver, driver.call.context_push(context), "cuCtxPushCurrent");
  return seconds_of([&] {
    NvrtcProgram program(nvrtc, unit, specialization.source_name);
    for (const EntryPoint& entry : specialization.entries) program.add_name(entry.name_expression);
    if (program.compile(options, {}) != nvrtc_abi::kSuccess) throw internal_error(program.log());
    const std::string cubin = program.cubin();
    cuda_abi::Module module = nullptr;
    cuda_abi::Function function = nullptr;
    check_driver(driver, driver.call.module_load(&module, cubin.c_str(), 0, nullptr, nullptr),
                 "cuModuleLoadDataEx");
    const std::string name = program.lowered_name(specialization.entries.front().name_expression);
    check_driver(driver, driver.call.module_get_function(&function, module, name.c_str()),
                 "cuModuleGetFunction");
  });
}

void compile_without_kiln(const BenchOptions& options, int count) {
  const auto files = make_real_file_system();
  const NvrtcLibrary nvrtc = open_nvrtc(cuda_places(""), *files);
  for (int round = 0; round < count; ++round) {
    const Specialization fresh =
        specialization_of(options, *files, "stencil7", {"cuda", options.arch, 32}, round, kSmallStencil);
    static_cast<void>(bare_compile_seconds(nvrtc, fresh));
  }
}

}  // namespace kiln::bench
