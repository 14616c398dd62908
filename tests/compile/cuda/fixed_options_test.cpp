#include "workload/cuda_options.h"

#include <gtest/gtest.h>

#include "support/error_matchers.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void check(const std::string& list) {
  refuse_fixed_cuda_options(YamlNode::parse("options:\n  " + list + "\n", "axpy.yaml").at("options"));
}

TEST(CudaOptions, AnotherArchitectureIsRefusedAtItsPlaceInEachSpelling) {
  for (const std::string option :
       {"-arch=compute_80", "-arch=sm_80", "-arch", "--gpu-architecture=sm_80", "--gpu-architecture",
        "' -arch=sm_80'", "-arch=", "-arch=sm_a", "-code=sm_80", "-gencode"}) {
    const std::string message = bad_input_of([&] { check("[-G, " + option + ", sm_80]"); });
    EXPECT_THAT(message, AllOf(StartsWith("axpy.yaml:2:8: options[1]: "), HasSubstr("`kiln compile --arch`")))
        << option;
  }
}

TEST(CudaOptions, WhatMakesNoMachineCodeIsRefused) {
  for (const std::string option : {"-dlto", "--dlink-time-opt", "-optix-ir", "--optix-ir", "-ptx", "--cubin",
                                   "-fdevice-syntax-only", "--fdevice-syntax-only"}) {
    EXPECT_THAT(
        bad_input_of([&] { check("[" + option + "]"); }),
        AllOf(StartsWith("axpy.yaml:2:4: options[0]: '" + option + "'"), HasSubstr("leave the option out")));
    EXPECT_THAT(bad_input_of([&] { check(option); }), StartsWith("axpy.yaml:2:3: options: '" + option + "'"));
  }
}

TEST(CudaOptions, TheDevicesOwnFeaturesAndAllOthersAreTheUsers) {
  EXPECT_NO_THROW(check("[-arch=sm_90a, -lineinfo, --ptxas-options=-O1, -march=native, -std=c++20]"));
  EXPECT_NO_THROW(check("[--gpu-architecture, sm_100f, -DARCH=sm_80]"));
}

TEST(CudaOptions, AnArchitectureStandsInOneWordOrTwo) {
  EXPECT_EQ(arch_option({"-arch=sm_90a"}, 0).arch, "sm_90a");
  EXPECT_EQ(arch_option({"-arch=sm_90a", "-G"}, 0).words, 1U);
  EXPECT_EQ(arch_option({"-G", "-arch", "sm_90a"}, 1).arch, "sm_90a");
  EXPECT_EQ(arch_option({"-G", "-arch", "sm_90a"}, 1).words, 2U);
  EXPECT_EQ(arch_option({"-G"}, 0).words, 0U);
}

}  // namespace
}  // namespace kiln::test
