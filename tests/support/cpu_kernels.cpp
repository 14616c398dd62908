#include "support/cpu_kernels.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "device/cpu/cpu_backend.h"

namespace kiln::test {

CpuKernels::CpuKernels(const std::string& compiler, int threads)
    : files_(make_real_file_system()),
      processes_(make_process_runner()),
      scratch_(files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln-test-")) {
  CpuCompilerOptions options;
  options.program = compiler;
  options.scratch = scratch_;
  options.identity_memo = scratch_ / "compiler";
  compiler_ = make_cpu_compiler(options, *processes_, *files_, log_);
  CpuBackendOptions backend;
  backend.threads = threads;
  backend_ = make_cpu_backend(backend, *files_);
  device_ = backend_->open(0);
  stream_ = device_->create_stream();
}

CpuKernels::~CpuKernels() {
  files_->remove_all(scratch_);
}

Specialization CpuKernels::specialize(const std::string& text, const std::string& entry) {
  Specialization specialization;
  specialization.source_name = "kernel.cu";
  specialization.source_text = text;
  specialization.params_header = "#pragma once\n#include \"kiln/portable.h\"\n";
  specialization.entries = {{entry, std::nullopt, ""}};
  specialization.target = device_->info().target;
  return specialization;
}

CodeObject CpuKernels::compile(const Specialization& specialization) {
  CompileResult result = compiler_->compile(specialization);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) {
    ADD_FAILURE() << diagnostic->summary << "\n" << diagnostic->log << "\n" << diagnostic->command;
    throw std::runtime_error(diagnostic->summary);
  }
  return std::get<CodeObject>(std::move(result));
}

DeviceFunction& CpuKernels::build(const Specialization& specialization) {
  const CodeObject object = compile(specialization);
  modules_.push_back(device_->load(object.binary));
  DeviceFunction* function =
      modules_.back()->function(object.lowered_names.at(specialization.entries.front().name_expression));
  if (function == nullptr) throw std::runtime_error("no such function");
  return *function;
}

DeviceFunction& CpuKernels::build(const std::string& text, const std::string& entry) {
  return build(specialize(text, entry));
}

}  // namespace kiln::test
