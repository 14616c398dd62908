#include "specialize/build_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(BuildFlags, AreReadFromVariablesAndRecipes) {
  const BuildFlags flags = read_makefile_flags(
      "CC = nvcc\n"
      "CFLAGS := -std=c++17 -DTILE=32 \\\n  -I../include -D VERBOSE # -DIN_A_COMMENT\n"
      "prog: main.cu\n\t$(CC) $(CFLAGS) -DREAL=double -I ../common -I../include main.cu -o $@\n");
  EXPECT_THAT(flags.defines, ElementsAre(Pair("REAL", "double"), Pair("TILE", "32"), Pair("VERBOSE", "1")));
  EXPECT_THAT(flags.folders, ElementsAre("../include", "../common"));
}

TEST(BuildFlags, HeadersThatARecipePutsInFrontAreRead) {
  const auto in_front = [](const std::string& text) { return read_makefile_flags(text, "k.cu").in_front; };
  const std::string rule = "S = src\n%.o: %.cu $(S)/real.h more.h\n\tnvcc -c $< -o $@ -include ";
  EXPECT_THAT(in_front(rule + "$(word 2,$^) -include more.h\n"), ElementsAre("src/real.h", "more.h"));
  EXPECT_THAT(in_front("k.o: k.cu\n\tnvcc -c $< -include a.h\nx.o: x.cu\n\tnvcc -c $< -include b.h\n"),
              ElementsAre("a.h"));
  EXPECT_THAT(in_front(".cu.o:\n\tnvcc -c $< -include a.h\n"), ElementsAre("a.h"));
  EXPECT_THAT(in_front("%.o: %.c a.h\n\tcc -c $< -include a.h\n-include k.cu\nF = -include b.h\n"),
              IsEmpty());
  EXPECT_THAT(in_front(rule + "$(word 9,$^) $(word 1,$^\n"), IsEmpty());
}

TEST(BuildFlags, MacrosOfSetupAreRead) {
  const BuildFlags flags = read_setup_flags(
      "macros['gcc'] = [('OTHER', '1')]\nmacros['nvcc']['single']= [('REAL', 'float'), # (\n  ('NVCC', "
      "None)]\n"
      "macros['nvcc']['double'] = [('REAL', 'double')]\ndefine_macros += [('N', 4)]\n"
      "macros['cuda'].append(('TEXT', '\"x\"'))\ne = Extension(name='a', define_macros=[(\"M\", \"2\"), (X, "
      "f())]\n");
  EXPECT_THAT(flags.defines,
              ElementsAre(Pair("M", "2"), Pair("N", "4"), Pair("NVCC", "1"), Pair("REAL", "float")));
  EXPECT_EQ(flags.lines.at("REAL"), 2);
  for (const char* text :
       {"macros", "macros[", "macros = [", "macros = [('A", "macros = [('A',", "define_macros=[('A', 'b"})
    EXPECT_THAT(read_setup_flags(text).defines, IsEmpty()) << text;
}

TEST(BuildFlags, ConditionalsAreNotRead) {
  const BuildFlags flags = read_makefile_flags(
      "ifeq ($(DEBUG),yes)\n  CFLAGS += -g -DDEBUG\nifdef MORE\nCFLAGS += -DMORE\nendif\nelse\n"
      "CFLAGS += -DNDEBUG\nendif\nCFLAGS += -DLAST\n");
  EXPECT_THAT(flags.defines, ElementsAre(Pair("LAST", "1")));
}

TEST(BuildFlags, SwitchesOfTheGpuAreOn) {
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
  EXPECT_EQ(
      names("CMAKE_FLAGS = -DA=1\nall:\n\tcd build && cmake -DUSE_CUDA=OFF -DB=ON ..\n\tnvcc -DC x.cu\n"),
      "C ");
  EXPECT_EQ(names("ifdef ENABLE_GPU\nF = -DA\nendif\nifeq ($(CUDA_ENABLED),ON)\nF += -DB\nendif\n"), "A B ");
  EXPECT_EQ(names("ifdef MYLIB_USE_CUDA\nF = -DA\nendif\nifdef USE_CUDA_TOOLKIT\nF += -DB\nendif\n"), "A B ");
  EXPECT_EQ(names("ifdef NO_USE_CUDA\nF = -DA\nendif\nifdef MYLIB_CUDA\nF += -DB\nendif\n"), "");
  EXPECT_EQ(names("ifeq ($(GPU_ARCH),sm_80)\nF = -DA\nelse\nF = -DB\nendif\n"), "");
  EXPECT_EQ(names("ifeq ($(GPU),0)\nF = -DA\nelse ifeq ($(FAST),1)\nF = -DB\nelse\nF = -DC\nendif\n"), "");
}

