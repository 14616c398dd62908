#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compile/cuda/cuda_headers.h"
#include "compile/cuda/nvrtc_compiler.h"
#include "compile/cuda/nvrtc_library.h"
#include "kiln/error.h"
#include "specialize/includes.h"
#include "support/compile_result.h"
#include "support/recording_log.h"

namespace kiln::test {

/// The real disk without any folder of headers: a machine that has the NVRTC library and nothing else of
/// CUDA.
class DiskWithoutHeaders final : public FileSystem {
 public:
  std::optional<FileStatus> status(const Path& path) override {
    for (const Path& part : path) {
      if (part == "include") return std::nullopt;
    }
    return real_->status(path);
  }
  std::optional<FileStatus> target_status(const Path& path) override {
    return status(path) ? real_->target_status(path) : std::nullopt;
  }
  std::optional<std::string> read(const Path& path, const ReadRange& range) override {
    return real_->read(path, range);
  }
  void write_file(const Path& path, std::string_view bytes, bool sync) override {
    real_->write_file(path, bytes, sync);
  }
  bool create_file(const Path& path, std::string_view bytes) override {
    return real_->create_file(path, bytes);
  }
  void append_file(const Path& path, std::string_view bytes) override { real_->append_file(path, bytes); }
  std::vector<std::string> list(const Path& directory) override { return real_->list(directory); }
  void make_directories(const Path& path, bool private_mode) override {
    real_->make_directories(path, private_mode);
  }
  Path make_unique_directory(const Path& prefix) override { return real_->make_unique_directory(prefix); }
  bool rename(const Path& from, const Path& to) override { return real_->rename(from, to); }
  void remove_all(const Path& path) override { real_->remove_all(path); }
  void sync_directory(const Path& path) override { real_->sync_directory(path); }

 private:
  std::unique_ptr<FileSystem> real_ = make_real_file_system();
};

/// With the machine's own NVRTC; no GPU is needed. Skipped where there is none.
class NvrtcTest : public ::testing::Test {
 protected:
  NvrtcTest() : files_(make_real_file_system()), places_(cuda_places("")) {
    compiler_ = make_nvrtc_compiler({places_, "", "", std::chrono::minutes(2)}, *files_, log_);
  }

  void SetUp() override {
    try {
      static_cast<void>(compiler_->identity());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  /// A compiler that finds no header of CUDA.
  std::unique_ptr<Compiler> make_alone() {
    return make_nvrtc_compiler({places_, "", "", std::chrono::minutes(2)}, bare_files_, log_);
  }

  /// Whether this header is here in a release that NVRTC understands.
  [[nodiscard]] bool has_cuda_headers(const std::string& name) {
    const NvrtcLibrary nvrtc = open_nvrtc(places_, *files_);
    const CudaHeaders headers = find_cuda_headers(places_, nvrtc.path, nvrtc.major, *files_);
    return headers.version.starts_with(std::to_string(nvrtc.major) + ".") && headers.has(name, *files_);
  }

  Specialization specialize(const std::string& text, const std::string& entry,
                            const std::string& arch = "sm_80") {
    Specialization specialization;
    specialization.source_name = "kernel.cu";
    specialization.source_path = "/src/kernel.cu";
    specialization.source_text = text;
    specialization.unseen_headers = find_includes(*files_, text, {"/none/kernel.cu"}).unseen;
    specialization.params_header = "#pragma once\n#include \"kiln/portable.h\"\nstruct Params {};\n";
    specialization.entries = {{entry, std::nullopt, ""}};
    specialization.target = {"cuda", arch, 32};
    return specialization;
  }

  /// With `compiler`, or the one that finds what the machine has.
  CodeObject compile(const Specialization& specialization, Compiler* compiler = nullptr) {
    return test::code_of((compiler != nullptr ? compiler : compiler_.get())->compile(specialization));
  }

  Diagnostic fail(const Specialization& specialization, Compiler* compiler = nullptr) {
    return test::diagnostic_of((compiler != nullptr ? compiler : compiler_.get())->compile(specialization));
  }

  std::unique_ptr<FileSystem> files_;
  DiskWithoutHeaders bare_files_;
  RecordingLog log_;
  CudaPlaces places_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace kiln::test
