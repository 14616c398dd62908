#include "compile/reduced_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Specialization program() {
  Specialization spec;
  spec.source_name = "program.cu";
  spec.source_text = "#include \"host.h\"\n__global__ void k(float* a) { a[0] = 1; }\n";
  spec.headers.push_back({"host.h", "/project/host.h",
                          "#include <GL/glew.h>\nstruct Window {\n  GLuint id;\n};\nstruct Config {\n"
                          "  Window window;\n};\n__device__ float f(float x) {\n  return y;\n}\n"});
  spec.unseen_headers = {"GL/glew.h"};
  spec.left_out = {"program.cu: main"};
  return spec;
}

/// A compiler that gives the logs in order, and then code.
struct Answers {
  std::vector<std::string> logs;
  std::vector<Specialization> seen = {};
  CompileResult operator()(const Specialization& one) {
    seen.push_back(one);
    if (seen.size() > logs.size()) return CodeObject();
    const std::string& log = logs[seen.size() - 1];
    return Diagnostic{log.substr(0, log.find('\n')), log, "", false};
  }
};

TEST(ReducedProgram, LinesOfErrorsAreThoseOfAnyCompiler) {
  const auto lines = error_lines_in(
      "In file included from program.cu:1:\n/p/host.h:3:5: error: 'A' does not name a type\n"
      "    3 |   A a;\nhost.h(12): error: identifier \"FILE\" is undefined\nhost.h(13): warning #177-D: "
      "unused\n"
      "/p/gl.h(4): catastrophic error: cannot open source file \"x.h\"\nq.h(7): error #20: no\n"
      "a:b.h:9:1: fatal error: x.h: No such file or directory\nld: error: no place\n");
  std::vector<std::string> written;
  for (const TextLine& line : lines) written.push_back(line.file + " " + std::to_string(line.line));
  EXPECT_THAT(written, ElementsAre("/p/host.h 3", "host.h 12", "/p/gl.h 4", "q.h 7", "a:b.h 9"));
}

TEST(ReducedProgram, HostCodeWithErrorsIsLeftOutStepByStep) {
  Answers answers{{"host.h(3): error: identifier \"GLuint\" is undefined\n",
                   "/project/host.h:6:10: error: field 'window' has incomplete type\n"}};
  const CompileResult result = compile_reduced(program(), std::ref(answers));
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result));
  ASSERT_EQ(answers.seen.size(), 3U);
  EXPECT_THAT(answers.seen[1].headers[0].text, HasSubstr("struct Window;"));
  EXPECT_THAT(answers.seen[1].headers[0].text, HasSubstr("Window window;"));
  EXPECT_THAT(answers.seen[2].headers[0].text, Not(HasSubstr("Window window;")));
  EXPECT_THAT(std::get<CodeObject>(result).log,
              HasSubstr("'Window', 'Config' do not compile for a device and are left out as host code"));
}

TEST(ReducedProgram, UsesOfMacrosAreLeftOutWhereTheirTextFails) {
  Specialization with_use = program();
  with_use.headers[0].text += "#define EXPORT(TYPE) TYPE TYPE##_entry{#TYPE};\nEXPORT(Step);\n";
  const auto lines = std::count(with_use.headers[0].text.begin(), with_use.headers[0].text.end(), '\n');
  Answers answers{{"host.h:" + std::to_string(lines - 1) + ":12: error: no match\nhost.h:" +
                   std::to_string(lines) + ":1: note: in expansion of macro 'EXPORT'\n"}};
  const CompileResult result = compile_reduced(with_use, std::ref(answers));
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result));
  ASSERT_EQ(answers.seen.size(), 2U);
  EXPECT_THAT(answers.seen[1].headers[0].text, Not(HasSubstr("EXPORT(Step)")));
}

TEST(ReducedProgram, AFailureIsTheOneBeforeHostCodeWasLeftOut) {
  Answers answers{{"host.h(3): error: identifier \"GLuint\" is undefined\n",
                   "host.h(9): error: identifier \"y\" is undefined\n", "never"}};
  const CompileResult result = compile_reduced(program(), std::ref(answers));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(result));
  EXPECT_EQ(answers.seen.size(), 2U);
  EXPECT_EQ(std::get<Diagnostic>(result).summary, "host.h(3): error: identifier \"GLuint\" is undefined");
}