TEST(BuildFlags, VariablesAreExpandedAndTheRestOfMakeIsPassedOver) {
  const BuildFlags flags = read_makefile_flags(
      "N ?= 4\nROOT = ../src\nLOOP = $(LOOP)\n"
      "FLAGS = -DORDER=$(N) -I${ROOT}/inc -I$(MPI_ROOT)/include -DARCH=$(shell uname) -DX=$(LOOP)\n"
      "FLAGS += -DNAME='\"text\"' -D9 -D\n");
  EXPECT_THAT(flags.defines, ElementsAre(Pair("ORDER", "4")));
  EXPECT_THAT(flags.folders, ElementsAre("../src/inc"));
}

TEST(BuildFlags, FollowTheEqualsSignWithOrWithoutSpaces) {
  for (const char* text :
       {"F=-DN=4 -Iinc\n", "F =-DN=4 -Iinc\n", "F= -DN=4 -I inc\n", "F := -D N=4 -Iinc\n"}) {
    const BuildFlags flags = read_makefile_flags(text);
    EXPECT_THAT(flags.defines, ElementsAre(Pair("N", "4"))) << text;
    EXPECT_THAT(flags.folders, ElementsAre("inc")) << text;
  }
}

TEST(BuildFlags, VariablesThatExpandManyTimesEnd) {
  std::string text = "A0 =\n";
  for (int depth = 1; depth < 8; ++depth) {
    text += "A" + std::to_string(depth) + " =";
    for (int i = 0; i < 1000; ++i) text += " $(A" + std::to_string(depth - 1) + ")";
    text += "\n";
  }
  EXPECT_THAT(read_makefile_flags("F = -DN=1\n" + text + "all:\n\tcc $(A7)\n").defines,
              ElementsAre(Pair("N", "1")));
}

TEST(BuildFlags, OfTwoValuesTheLastCounts) {
  EXPECT_THAT(read_makefile_flags("A = -DN=1\nB = -DN=2\n").defines, ElementsAre(Pair("N", "2")));
  EXPECT_THAT(read_makefile_flags("").defines, IsEmpty());
  EXPECT_THAT(read_makefile_flags("all:\\\n").folders, IsEmpty());
}

