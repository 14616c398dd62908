#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/process.h"
#include "compile/cpu/cpu_compiler.h"
#include "device/device.h"
#include "support/recording_log.h"

namespace kiln::test {

/// Name of a test's variant for a compiler: "g" of "g++".
[[nodiscard]] inline std::string compiler_label(const ::testing::TestParamInfo<std::string>& variant) {
  return variant.param.substr(0, variant.param.find('+'));
}

/// A real CPU device and a real compiler in a scratch folder, for tests that run kernel texts.
class CpuKernels {
 public:
  /// `compiler` is a program's name; empty: the default one. `threads` of the device.
  explicit CpuKernels(const std::string& compiler = "", int threads = 4);
  CpuKernels(const CpuKernels&) = delete;
  CpuKernels& operator=(const CpuKernels&) = delete;
  ~CpuKernels();

  [[nodiscard]] Compiler& compiler() { return *compiler_; }
  [[nodiscard]] Device& device() { return *device_; }
  [[nodiscard]] Stream& stream() { return *stream_; }
  [[nodiscard]] FileSystem& files() { return *files_; }
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_; }

  /// A specialization of `text` with one entry, for this machine.
  [[nodiscard]] Specialization specialize(const std::string& text, const std::string& entry);
  /// Compiles; a diagnostic fails the test and throws.
  [[nodiscard]] CodeObject compile(const Specialization& specialization);

  /// Compiles, loads and keeps the module; returns the function of the first entry.
  [[nodiscard]] DeviceFunction& build(const Specialization& specialization);
  [[nodiscard]] DeviceFunction& build(const std::string& text, const std::string& entry);
  [[nodiscard]] Module& last_module() { return *modules_.back(); }

  /// Launches with arguments taken by address, and synchronizes.
  template <class... Arguments>
  void run(DeviceFunction& function, const LaunchShape& shape, Arguments... arguments) {
    void* addresses[] = {&arguments..., nullptr};
    function.launch(*stream_, shape, addresses);
    stream_->synchronize();
  }

 private:
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<ProcessRunner> processes_;
  RecordingLog log_;
  std::filesystem::path scratch_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<Backend> backend_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace kiln::test
