#include "compile/cuda/cuda_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Path = std::filesystem::path;

class CudaHeadersTest : public ::testing::Test {
 protected:
  void add(const Path& file, const std::string& text = "") {
    files_.make_directories(file.parent_path(), false);
    files_.write_file(file, text, false);
  }

  void add_toolkit(const Path& folder, const std::string& number) {
    add(folder / "cuda_fp16.h");
    add(folder / "cuda_runtime_api.h", "#pragma once\n#define CUDART_VERSION  " + number + "\nint x;\n");
  }

  [[nodiscard]] CudaHeaders find(const Path& library, int major) {
    return find_cuda_headers(places_, library, major, files_);
  }

  FakeClock clock_;
  MemoryFileSystem files_{clock_};
  CudaPlaces places_;
};

TEST_F(CudaHeadersTest, AreNoneOnABareMachine) {
  const CudaHeaders none = find("/x/lib/libnvrtc.so.13", 13);
  EXPECT_THAT(none.folders, IsEmpty());
  EXPECT_EQ(none.to_string(), "");
}

TEST_F(CudaHeadersTest, OfAToolkitHaveItsVersionAndThatOfItsCoreLibraries) {
  add_toolkit("/t/include", "13000");
  add("/t/include/cccl/cuda/std/array");
  add("/t/include/cccl/cuda/std/__cccl/version.h", "#define CCCL_VERSION 3000001\n");
  const CudaHeaders headers = find("/t/lib64/libnvrtc.so.13", 13);
  EXPECT_THAT(headers.folders, ElementsAre("/t/include", "/t/include/cccl"));
  EXPECT_EQ(headers.to_string(), "CUDA 13.0, CCCL 3.0.1");
  EXPECT_TRUE(headers.has("cuda/std/array", files_));
  EXPECT_FALSE(headers.has("cuda/std", files_));
  EXPECT_FALSE(headers.has("cuda/std/tuple", files_));
}

TEST_F(CudaHeadersTest, OfWheelsLieInSeveralFolders) {
  const Path packages = "/p/nvidia";
  add_toolkit(packages / "cuda_runtime/include", "12090");
  add(packages / "cuda_cccl/include/cuda/std/detail/__config",
      "#define _LIBCUDACXX_CUDA_API_VERSION 2008002\n");
  const CudaHeaders headers = find(packages / "cuda_nvrtc/lib/libnvrtc.so.12", 12);
  EXPECT_THAT(headers.folders, ElementsAre("/p/nvidia/cuda_runtime/include", "/p/nvidia/cuda_cccl/include"));
  EXPECT_EQ(headers.to_string(), "CUDA 12.9, CCCL 2.8.2");
}

TEST_F(CudaHeadersTest, OfNvrtcsOwnMajorVersionAreTakenBeforeOthers) {
  add_toolkit("/named/include", "13000");
  add_toolkit("/usr/local/cuda-11.8/include", "11080");
  places_.toolkits = {"/named"};
  EXPECT_EQ(find("/elsewhere/libnvrtc.so.11.2", 11).version, "11.8");
  EXPECT_EQ(find("/elsewhere/libnvrtc.so.12", 12).version, "13.0");
}

TEST_F(CudaHeadersTest, MayBeLibcuAlone) {
  add("/p/nvidia/cu13/include/cccl/cuda/std/array");
  const CudaHeaders headers = find("/p/nvidia/cu13/lib/libnvrtc.so.13", 13);
  EXPECT_TRUE(headers.has("cuda/std/array", files_));
  EXPECT_EQ(headers.to_string(), "CUDA of unknown version, CCCL of unknown version");
}

}  // namespace
}  // namespace kiln::test
