// Which NVRTC is opened, and what Kiln makes of releases that lack some of what it calls, with libraries that
// stand for them.
#include "compile/cuda/nvrtc_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cuda/nvrtc_compiler.h"
#include "support/compile_result.h"
#include "support/error_matchers.h"
#include "support/recording_log.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using Path = std::filesystem::path;

class NvrtcLibraryTest : public ::testing::Test {
 protected:
  NvrtcLibraryTest() : files_(make_real_file_system()) {
    folder_ = files_->make_unique_directory(std::filesystem::temp_directory_path() / "kiln_nvrtc_");
  }
  ~NvrtcLibraryTest() override { files_->remove_all(folder_); }

  /// A folder in which `library` has the name `name`.
  std::string folder_with(const std::string& library, const std::string& name) {
    const Path folder = folder_ / Path(library).stem();
    files_->make_directories(folder, false);
    std::filesystem::copy_file(library, folder / name);
    return folder.string();
  }

  NvrtcLibrary open(const std::string& nvrtc) {
    CudaPlaces places;
    places.nvrtc = nvrtc;
    return open_nvrtc(places, *files_);
  }

  std::string refusal(const CudaPlaces& places) {
    const Error error = error_of([&] { static_cast<void>(open_nvrtc(places, *files_)); });
    EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    return error.what();
  }

  CodeObject compile(const std::string& nvrtc, const std::string& arch) {
    CudaPlaces places;
    places.nvrtc = nvrtc;
    const auto compiler = make_nvrtc_compiler({places, "", "", std::chrono::seconds(1)}, *files_, log_);
    Specialization specialization;
    specialization.source_name = "axpy.cu";
    specialization.entries = {{"axpy", std::nullopt, ""}};
    specialization.target = compiler->target_for(arch);
    return code_of(compiler->compile(specialization));
  }

  std::unique_ptr<FileSystem> files_;
  RecordingLog log_;
  Path folder_;
};

TEST_F(NvrtcLibraryTest, KnowsWhatReleasesSupportThatCannotTell) {
  const NvrtcLibrary first = open(KILN_FAKE_NVRTC_11_0);
  EXPECT_EQ(first.version(), "11.0");
  EXPECT_THAT(first.archs, ElementsAre(35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80));
  EXPECT_FALSE(first.makes_machine_code());
  const NvrtcLibrary second = open(KILN_FAKE_NVRTC_11_1);
  EXPECT_THAT(second.archs, ElementsAre(35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86));
  EXPECT_TRUE(second.makes_machine_code());
}

TEST_F(NvrtcLibraryTest, AReleaseWithoutMachineCodeMakesPtxAndSaysSo) {
  const CodeObject ptx = compile(KILN_FAKE_NVRTC_11_0, "sm_80");
  EXPECT_EQ(ptx.format, "ptx");
  EXPECT_THAT(ptx.binary, HasSubstr("-arch=compute_80 "));
  EXPECT_EQ(ptx.log, "PTX for compute_80: NVRTC 11.0 makes no machine code\n");
  const CodeObject cubin = compile(KILN_FAKE_NVRTC_11_1, "sm_80");
  EXPECT_EQ(cubin.format, "cubin");
  EXPECT_THAT(cubin.binary, HasSubstr("-arch=sm_80 "));
  EXPECT_THAT(cubin.binary, Not(HasSubstr("--no-cache")));  // an option of 12.9
  EXPECT_EQ(compile(KILN_FAKE_NVRTC_11_1, "sm_90").log,
            "PTX for compute_86: NVRTC 11.1 does not know sm_90\n");
}

TEST_F(NvrtcLibraryTest, OneThatCannotBeUsedIsPassedOver) {
  CudaPlaces places;
  places.library_path = {folder_with(KILN_FAKE_NVRTC_BROKEN, "libnvrtc.so.13"),
                         folder_with(KILN_FAKE_NVRTC_11_1, "libnvrtc.so.11.1")};
  EXPECT_EQ(open_nvrtc(places, *files_).version(), "11.1");
}

TEST_F(NvrtcLibraryTest, TheErrorSaysWhatWasFoundAndWhyItCannotBeUsed) {
  CudaPlaces places;
  places.nvrtc = KILN_FAKE_NVRTC_BROKEN;
  EXPECT_THAT(refusal(places), AllOf(HasSubstr(KILN_FAKE_NVRTC_BROKEN + std::string(" has no nvrtcGetPTX")),
                                     HasSubstr("NVRTC 11.0 or later")));
}

TEST_F(NvrtcLibraryTest, TheSettingMayNameTheLibrarysFolder) {
  const std::string folder = folder_with(KILN_FAKE_NVRTC_11_1, "libnvrtc.so.11.1");
  EXPECT_EQ(open(folder).version(), "11.1");
  std::filesystem::create_directory_symlink(folder, folder_ / "link");
  EXPECT_EQ(open((folder_ / "link").string()).version(), "11.1");
  CudaPlaces places;
  places.nvrtc = folder_.string();
  EXPECT_EQ(nvrtc_candidate(places, *files_), folder_.string());
  EXPECT_THAT(refusal(places),
              AllOf(HasSubstr("names a folder with none of libnvrtc.so.13, "),
                    HasSubstr(": " + folder_.string()), HasSubstr("name the library's file")));
}

}  // namespace
}  // namespace kiln::test
