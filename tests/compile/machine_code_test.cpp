#include "compile/machine_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/cpu/cpu_compiler.h"
#include "support/cpu_kernels.h"
#include "support/fake_process_runner.h"

namespace kiln::test {
namespace {

constexpr const char* kSum =
    "extern \"C\" __global__ void sum(float* a, int n) {\n  float s = 0;\n"
    "  for (int i = 0; i < n; ++i) s += a[i];\n  a[threadIdx.x] = s;\n}\n"
    "extern \"C\" __global__ void one(float* a) { a[threadIdx.x] = 1; }\n";

class SharedObjectCode : public ::testing::Test {
 protected:
  CodeObject compile(const std::vector<std::string>& entries) {
    Specialization specialization = kernels_.specialize(kSum, entries.front());
    for (std::size_t i = 1; i < entries.size(); ++i)
      specialization.entries.push_back({entries[i], std::nullopt, ""});
    return kernels_.compile(specialization);
  }

  CpuKernels kernels_;
  Target target_{"cpu", "x86-64", 32};
};

TEST_F(SharedObjectCode, IsThatOfAllKernelsOfAUnit) {
  const auto processes = make_process_runner();
  if (!processes->find_program("objdump")) GTEST_SKIP() << "this machine has no objdump";
  const Disassembly disassembly{*processes, kernels_.files(), kernels_.scratch()};
  const auto one = machine_code(compile({"one"}), target_, disassembly);
  const auto both = machine_code(compile({"one", "sum"}), target_, disassembly);
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].kernel, "one, sum");
  EXPECT_LT(one[0].bytes, both[0].bytes);
  ASSERT_TRUE(one[0].instructions && both[0].instructions);
  EXPECT_LT(*one[0].instructions, *both[0].instructions);
  constexpr std::uint64_t kLongest = 15;  // bytes of an x86 instruction
  EXPECT_LE(*one[0].instructions, one[0].bytes);
  EXPECT_GE(*one[0].instructions * kLongest, one[0].bytes);
}

TEST_F(SharedObjectCode, WithoutADisassemblerHasASizeOnly) {
  FakeProcessRunner none;
  const auto found = machine_code(compile({"one"}), target_, {none, kernels_.files(), kernels_.scratch()});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_GT(found[0].bytes, 0U);
  EXPECT_FALSE(found[0].instructions);
}

TEST_F(SharedObjectCode, ADisassemblerThatFailsTellsNoCount) {
  FakeProcessRunner failing([](const Command&) { return FakeProcessRunner::exited(1); });
  failing.add_program("objdump", "/usr/bin/objdump");
  const auto found = machine_code(compile({"one"}), target_, {failing, kernels_.files(), kernels_.scratch()});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].instructions);
}

TEST_F(SharedObjectCode, WhatIsNoMachineCodeWeighsNothing) {
  FakeProcessRunner none;
  const Disassembly disassembly{none, kernels_.files(), kernels_.scratch()};
  for (const char* format : {"ptx", "cubin", "shared_object", "code_object"}) {
    CodeObject object;
    object.format = format;
    object.binary = "no ELF";
    object.lowered_names = {{"f", "f"}};
    EXPECT_TRUE(machine_code(object, target_, disassembly).empty()) << format;
    object.binary = compile({"one"}).binary.substr(0, 100);
    EXPECT_TRUE(machine_code(object, target_, disassembly).empty()) << format;
  }
}

}  // namespace
}  // namespace kiln::test