TEST(ReducedProgram, AHeaderOfTheHostThatLacksAnotherIsLeftOut) {
  for (const std::string around : {"GL/glew.h", "GL/of_glew.h"}) {
    Answers answers{{"/project/include/" + around +
                     "(1205): catastrophic error: cannot open source file \"GL/glu.h\"\n"}};
    const CompileResult result = compile_reduced(program(), std::ref(answers));
    ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << around;
    EXPECT_THAT(answers.seen[1].unseen_headers, IsEmpty());
    EXPECT_EQ(answers.seen[1].headers.back().name, "GL/glew.h");
  }
  Answers other{
      {"/project/include/own/host.h(12): catastrophic error: cannot open source file \"GL/glu.h\"\n"}};
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(compile_reduced(program(), std::ref(other))));
}

TEST(ReducedProgram, HeadersOfLibrariesMayHaveNoSuffix) {
  Specialization spec = program();
  for (const std::string header : {"Eigen/Dense", "QtCore/QString", "GL/glu.h", "cuda/api_wrappers.hpp"}) {
    spec.unseen_headers = {header};
    Answers answers{{"/project/host.h:1:10: fatal error: " + header + ": No such file or directory\n"}};
    const CompileResult result = compile_reduced(spec, std::ref(answers));
    ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << header;
    EXPECT_EQ(answers.seen[1].headers.back().name, header);
  }
  for (const std::string header : {"cuda/std/span", "cub/block/block_scan.cuh"}) {
    spec.unseen_headers = {header};
    Answers answers{{"/project/host.h:1:10: fatal error: " + header + ": No such file or directory\n"}};
    EXPECT_TRUE(std::holds_alternative<Diagnostic>(compile_reduced(spec, std::ref(answers)))) << header;
  }
}

TEST(ReducedProgram, EntriesOfVariablesThatAreNotThereAreLeftOut) {
  const struct {
    const char* log;
    std::vector<std::string> stay;
  } cases[] = {
      {"__nv_name_map(2): error: Error in parsing name expression for lowered name lookup. Input name "
       "expression "
       "was: \" & no :: f\"\n",
       {"k", "&no::f::g", "&ns::t"}},
      {"kiln_names.hip:7:3: error: no member named 't' in namespace 'ns'\n(const void*)(&ns::t),\n",
       {"k", "&no::f", "&no::f::g"}},
  };
  for (const auto& [log, stay] : cases) {
    Specialization spec = program();
    for (const char* entry : {"k", "&no::f", "&no::f::g", "&ns::t"}) spec.entries.push_back({entry, {}, ""});
    Answers answers{{log}};
    const CompileResult result = compile_reduced(spec, std::ref(answers));
    ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << log;
    std::vector<std::string> left;
    for (const EntryPoint& entry : answers.seen[1].entries) left.push_back(entry.name_expression);
    EXPECT_EQ(left, stay) << log;
    EXPECT_THAT(std::get<CodeObject>(result).log, HasSubstr("is no variable of the kernel text"));
  }
}

TEST(ReducedProgram, VariablesThatAnErrorShowsAreThere) {
  Specialization spec = program();
  for (const char* entry : {"k", "&ns::t"}) spec.entries.push_back({entry, {}, ""});
  Answers answers{{"host.h(3): error: identifier \"GLuint\" is undefined\n  if (y(1 && ns::t)) return;\n"}};
  ASSERT_TRUE(std::holds_alternative<CodeObject>(compile_reduced(spec, std::ref(answers))));
  ASSERT_EQ(answers.seen.size(), 2U);
  EXPECT_EQ(answers.seen[1].entries.back().name_expression, "&ns::t");
}