TEST(CMakeFlags, AreReadFromItsCommands) {
  struct Case {
    const char* text;
    const char* macros;   // NAME=value:line
    const char* folders;  // folder:line
  };
  for (const Case& one : std::initializer_list<Case>{
           {"# add_definitions(-DCOMMENT)\n#[[ add_definitions(-DA)\n]]\nadd_definitions(-DTILE=32\n  "
            "-DFAST)\n",
            "FAST=1:4 TILE=32:4 ", ""},
           {"ADD_COMPILE_DEFINITIONS(A B=2 -DC=3)", "A=1:1 B=2:1 C=3:1 ", ""},
           {"set(N 16 CACHE STRING \"size\")\nadd_compile_options(-DN=${N} -DM=${UNKNOWN})", "N=16:2 ", ""},
           {"set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -O3 -DREAL=double -I/opt/x\")", "REAL=double:1 ",
            "/opt/x:1 "},
           {"list(APPEND CUDA_NVCC_FLAGS \"-DA;-DB\")", "A=1:1 B=1:1 ", ""},
           {"add_definitions(-DNAME=\\\"text\\\" -D9)", "", ""},
           {"include_directories(SYSTEM ${CMAKE_SOURCE_DIR}/inc ${X}/no)", "", "/p/inc:1 "},
           {"project(Demo CUDA)\ntarget_include_directories(app PRIVATE "
            "$<BUILD_INTERFACE:${Demo_SOURCE_DIR}/a> b)",
            "", "/p/src/a:2 b:2 "},
           {"add_executable(one one.cu)\nadd_executable(two src/two.cu)\ntarget_compile_definitions(one "
            "PUBLIC N=1)\n"
            "target_compile_definitions(two PUBLIC N=2)\ntarget_compile_definitions(one PUBLIC N=3)",
            "N=2:4 ", ""},
           {"target_compile_definitions(lib PUBLIC N=1 $<$<CONFIG:Debug>:DEBUG>)", "N=1:1 ", ""},
           {"target_compile_definitions(lib PUBLIC $<$<BOOL:${LIB_USE_CUDA}>:A B> $<$<BOOL:${LIB_USE_MPI}>:C "
            "D>)",
            "A=1:1 B=1:1 ", ""},
           {"set(FAST OFF)\nset(WIDE ON)\nadd_compile_definitions($<$<BOOL:${FAST}>:A>)\n"
            "add_compile_definitions($<$<BOOL:${WIDE}>:B=2>)",
            "B=2:4 ", ""},
           {"if(USE_CUDA)\nadd_definitions(-DA)\nelse()\nadd_definitions(-DB)\nendif()", "A=1:2 ", ""},
           {"if(NOT CUDA_FOUND)\nadd_definitions(-DA)\nelse()\nadd_definitions(-DB)\nendif()", "B=1:4 ", ""},
           {"if(WIN32)\nadd_definitions(-DA)\ninclude_directories(w)\nelseif(USE_GPU)\nadd_definitions(-DB)"
            "\nendif()",
            "", "w:3 "},
           {"option(DOUBLE \"doc\" ON)\noption(DEBUG \"doc\")\nif(DOUBLE)\nadd_definitions(-DD)\nendif()\n"
            "if(DEBUG)\nadd_definitions(-DE)\nelse()\nadd_definitions(-DF)\nendif()",
            "D=1:4 F=1:9 ", ""},
           {"if((A OR B) AND C)\nadd_definitions(-DA)\nendif()\nadd_definitions(-DB)", "B=1:4 ", ""},
           {"if(BUILD_TESTS)\nadd_executable(t two.cu)\ntarget_compile_definitions(t PRIVATE N=1)\nelse()\n"
            "add_definitions(-DB)\nendif()\nif(OTHER)\nadd_definitions(-DC)\nendif()",
            "N=1:3 ", ""},
           {"if(MPI)\nadd_executable(t one.cu)\nelse()\nadd_executable(u "
            "two.cu)\nadd_definitions(-DB)\nendif()",
            "B=1:5 ", ""},
           {"if(MPI)\nadd_executable(t two.cu)\nadd_definitions(-DA)\nelse()\nadd_executable(u two.cu)\n"
            "add_definitions(-DB)\nendif()",
            "", ""},
           {"if(USE_CUDA)\nif(T)\nadd_executable(t two.cu)\nadd_definitions(-DA)\nendif()\nelse()\nif(T)\n"
            "add_executable(u two.cu)\nadd_definitions(-DB)\nendif()\nendif()",
            "A=1:4 ", ""},
           {"add_definitions(-DA", "A=1:1 ", ""},
           {"add_definitions(\"-DA", "A=1:1 ", ""},
           {"endif() else() set() target_include_directories() (", "", ""}}) {
    const BuildFlags flags = read_cmake_flags({one.text, "/p/src", "/p", "two.cu"});
    std::string macros, folders;
    for (const auto& [name, value] : flags.defines)
      macros += name + "=" + value + ":" + std::to_string(flags.lines.at(name)) + " ";
    for (const std::string& folder : flags.folders)
      folders += folder + ":" + std::to_string(flags.lines.at("-I" + folder)) + " ";
    EXPECT_EQ(macros, one.macros) << one.text;
    EXPECT_EQ(folders, one.folders) << one.text;
  }
}

TEST(CMakeFlags, ItsVariablesAreKnown) {
  const BuildFlags flags =
      read_cmake_flags({"project(Demo VERSION 1.2 LANGUAGES CXX)\noption(FAST \"doc\" ON)\nset(SIZE 16)\n",
                        "/p/src", "/p", "two.cu"});
  const std::map<std::string, std::string>& variables = flags.variables;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"Demo_VERSION", "1.2"},
                                                                      {"PROJECT_VERSION_MAJOR", "1"},
                                                                      {"Demo_VERSION_MINOR", "2"},
                                                                      {"FAST", "ON"},
                                                                      {"SIZE", "16"}}) {
    ASSERT_TRUE(variables.contains(name)) << name;
    EXPECT_EQ(variables.at(name), value) << name;
  }
}

TEST(SetupFlags, SignsInStringsAreNoComments) {
  const BuildFlags flags =
      read_setup_flags("define_macros=[('HASH', '#5'), ('PAIR', '(]'),\n  ('N', '4')]\n");
  EXPECT_THAT(flags.defines, ElementsAre(Pair("HASH", "#5"), Pair("N", "4"), Pair("PAIR", "(]")));
  EXPECT_EQ(flags.lines.at("N"), 2);
}

}  // namespace
}  // namespace kiln
