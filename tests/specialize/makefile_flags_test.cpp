#include "specialize/makefile_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(MakefileFlags, AreReadFromVariablesAndRecipes) {
  const MakefileFlags flags = read_makefile_flags(
      "CC = nvcc\n"
      "CFLAGS := -std=c++17 -DTILE=32 \\\n  -I../include -D VERBOSE # -DIN_A_COMMENT\n"
      "prog: main.cu\n\t$(CC) $(CFLAGS) -DREAL=double -I ../common -I../include main.cu -o $@\n");
  EXPECT_THAT(flags.defines, ElementsAre(Pair("REAL", "double"), Pair("TILE", "32"), Pair("VERBOSE", "1")));
  EXPECT_THAT(flags.folders, ElementsAre("../include", "../common"));
}

TEST(MakefileFlags, ConditionalsAreNotRead) {
  const MakefileFlags flags = read_makefile_flags(
      "ifeq ($(DEBUG),yes)\n  CFLAGS += -g -DDEBUG\nifdef MORE\nCFLAGS += -DMORE\nendif\nelse\n"
      "CFLAGS += -DNDEBUG\nendif\nCFLAGS += -DLAST\n");
  EXPECT_THAT(flags.defines, ElementsAre(Pair("LAST", "1")));
}

TEST(MakefileFlags, SwitchesOfTheGpuAreOn) {
  const auto names = [](const std::string& text) {
    std::string found;
    for (const auto& [name, value] : read_makefile_flags(text).defines) found += name + " ";
    return found;
  };
  EXPECT_EQ(
      names("GPU=0\nifeq ($(GPU), 1)\nCFLAGS+= -DGPU\nifeq ($(CUDNN), 1)\nF += -DCUDNN\nendif\nendif\n"),
      "GPU ");
  EXPECT_EQ(names("ifdef USE_CUDA\nF = -DA\nelse\nF = -DB\nendif\n"), "A ");
  EXPECT_EQ(names("ifndef USE_CUDA\nF = -DA\nelse\nF = -DB\nendif\n"), "B ");
  EXPECT_EQ(names("ifneq ($(CUDA),OFF)\nF = -DA\nendif\nifeq ($(CUDA),OFF)\nF = -DB\nelse\nF = -DC\nendif\n"),
            "A C ");
  EXPECT_EQ(names("ifdef NO_CUDA\nF = -DA\nendif\nifeq ($(CUDA_DEBUG),1)\nF = -DB\nendif\n"), "");
  EXPECT_EQ(names("ifdef ENABLE_GPU\nF = -DA\nendif\nifeq ($(CUDA_ENABLED),ON)\nF += -DB\nendif\n"), "A B ");
  EXPECT_EQ(names("ifeq ($(GPU_ARCH),sm_80)\nF = -DA\nelse\nF = -DB\nendif\n"), "");
  EXPECT_EQ(names("ifeq ($(GPU),0)\nF = -DA\nelse ifeq ($(FAST),1)\nF = -DB\nelse\nF = -DC\nendif\n"), "");
}

TEST(MakefileFlags, VariablesAreExpandedAndTheRestOfMakeIsPassedOver) {
  const MakefileFlags flags = read_makefile_flags(
      "N ?= 4\nROOT = ../src\nLOOP = $(LOOP)\n"
      "FLAGS = -DORDER=$(N) -I${ROOT}/inc -I$(MPI_ROOT)/include -DARCH=$(shell uname) -DX=$(LOOP)\n"
      "FLAGS += -DNAME='\"text\"' -D9 -D\n");
  EXPECT_THAT(flags.defines, ElementsAre(Pair("ORDER", "4")));
  EXPECT_THAT(flags.folders, ElementsAre("../src/inc"));
}

TEST(MakefileFlags, FollowTheEqualsSignWithOrWithoutSpaces) {
  for (const char* text :
       {"F=-DN=4 -Iinc\n", "F =-DN=4 -Iinc\n", "F= -DN=4 -I inc\n", "F := -D N=4 -Iinc\n"}) {
    const MakefileFlags flags = read_makefile_flags(text);
    EXPECT_THAT(flags.defines, ElementsAre(Pair("N", "4"))) << text;
    EXPECT_THAT(flags.folders, ElementsAre("inc")) << text;
  }
}

TEST(MakefileFlags, VariablesThatExpandManyTimesEnd) {
  std::string text = "A0 =\n";
  for (int depth = 1; depth < 8; ++depth) {
    text += "A" + std::to_string(depth) + " =";
    for (int i = 0; i < 1000; ++i) text += " $(A" + std::to_string(depth - 1) + ")";
    text += "\n";
  }
  EXPECT_THAT(read_makefile_flags("F = -DN=1\n" + text + "all:\n\tcc $(A7)\n").defines,
              ElementsAre(Pair("N", "1")));
}

TEST(MakefileFlags, OfTwoValuesTheLastCounts) {
  EXPECT_THAT(read_makefile_flags("A = -DN=1\nB = -DN=2\n").defines, ElementsAre(Pair("N", "2")));
  EXPECT_THAT(read_makefile_flags("").defines, IsEmpty());
  EXPECT_THAT(read_makefile_flags("all:\\\n").folders, IsEmpty());
}

}  // namespace
}  // namespace kiln
