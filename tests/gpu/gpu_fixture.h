#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "compile/cuda/nvrtc_compiler.h"
#include "device/cuda/cuda_backend.h"
#include "device/device.h"
#include "kiln/error.h"
#include "support/recording_log.h"

namespace kiln::test {

/// The first NVIDIA GPU and the machine's NVRTC; the test is skipped where either is missing.
class GpuTest : public ::testing::Test {
 protected:
  GpuTest() : files_(make_real_file_system()) {}

  void SetUp() override {
    const CudaPlaces places = cuda_places("");
    backend_ = make_cuda_backend(places, *files_);
    if (const std::string problem = backend_->problem(); !problem.empty()) GTEST_SKIP() << problem;
    compiler_ = make_nvrtc_compiler({places, "", "", std::chrono::minutes(2)}, *files_, log_);
    try {
      static_cast<void>(compiler_->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    device_ = backend_->open(0);
    stream_ = device_->create_stream();
  }

  [[nodiscard]] Specialization specialization(const std::string& text, const std::string& entry) const {
    Specialization specialization;
    specialization.source_name = "kernel.cu";
    specialization.source_text = text;
    specialization.entries = {{entry, std::nullopt, ""}};
    specialization.target = device_->info().target;
    return specialization;
  }

  CodeObject compile(const std::string& text, const std::string& entry) {
    CompileResult result = compiler_->compile(specialization(text, entry));
    if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) throw std::runtime_error(diagnostic->log);
    return std::get<CodeObject>(std::move(result));
  }

  DeviceFunction& build(const std::string& text, const std::string& entry) {
    const CodeObject code = compile(text, entry);
    modules_.push_back(device_->load(code.binary));
    DeviceFunction* function = modules_.back()->function(code.lowered_names.at(entry));
    if (function == nullptr) throw std::runtime_error("no function " + entry);
    return *function;
  }

  /// Launches with arguments taken by address; does not wait.
  template <class... Arguments>
  void launch(Stream& stream, DeviceFunction& function, const LaunchShape& shape, Arguments... arguments) {
    void* addresses[] = {&arguments..., nullptr};
    function.launch(stream, shape, addresses);
  }

  template <class Value>
  std::unique_ptr<DeviceBuffer> upload(const std::vector<Value>& values) {
    auto buffer = device_->allocate(values.size() * sizeof(Value));
    device_->copy_to_device(*stream_, buffer->data(), values.data(), buffer->bytes());
    return buffer;
  }

  template <class Value>
  std::vector<Value> download(const DeviceBuffer& buffer) {
    std::vector<Value> values(buffer.bytes() / sizeof(Value));
    device_->copy_to_host(*stream_, values.data(), buffer.data(), buffer.bytes());
    return values;
  }

  std::unique_ptr<FileSystem> files_;
  RecordingLog log_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Compiler> compiler_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Stream> stream_;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace kiln::test
