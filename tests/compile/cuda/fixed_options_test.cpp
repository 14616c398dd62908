#include "compile/cuda/fixed_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::HasSubstr;

TEST(FixedCudaOptions, AnotherArchitectureIsRefusedAtItsPlaceInEachSpelling) {
  for (const std::string option :
       {"-arch=compute_80", "-arch=sm_80", "-arch", "--gpu-architecture=sm_80", "--gpu-architecture",
        " -arch=sm_80", "-arch=", "-arch=sm_a", "-code=sm_80", "-gencode"}) {
    const auto refused = find_fixed_cuda_option({"-G", option, "sm_80"});
    ASSERT_TRUE(refused) << option;
    EXPECT_EQ(refused->at, 1U) << option;
    EXPECT_THAT(refused->why, HasSubstr("`kiln compile --arch`")) << option;
  }
}

TEST(FixedCudaOptions, WhatMakesNoMachineCodeIsRefused) {
  for (const std::string option : {"-dlto", "--dlink-time-opt", "-optix-ir", "--optix-ir", "-ptx", "--cubin",
                                   "-fdevice-syntax-only", "--fdevice-syntax-only"}) {
    const auto refused = find_fixed_cuda_option({option});
    ASSERT_TRUE(refused) << option;
    EXPECT_THAT(refused->why, HasSubstr("leave the option out")) << option;
  }
}

TEST(FixedCudaOptions, TheDevicesOwnFeaturesAndAllOthersAreTheUsers) {
  EXPECT_FALSE(find_fixed_cuda_option(
      {"-arch=sm_90a", "-lineinfo", "--ptxas-options=-O1", "-march=native", "-std=c++20"}));
  EXPECT_FALSE(find_fixed_cuda_option({"--gpu-architecture", "sm_100f", "-DARCH=sm_80"}));
}

TEST(FixedCudaOptions, AnArchitectureStandsInOneWordOrTwo) {
  EXPECT_EQ(arch_option({"-arch=sm_90a"}, 0).arch, "sm_90a");
  EXPECT_EQ(arch_option({"-arch=sm_90a", "-G"}, 0).words, 1U);
  EXPECT_EQ(arch_option({"-G", "-arch", "sm_90a"}, 1).arch, "sm_90a");
  EXPECT_EQ(arch_option({"-G", "-arch", "sm_90a"}, 1).words, 2U);
  EXPECT_EQ(arch_option({"-G"}, 0).words, 0U);
}

}  // namespace
}  // namespace kiln
