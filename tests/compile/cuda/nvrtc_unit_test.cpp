#include "compile/cuda/nvrtc_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kiln/error.h"
#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<int> kSupported = {75, 80, 90, 100, 120};

std::string refusal(const std::string& arch) {
  try {
    static_cast<void>(choose_nvrtc_arch(arch, kSupported, "13.0"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

TEST(NvrtcArch, IsMachineCodeForWhatNvrtcKnows) {
  for (const std::string arch : {"sm_75", "sm_90", "sm_90a", "sm_100f"}) {
    const NvrtcArch chosen = choose_nvrtc_arch(arch, kSupported, "13.0");
    EXPECT_EQ(chosen.option, "-arch=" + arch);
    EXPECT_FALSE(chosen.ptx);
    EXPECT_EQ(chosen.note, "");
  }
}

TEST(NvrtcArch, IsPtxOfTheNewestForADeviceThatIsNewer) {
  const NvrtcArch chosen = choose_nvrtc_arch("sm_130", kSupported, "13.0");
  EXPECT_EQ(chosen.option, "-arch=compute_120");
  EXPECT_TRUE(chosen.ptx);
  EXPECT_EQ(chosen.note, "PTX for compute_120: NVRTC 13.0 does not know sm_130");
}

TEST(NvrtcArch, RefusesTheFeaturesOfOneDeviceWhereNvrtcIsTooOldForThem) {
  const std::vector<int> archs = {80, 89, 90};
  EXPECT_EQ(choose_nvrtc_arch("sm_90a", archs, "12.0").option, "-arch=sm_90a");
  for (const auto& [arch, version] : {std::pair{"sm_90a", "11.8"}, {"sm_80a", "12.9"}, {"sm_90f", "13.0"}}) {
    try {
      static_cast<void>(choose_nvrtc_arch(arch, archs, version));
      ADD_FAILURE() << arch << " with " << version;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("NVRTC " + std::string(version) + " does not know it"));
    }
  }
  EXPECT_THROW(static_cast<void>(choose_nvrtc_arch("sm_100f", kSupported, "12.8")), Error);
}

TEST(NvrtcArch, IsPtxOfTheNearestBelowForADeviceInBetween) {
  EXPECT_EQ(choose_nvrtc_arch("sm_103", kSupported, "13.0").option, "-arch=compute_100");
}

TEST(NvrtcArch, IsPtxWhereTheUserAsksForIt) {
  EXPECT_TRUE(choose_nvrtc_arch("compute_90", kSupported, "13.0").ptx);
}

TEST(NvrtcArch, RefusesWhatItDoesNotKnowAndListsWhatItDoes) {
  EXPECT_THAT(refusal("sm_70"), HasSubstr("too old"));
  for (const std::string arch : {"sm_", "sm_x", "90", "gfx90a", "sm_90b", ""}) {
    EXPECT_THAT(refusal(arch), HasSubstr("sm_75, sm_80, sm_90, sm_100, sm_120")) << arch;
  }
}

TEST(NvrtcArch, ANameThatIsNotWrittenSoIsRefusedWithTheOneThatIsMeant) {
  for (const std::string arch : {"sm_090", "90", "SM_90"}) {
    EXPECT_THAT(refusal(arch), HasSubstr("unknown architecture '" + arch +
                                         "'; did you mean 'sm_90'? NVRTC 13.0 knows sm_75"));
  }
  EXPECT_THAT(refusal("sm_091"), HasSubstr("'sm_091': NVRTC 13.0 knows")) << "sm_91 is not known";
}

Specialization small() {
  Specialization specialization;
  specialization.source_name = "axpy.cu";
  specialization.source_text = "#include <cuda_fp16.h>\n#include \"kiln/params.h\"\n#include \"mine.h\"\n";
  specialization.params_header = "#pragma once\n#include \"kiln/portable.h\"\n";
  specialization.headers = {{"mine.h", "/x/mine.h", "#pragma once\n"}};
  specialization.defines = {{"N", "3"}, {"FLAG", ""}};
  specialization.entries = {{"ns::axpy<float, 4>", std::nullopt, "256, 2"}, {"plain", std::nullopt, ""}};
  specialization.target = {"cuda", "sm_90", 32};
  return specialization;
}

TEST(NvrtcUnit, DefinesFirstAndKeepsTheLinesOfTheUsersFile) {
  const RtcUnit unit = make_nvrtc_unit(small(), "/cache/sources");
  EXPECT_THAT(unit.text, HasSubstr("#define N 3\n#define FLAG \n"));
  EXPECT_THAT(unit.text, HasSubstr("#define KILN_LAUNCH_BOUNDS_axpy __launch_bounds__(256, 2)\n"));
  EXPECT_THAT(unit.text, HasSubstr("#define KILN_LAUNCH_BOUNDS_plain\n"));
  EXPECT_THAT(unit.text, HasSubstr("\n#line 1 \"axpy.cu\"\n#include <cuda_fp16.h>\n"));
}

TEST(NvrtcUnit, HasItsHeadersInMemory) {
  const RtcUnit unit = make_nvrtc_unit(small(), "/cache/sources");
  std::vector<std::string> names;
  for (const auto& [name, text] : unit.headers) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("kiln/portable.h", "kiln/params.h", "mine.h"));
  EXPECT_THAT(unit.sources, IsEmpty());
}

TEST(NvrtcUnit, AHeaderThatIsThereIsNotReplaced) {
  RtcUnit unit = make_nvrtc_unit(small(), "");
  unit.add_header("mine.h", "another");
  unit.add_header("cmath", "math");
  ASSERT_EQ(unit.headers.size(), 4U);
  EXPECT_EQ(unit.headers[2].second, "#pragma once\n");
  EXPECT_EQ(unit.headers[3].second, "math");
}

TEST(NvrtcUnit, NamesWholePathsForAProfilerAndKeepsWhatIsInNoFile) {
  Specialization specialization = small();
  specialization.lineinfo = true;
  specialization.source_path = "/x/a \"b\"/axpy.cu";
  const RtcUnit unit = make_nvrtc_unit(specialization, "/cache/sources");
  EXPECT_THAT(unit.text, HasSubstr("\n#line 1 \"/x/a \\\"b\\\"/axpy.cu\"\n#include <cuda_fp16.h>\n"));
  EXPECT_EQ(unit.headers[2].second, "#line 1 \"/x/mine.h\"\n#pragma once\n");
  ASSERT_EQ(unit.sources.size(), 2U);
  EXPECT_EQ(unit.sources[1].second, specialization.params_header);
  EXPECT_THAT(unit.sources[1].first.string(),
              AllOf(StartsWith("/cache/sources/"), EndsWith("/kiln/params.h")));
  EXPECT_EQ(unit.headers[1].second,
            "#line 1 \"" + unit.sources[1].first.string() + "\"\n" + specialization.params_header);
}

TEST(NvrtcCache, IsThereSince12Point9) {
  EXPECT_FALSE(has_own_cache("11.8"));
  EXPECT_FALSE(has_own_cache("12.8"));
  EXPECT_TRUE(has_own_cache("12.9"));
  EXPECT_TRUE(has_own_cache("13.0"));
}

TEST(NvrtcMinimal, IsForTextsThatNameNothingOfWhatItLeavesOut) {
  Specialization plain = small();
  EXPECT_FALSE(may_be_minimal(plain, "13.0"));  // its header
  plain.source_text = "__global__ void context(float* texture) {}\n";
  EXPECT_FALSE(may_be_minimal(plain, "13.0"));
  plain.source_text = "__global__ void context(float* out) {}\n";
  EXPECT_TRUE(may_be_minimal(plain, "13.0"));
  EXPECT_TRUE(may_be_minimal(plain, "12.4"));
  EXPECT_FALSE(may_be_minimal(plain, "12.3"));
  EXPECT_FALSE(may_be_minimal(plain, "11.8"));
  for (const char* text :
       {"cudaError_t e;", "tex2D<float>(t, 0, 0);", "surf1Dread(&x, s, 0);", "f<<<1, 1>>>();"}) {
    Specialization more = plain;
    more.source_text += text;
    EXPECT_FALSE(may_be_minimal(more, "13.0")) << text;
    more = plain;
    more.headers.push_back({"h.h", "/h.h", text});
    EXPECT_FALSE(may_be_minimal(more, "13.0")) << text;
    more = plain;
    more.defines.emplace_back("X", text);
    EXPECT_FALSE(may_be_minimal(more, "13.0")) << text;
  }
  Specialization unseen = plain;
  unseen.unseen_headers = {"cuda_fp16.h"};
  EXPECT_FALSE(may_be_minimal(unseen, "13.0"));
}

TEST(NvrtcOptions, AreKilnsThenTheUsers) {
  Specialization specialization = small();
  specialization.fast_math = true;
  specialization.include_directories = {"/x"};
  specialization.options = {"-lineinfo"};
  EXPECT_THAT(
      nvrtc_options(specialization, {"-arch=sm_90", false, ""}, {"/cuda/include"}),
      ElementsAre("--std=c++17", "-arch=sm_90", "--use_fast_math", "-I/x", "-I/cuda/include", "-lineinfo"));
}

TEST(NvrtcOptions, HaveLineInformationOnce) {
  Specialization specialization = small();
  specialization.lineinfo = true;
  const NvrtcArch arch{"-arch=sm_90", false, ""};
  EXPECT_THAT(nvrtc_options(specialization, arch, {}),
              ElementsAre("--std=c++17", "-arch=sm_90", "-lineinfo"));
  specialization.options = {"--generate-line-info"};
  EXPECT_THAT(nvrtc_options(specialization, arch, {}), Not(Contains("-lineinfo")));
}

TEST(NvrtcOptions, LeaveTheStandardToTheUser) {
  Specialization specialization = small();
  specialization.options = {"-std=c++20"};
  EXPECT_THAT(nvrtc_options(specialization, {"-arch=sm_90", false, ""}, {}),
              ElementsAre("-arch=sm_90", "-std=c++20"));
}

TEST(NvrtcOptions, NameTheArchitectureOnceInWhateverSpelling) {
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"-arch=sm_90a"},
                             {"-arch", "sm_90a"},
                             {"--gpu-architecture=sm_90a"},
                             {"--gpu-architecture", " sm_90a"}}) {
    Specialization specialization = small();
    specialization.options = words;
    specialization.options.emplace_back("-G");
    EXPECT_EQ(compiled_arch(specialization), "sm_90a");
    EXPECT_THAT(nvrtc_options(specialization, {"-arch=sm_90a", false, ""}, {}),
                ElementsAre("--std=c++17", "-arch=sm_90a", "-G"));
  }
}

TEST(CompiledArch, IsTheTargetsAndAnotherOneIsRefused) {
  Specialization specialization = small();
  EXPECT_EQ(compiled_arch(specialization), "sm_90");
  for (const std::string option :
       {"-arch=sm_80", "-arch=sm_80a", "-arch=compute_90", "-arch=sm_900", "-arch"}) {
    specialization.options = {option};
    const std::string message = bad_input_of([&] { static_cast<void>(compiled_arch(specialization)); });
    EXPECT_THAT(message, StartsWith("axpy.cu: the option '" + option + "' is not for sm_90: ")) << option;
  }
}

}  // namespace
}  // namespace kiln::test
