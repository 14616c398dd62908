#include "device/hip/code_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hip_shim/code_object_writer.h"

namespace kiln::test {
namespace {

using ::testing::HasSubstr;

std::string small() {
  return hip_shim::write_code_object("gfx90a:xnack-", 64, {{"f", 36, 512, 16, 256, {8, 1, 24}}}, "code");
}

std::string problem_of(const std::string& binary) {
  const auto read = read_code_object(binary);
  const auto* problem = std::get_if<std::string>(&read);
  return problem == nullptr ? "" : *problem;
}

TEST(HipCodeObject, TellsItsIsaAndItsKernels) {
  const std::string binary = small();
  const auto read = read_code_object(binary);
  ASSERT_TRUE(std::holds_alternative<HipCodeObject>(read)) << std::get<std::string>(read);
  const auto& object = std::get<HipCodeObject>(read);
  EXPECT_EQ(object.isa, "gfx90a:xnack-");
  ASSERT_TRUE(object.kernels.contains("f"));
  const CodeObjectKernel& kernel = object.kernels.at("f");
  EXPECT_EQ(kernel.wavefront_size, 64);
  EXPECT_EQ(kernel.attributes.registers, 36);
  EXPECT_EQ(kernel.attributes.static_shared_bytes, 512u);
  EXPECT_EQ(kernel.attributes.local_bytes, 16u);
  EXPECT_EQ(kernel.attributes.max_threads_per_block, 256u);
  EXPECT_EQ(kernel.attributes.binary_bytes, binary.size());
  EXPECT_EQ(kernel.attributes.parameter_bytes, (std::vector<std::size_t>{8, 1, 24}));
}

TEST(HipCodeObject, LeavesOutAKernelWithoutASymbol) {
  std::string binary = small();
  const std::size_t symbol = binary.find(std::string("\0f.kd\0", 6));
  ASSERT_NE(symbol, std::string::npos);
  binary[symbol + 1] = 'g';
  const auto read = read_code_object(binary);
  EXPECT_TRUE(std::get<HipCodeObject>(read).kernels.empty());
}

TEST(HipCodeObject, RefusesOtherFiles) {
  EXPECT_THAT(problem_of(""), HasSubstr("not an ELF file"));
  EXPECT_THAT(problem_of("__CLANG_OFFLOAD_BUNDLE__"), HasSubstr("not an ELF file"));
  std::string other = small();
  other[18] = 62;  // e_machine: x86-64
  EXPECT_THAT(problem_of(other), HasSubstr("machine 62, not for an AMD GPU (224)"));
  std::string silent = small();
  silent.replace(silent.find("AMDGPU"), 6, "nobody");
  EXPECT_THAT(problem_of(silent), HasSubstr("no metadata"));
  std::string nameless = small();
  nameless.replace(nameless.find("amdhsa.target"), 13, "amdhsa.tarjet");
  EXPECT_THAT(problem_of(nameless), HasSubstr("names no ISA"));
  std::string formless = small();
  formless.replace(formless.find(".vgpr_count"), 11, ".vgpr_kount");
  EXPECT_THAT(problem_of(formless), HasSubstr("metadata is of another form"));
}

TEST(HipCodeObject, IsRefusedWhereverItIsCutShort) {
  const std::string whole = small();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(problem_of(whole.substr(0, length)), "") << length << " of " << whole.size() << " bytes";
  }
}

TEST(HipCodeObject, SurvivesAnyChangedByte) {
  const std::string whole = small();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0xff);
    static_cast<void>(read_code_object(changed));  // under the sanitizers: no access outside
  }
}

TEST(HipIsa, FitsTheSameProcessorWithNoFeatureSetOtherwise) {
  EXPECT_TRUE(isa_fits("gfx90a", "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(isa_fits("gfx90a:xnack-", "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(isa_fits("gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(isa_fits("gfx90a:xnack+", "gfx90a:sramecc+:xnack-"));
  EXPECT_FALSE(isa_fits("gfx906", "gfx908"));
  EXPECT_FALSE(isa_fits("gfx90a:xnack-", "gfx90a"));
}

TEST(HipIsa, HasWavefrontsOf64UpToGfx9) {
  for (const char* isa :
       {"gfx600", "gfx803", "gfx906", "gfx90a:xnack-", "gfx942", "gfx950", "gfx9-4-generic"})
    EXPECT_EQ(wavefront_size(isa), 64) << isa;
  for (const char* isa : {"gfx1010", "gfx1030", "gfx1103", "gfx1201", "gfx10-3-generic", "gfx11-generic"})
    EXPECT_EQ(wavefront_size(isa), 32) << isa;
}

}  // namespace
}  // namespace kiln::test
