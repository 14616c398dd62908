#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/process.h"
#include "support/cpu_kernels.h"

namespace kiln::test {

/// Each test with each compiler that this machine has.
class CpuKernel : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!make_process_runner()->find_program(GetParam()))
      GTEST_SKIP() << "this machine has no " << GetParam();
  }

  CpuKernels kernels_{GetParam()};
};

}  // namespace kiln::test
