// Messages about an NVIDIA driver that is missing or does not work, with fake drivers
// (support/cuda/fake_cuda.cpp).
#include "device/cuda/driver.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "device/cuda/cuda_backend.h"
#include "support/cuda/open_fake_cuda.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CudaDriverTest : public ::testing::Test {
 protected:
  /// The back end's sentence, which is also what opening a device throws.
  std::string problem_in(const std::string& folder) {
    const auto backend = make_cuda_backend(fake_cuda_places(folder), *files_);
    std::string problem = backend->problem();
    const Error error = error_of([&] { static_cast<void>(backend->open(0)); });
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    EXPECT_EQ(error.message(), problem);
    EXPECT_TRUE(backend->devices().empty());
    return problem;
  }

  std::unique_ptr<FileSystem> files_ = make_real_file_system();
};

TEST_F(CudaDriverTest, TellsItsReleaseAndWhatItHas) {
  const auto opened_11 = open_cuda_driver(fake_cuda_places(KILN_FAKE_CUDA_11), *files_);
  ASSERT_EQ(opened_11.problem, "");
  EXPECT_EQ(opened_11.library->path, std::string(KILN_FAKE_CUDA_11) + "/libcuda.so.1");
  EXPECT_THAT(opened_11.library->description(), ::testing::EndsWith("CUDA 11.0"));
  EXPECT_FALSE(opened_11.library->has_libraries());
  const auto opened_12 = open_cuda_driver(fake_cuda_places(KILN_FAKE_CUDA_12), *files_);
  ASSERT_EQ(opened_12.problem, "");
  EXPECT_TRUE(opened_12.library->has_libraries());
}

TEST_F(CudaDriverTest, ThatDoesNotStartSaysWhy) {
  FakeCuda& fake = fake_cuda_in(KILN_FAKE_CUDA_13);
  const std::string start =
      std::string("the NVIDIA driver in ") + KILN_FAKE_CUDA_13 + "/libcuda.so.1 does not start: ";
  fake.reset();
  fake.set_result("cuInit", 100);
  EXPECT_EQ(problem_in(KILN_FAKE_CUDA_13), start +
                                               "CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device is "
                                               "detected; see what nvidia-smi says");
  fake.set_result("cuInit", 12345);  // one that the driver itself has no words for
  EXPECT_EQ(problem_in(KILN_FAKE_CUDA_13), start + "CUDA error (12345); see what nvidia-smi says");
  fake.set_result("cuInit", 0);
  EXPECT_EQ(make_cuda_backend(fake_cuda_places(KILN_FAKE_CUDA_13), *files_)->problem(), "");
}

TEST_F(CudaDriverTest, ThatShowsNoDeviceNamesTheVariableThatHidesThem) {
  FakeCuda& fake = fake_cuda_in(KILN_FAKE_CUDA_13);
  fake.reset();
  fake.set_result("cuDeviceGetCount", 100);
  const auto backend = make_cuda_backend(fake_cuda_places(KILN_FAKE_CUDA_13), *files_);
  EXPECT_THAT(backend->problem(), HasSubstr("CUDA 13.0) shows no device"));
  EXPECT_THAT(backend->problem(), HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_TRUE(backend->devices().empty());
}

TEST_F(CudaDriverTest, ThatIsTooOldNamesTheMissingFunction) {
  EXPECT_EQ(problem_in(KILN_FAKE_CUDA_10),
            std::string("the NVIDIA driver in ") + KILN_FAKE_CUDA_10 +
                "/libcuda.so.1 is too old: it has no cuDevicePrimaryCtxRelease_v2; Kiln needs the driver of "
                "CUDA 11 or later");
}

TEST_F(CudaDriverTest, ThatIsNotThereSaysWhereItWasLookedForAndWhatToInstall) {
  if (void* real = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    ::dlclose(real);
    GTEST_SKIP() << "this machine has a driver";
  }
  EXPECT_THAT(problem_in("/none"),
              StartsWith("no NVIDIA driver: looked for libcuda.so.1 in /none, /usr/lib/wsl/lib, the loader's "
                         "search path; install NVIDIA's driver (https://www.nvidia.com/drivers"));

  std::string folder = ::testing::TempDir() + "kiln_driver.XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/libcuda.so.1") << "this is no library";
  EXPECT_THAT(problem_in(folder), HasSubstr("the loader's search path (" + folder + "/libcuda.so.1: "));
  std::filesystem::remove_all(folder);
}

TEST_F(CudaDriverTest, ThatWillNotMakeAContextFailsTheFirstCallThatNeedsOne) {
  FakeCuda& fake = fake_cuda_in(KILN_FAKE_CUDA_13);
  fake.reset();
  fake.set_result("cuDevicePrimaryCtxRetain", 2);
  const auto device = make_cuda_backend(fake_cuda_places(KILN_FAKE_CUDA_13), *files_)->open(0);
  EXPECT_EQ(device->info().target.arch, "sm_90");
  EXPECT_THAT(error_of([&] { static_cast<void>(device->create_stream()); }).message(),
              HasSubstr("(2), in cuDevicePrimaryCtxRetain"));
}

}  // namespace
}  // namespace kiln::test
