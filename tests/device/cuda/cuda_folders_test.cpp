#include "device/cuda/cuda_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Path = std::filesystem::path;

class CudaFolders : public ::testing::Test {
 protected:
  void add(const std::string& file) {
    files_.make_directories(Path(file).parent_path(), false);
    files_.write_file(file, "", false);
  }

  FakeClock clock_;
  MemoryFileSystem files_{clock_};
  CudaPlaces places_;
};

TEST_F(CudaFolders, AreNoneOnABareMachine) {
  EXPECT_THAT(cuda_library_folders(places_, files_), IsEmpty());
  EXPECT_THAT(cuda_include_folders(places_, "", files_), IsEmpty());
}

TEST_F(CudaFolders, PreferNamedToolkitsToTheLoadersPathAndThatToInstalledOnes) {
  for (const char* folder :
       {"/named/lib64", "/path", "/usr/local/cuda-12.4/lib64", "/usr/local/cuda-13.0/lib64"}) {
    add(std::string(folder) + "/libnvrtc.so.13");
  }
  places_.toolkits = {"/named", "/gone"};
  places_.library_path = {"", "/path", "/gone"};
  EXPECT_THAT(
      cuda_library_folders(places_, files_),
      ElementsAre("/named/lib64", "/path", "/usr/local/cuda-13.0/lib64", "/usr/local/cuda-12.4/lib64"));
}

TEST_F(CudaFolders, IncludeWheelsOfEveryPythonInThePath) {
  add("/venv/bin/python3");
  add("/venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  add("/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib/libnvrtc.so.13");
  places_.program_path = {"/venv/bin", "/bin"};
  EXPECT_THAT(cuda_library_folders(places_, files_),
              ElementsAre("/venv/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib",
                          "/usr/local/lib/python3.11/dist-packages/nvidia/cu13/lib"));
}

TEST_F(CudaFolders, OfHeadersAreThoseBesideTheLibraryFirst) {
  add("/t/lib64/libnvrtc.so.13");
  add("/t/include/cuda_fp16.h");
  add("/usr/local/cuda/include/cuda_fp16.h");
  add("/p/nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
  add("/p/nvidia/cuda_runtime/include/cuda_fp16.h");
  EXPECT_THAT(cuda_include_folders(places_, "/t/lib64/libnvrtc.so.13", files_),
              ElementsAre("/t/include", "/usr/local/cuda/include"));
  EXPECT_THAT(cuda_include_folders(places_, "/p/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", files_),
              ElementsAre("/p/nvidia/cuda_runtime/include", "/usr/local/cuda/include"));
}

TEST_F(CudaFolders, OfHeadersInCondaAreThoseOfTheTarget) {
  add("/conda/lib/libnvrtc.so.12");
  add("/conda/targets/x86_64-linux/include/cuda_fp16.h");
  EXPECT_THAT(cuda_include_folders(places_, "/conda/lib/libnvrtc.so.12", files_),
              ElementsAre("/conda/targets/x86_64-linux/include"));
}

}  // namespace
}  // namespace kiln::test