TEST(ReducedProgram, TextsThatAskForTheCompilerAreTriedAsWithNvcc) {
  const std::string log = "program.cu(2): error: identifier \"INLINE\" is undefined\n";
  Specialization spec = program();
  spec.target.backend = "cuda";
  spec.headers[0].text =
      "#ifdef __GNUC__\n#define INLINE inline\n#endif\n#if defined(__x86_64__) && __GNUC__ > 4\n#endif\n"
      "int a = __GNUC__;\n";
  Answers answers{{log}};
  ASSERT_TRUE(std::holds_alternative<CodeObject>(compile_reduced(spec, std::ref(answers))));
  ASSERT_EQ(answers.seen.size(), 2U);
  EXPECT_EQ(answers.seen[1].headers[0].text,
            "#ifdef KILN_GNUC\n#define INLINE inline\n#endif\n#if defined(KILN_X86_64) && KILN_GNUC > 4\n"
            "#endif\nint a = __GNUC__;\n");
  EXPECT_THAT(answers.seen[1].defines, testing::Contains(testing::Pair("KILN_GNUC", "12")));
  Answers both{{log, "program.cu(3): error: other\n"}};
  const CompileResult failed = compile_reduced(spec, std::ref(both));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(failed));
  EXPECT_EQ(std::get<Diagnostic>(failed).log, log);
  Answers at_once;
  EXPECT_TRUE(std::holds_alternative<CodeObject>(compile_reduced(spec, std::ref(at_once))));
  EXPECT_EQ(at_once.seen.size(), 1U);
  for (const char* other : {"cpu", "hip"}) {
    spec.target.backend = other;
    Answers once{{log, log, log}};
    EXPECT_TRUE(std::holds_alternative<Diagnostic>(compile_reduced(spec, std::ref(once))));
    EXPECT_EQ(once.seen.size(), 1U) << other;
  }
}

/// The message that says what to install stays where the code needs the header.
TEST(ReducedProgram, HeadersOfTheStandardLibraryAreHostCodeWhereTheCompilerHasNone) {
  Specialization spec = program();
  spec.unseen_headers = {"set"};
  const std::string missing = "host.h(1): catastrophic error: cannot open source file \"set\"\n";
  Answers answers{{missing, "host.h(3): error: namespace \"std\" has no member \"set\"\n"}};
  const CompileResult result = compile_reduced(spec, std::ref(answers));
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result));
  EXPECT_EQ(answers.seen[1].headers.back().name, "set");
  EXPECT_THAT(std::get<CodeObject>(result).log,
              HasSubstr("<set> is no header of this compiler and is left out as host code\n'Window' does"));
  Answers needed{{missing, "host.h(9): error: namespace \"std\" has no member \"set\"\n"}};
  const CompileResult failed = compile_reduced(spec, std::ref(needed));
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(failed));
  EXPECT_EQ(std::get<Diagnostic>(failed).log, missing);
}

TEST(ReducedProgram, AHeaderOfALibraryThatDoesNotCompileIsLeftOut) {
  Specialization spec = program();
  spec.unseen_headers = {"boost/core/deleter.hpp", "boost/log/logger.hpp"};
  const std::string log = "/usr/include/boost/log/detail/config.hpp:38:5: error: #error RTTI is required\n";
  Answers answers{{log, log}};
  const CompileResult result = compile_reduced(spec, std::ref(answers));
  ASSERT_TRUE(std::holds_alternative<CodeObject>(result));
  EXPECT_THAT(answers.seen[2].unseen_headers, IsEmpty());
  spec.unseen_headers = {"boost/core/deleter.hpp"};
  Answers own{{"/project/host.h:9:5: error: 'y' was not declared in this scope\n"}};
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(compile_reduced(spec, std::ref(own))));
}

TEST(ReducedProgram, HeadersOfThrustThatDoNotCompileAreHostCode) {
  Specialization spec = program();
  spec.unseen_headers = {"thrust/complex.h", "thrust/detail/copy.inl", "thrust/sort.h"};
  for (const std::string log :
       {"/cuda/include/cccl/thrust/detail/memory_wrapper.h(39): catastrophic error: cannot open source file "
        "\"memory\"\n",
        "/cuda/include/cccl/thrust/system/launch.h(61): error: not allowed in JIT mode\n",
        "/project/host.h:9:10: fatal error: thrust/detail/copy.inl: No such file or directory\n"}) {
    Answers answers{{log}};
    const CompileResult result = compile_reduced(spec, std::ref(answers));
    ASSERT_TRUE(std::holds_alternative<CodeObject>(result)) << log;
    EXPECT_THAT(answers.seen[1].unseen_headers, ElementsAre("thrust/complex.h"));
    Answers needed{{log, "host.h(9): error: identifier \"y\" is undefined\n"}};
    const CompileResult failed = compile_reduced(spec, std::ref(needed));
    ASSERT_TRUE(std::holds_alternative<Diagnostic>(failed));
    EXPECT_EQ(std::get<Diagnostic>(failed).log, log);
  }
}

TEST(ReducedProgram, NamesThatAreNotKnownHaveTheirLines) {
  const auto unknown = unknown_names_in(
      "map.cu(22): error: identifier \"cudaMallocHost\" is undefined\n"
      "/p/map.cu:23:5: error: \u2018cudaFreeHost\u2019 was not declared in this scope; did you mean x?\n"
      "map.cu:24:5: error: use of undeclared identifier 'hipHostFree'\nmap.cu(25): error: expected a "
      "\";\"\n");
  std::vector<std::string> written;
  for (const auto& [name, place] : unknown) written.push_back(name + " " + std::to_string(place.line));
  EXPECT_THAT(written, ElementsAre("cudaMallocHost 22", "cudaFreeHost 23", "hipHostFree 24"));
}

TEST(ReducedProgram, WhatOnlyGccRefusesIsTaken) {
  const std::string log =
      "program.cu:2:9: error: declaration of 'texture* A::texture' changes meaning of 'texture' "
      "[-fpermissive]\n";
  Answers answers{{log}};
  EXPECT_TRUE(std::holds_alternative<CodeObject>(compile_reduced(program(), std::ref(answers))));
  EXPECT_THAT(answers.seen[1].options, ElementsAre("-fpermissive"));
  Answers recursive{
      {"program.cu:2:9: error: inlining failed in call to 'always_inline' 'int f(int)': function "
       "not inlinable\n"}};
  EXPECT_TRUE(std::holds_alternative<CodeObject>(compile_reduced(program(), std::ref(recursive))));
  EXPECT_THAT(recursive.seen[1].options, ElementsAre("-DKILN_FORCEINLINE_MAY_CALL"));
  Answers undefined{
      {"program.cu:2:9: error: inlining failed in call to 'always_inline' 'int f(int)': function "
       "body not available\n"}};
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(compile_reduced(program(), std::ref(undefined))));
  Answers again{{log, log, log}};
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(compile_reduced(program(), std::ref(again))));
  EXPECT_EQ(again.seen.size(), 2U);
  Answers others{{log + "program.cu:2:3: error: invalid conversion from 'int' to 'int*' [-fpermissive]\n"}};
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(compile_reduced(program(), std::ref(others))));
}

TEST(ReducedProgram, GoesOnWithoutFunctionsThatKilnHas) {
  Specialization spec;
  spec.source_name = "program.cu";
  spec.source_text =
      "#if __CUDA_ARCH__ < 800\n__device__ __half __hmax_nan(__half a, __half b) {\n  return a;\n}\n#endif\n"
      "__global__ void k(float* a) { a[0] = 1; }\n";
  const std::string error =
      "program.cu:2:19: error: redefinition of \u2018__half __hmax_nan(__half, __half)\u2019\n";
  const std::string note =
      "small_float_operators.h:281:30: note: \u2018__hmax_nan\u2019 previously defined here\n";
  Answers compile{{error + "kiln/" + note}};
  const CompileResult result = compile_without_host_code(spec, std::ref(compile));
  ASSERT_EQ(result.index(), 0U);
  EXPECT_THAT(std::get<0>(result).log, HasSubstr("'__hmax_nan' is defined by CUDA, too, and left out"));
  ASSERT_EQ(compile.seen.size(), 2U);
  EXPECT_EQ(compile.seen[1].source_text,
            "#if __CUDA_ARCH__ < 800\n\n\n\n#endif\n__global__ void k(float* a) { a[0] = 1; }\n");
  Specialization on_one_line = spec;
  on_one_line.source_text =
      "\n__device__ __half __hmax_nan(__half a, __half b) { return a; } __device__ int other() { return 1; "
      "}\n";
  Answers beside{{error + "kiln/" + note}};
  ASSERT_EQ(compile_without_host_code(on_one_line, std::ref(beside)).index(), 0U);
  EXPECT_THAT(beside.seen[1].source_text, Not(HasSubstr("__hmax_nan")));
  EXPECT_THAT(beside.seen[1].source_text, HasSubstr("__device__ int other() { return 1; }"));
  Answers own{{error + note, "never"}};  // the text's own two definitions
  EXPECT_EQ(compile_without_host_code(spec, std::ref(own)).index(), 1U);
  EXPECT_EQ(own.seen.size(), 1U);
}

TEST(ReducedProgram, GoesOnWithoutWhatNoKernelReaches) {
  Specialization spec;
  spec.source_name = "program.cuh";
  spec.source_text =
      "struct Filter {\n  __device__ void operator()(int* x) { thrust::get<0>(x); }\n};\n"
      "__device__ int one() { return 1; }\n__device__ int two() { return three(); }\n"
      "__global__ void other(int* x) { x[0] = two(); }\n"
      "__global__ void k(int* x) { x[0] = one(); }\n";
  spec.entries = {{"k", std::nullopt, ""}};
  const auto error = [](int line) {
    return "program.cuh:" + std::to_string(line) + ":40: error: \u2018x\u2019 has not been declared\n";
  };
  Answers compile{{error(2) + error(5), error(6)}};
  const CompileResult result = compile_without_host_code(spec, std::ref(compile));
  ASSERT_EQ(result.index(), 0U);
  EXPECT_THAT(std::get<0>(result).log,
              HasSubstr("'Filter', 'two', 'other' do not compile and are left out, because no kernel that is "
                        "compiled here uses them"));
  EXPECT_EQ(compile.seen.back().source_text,
            "struct Filter;\n\n\n__device__ int one() { return 1; }\n\n\n"
            "__global__ void k(int* x) { x[0] = one(); }\n");
  for (const int line : {4, 7}) {  // what the kernel uses
    Answers needed{{error(line), "never"}};
    EXPECT_EQ(compile_without_host_code(spec, std::ref(needed)).index(), 1U) << line;
    EXPECT_EQ(needed.seen.size(), 1U) << line;
  }
  Answers more{{error(2), error(4)}};
  const CompileResult failed = compile_without_host_code(spec, std::ref(more));
  ASSERT_EQ(failed.index(), 1U);
  EXPECT_EQ(std::get<1>(failed).log, error(2));
  Specialization pasted = spec;
  pasted.source_text = "#define CALL(x) t##x()\n" + spec.source_text;
  pasted.source_text.replace(pasted.source_text.find("one(); }\n", pasted.source_text.find("void k(")), 3,
                             "CALL(wo)");
  Answers unknown{{error(6), "never"}};
  EXPECT_EQ(compile_without_host_code(pasted, std::ref(unknown)).index(), 1U);
}

/// A syntax error in a function that no kernel reaches makes errors of what follows.
TEST(ReducedProgram, ErrorsBehindAnotherLeaveOutNothingThatKernelsReach) {
  Specialization spec;
  spec.source_name = "program.cu";
  spec.source_text =
      "__device__ Eigen::VectorXf twice(Eigen::VectorXf x) { return x * 2; }\n"
      "struct Cell { int n; };\ntypedef Cell cell_t;\n"
      "__global__ void k(cell_t* x) { x[0].n = 1; }\n";
  spec.entries = {{"k", std::nullopt, ""}};
  spec.left_out = {"program.cu: main"};
  Answers compile{
      {"program.cu:1:12: error: 'Eigen' has not been declared\n"
       "program.cu:3:9: error: 'Cell' does not name a type\n"}};
  ASSERT_EQ(compile_without_host_code(spec, std::ref(compile)).index(), 0U);
  EXPECT_EQ(
      compile.seen.back().source_text,
      "\nstruct Cell { int n; };\ntypedef Cell cell_t;\n__global__ void k(cell_t* x) { x[0].n = 1; }\n");
}

}  // namespace
}  // namespace kiln
