#include "specialize/compiled_parts.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/text.h"

namespace kiln {
namespace {

using Defines = std::vector<std::pair<std::string, std::string>>;

/// What stays of a text with its headers, and lines with words alone.
CompiledParts parts_of_program(const std::string& text, const std::vector<IncludedHeader>& headers = {},
                               const Defines& defines = {}, const std::vector<std::string>& unseen = {}) {
  Includes includes;
  includes.text = text;
  includes.headers = headers;
  includes.unseen = unseen;
  return compiled_parts(includes, defines);
}

std::string words_of(const std::string& text) {
  std::string words;
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) words += (words.empty() ? "" : " | ") + std::string(trim(line));
  }
  return words;
}

TEST(CompiledParts, AProgramOfCudaAndHipIsReadAsCuda) {
  const std::string text =
      "#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_complex.h>\na\n#else\n#include "
      "<cuComplex.h>\nb\n#endif\n"
      "#ifdef __NVCC__\nc\n#else\nd\n#endif\n";
  const auto words = [&](const std::vector<std::string>& unseen) {
    return words_of(parts_of_program(text, {}, {}, unseen).includes.text);
  };
  EXPECT_EQ(words({"cuComplex.h", "hip/hip_complex.h"}), "#include <cuComplex.h> | b | c");
  const std::string hip = words({"hip/hip_complex.h"});
  EXPECT_NE(hip.find(" a "), std::string::npos) << hip;
  EXPECT_NE(hip.find(" d "), std::string::npos) << hip;
}

TEST(CompiledParts, BranchesThatKnownConditionsExcludeAreBlank) {
  const struct {
    const char* text;
    Defines defines;
    const char* stays;
  } cases[] = {
      {"#ifdef A\na\n#else\nb\n#endif\nc", {}, "b | c"},
      {"#ifdef A\na\n#else\nb\n#endif\nc", {{"A", ""}}, "a | c"},
      {"#ifndef A\n#define A 3\n#endif\n#if A == 3\na\n#endif", {}, "#define A 3 | a"},
      {"#if defined(A) || defined(B)\na\n#endif", {}, ""},
      {"#if defined(A) || defined B\na\n#endif", {{"B", "0"}}, "a"},
      {"#if defined(A) && !defined(B)\na\n#elif 1\nb\n#else\nc\n#endif", {{"A", "1"}}, "a"},
      {"#if defined(A) && !defined(B)\na\n#elif 1\nb\n#else\nc\n#endif", {}, "b"},
      {"#define N 4\n#define M (N * 2)\n#if M >= 8 && N % 3 == 1\na\n#endif\n#undef N\n#ifdef N\nb\n#endif",
       {},
       "#define N 4 | #define M (N * 2) | a | #undef N"},
      {"#define AT_LEAST(x) (VERSION >= x)\n#if AT_LEAST(3)\na\n#else\nb\n#endif",
       {{"VERSION", "2"}},
       "#define AT_LEAST(x) (VERSION >= x) | b"},
      {"#if 0\n#ifdef A\n#else\na\n#endif\n#else\nb\n#endif", {}, "b"},
      {"#elif 1\n#endif\n#else\na\n#if 0\nb", {}, "#elif 1 | #endif | #else | a"},
      {"#if NONE\na\n#elif 0x10 >> 2 == 4 ? 1 : 0\nb\n#endif", {}, "b"},
      {"#if 1 \\\n && 1 // here\na\n#else /* there */\nb\n#endif", {}, "// here | a"},
      // What only compilers know stays, and so does all that it decides.
      {"#ifdef __CUDA_ARCH__\n#define N 1\n#else\n#define N 2\n#endif\n#if N == 1\na\n#endif",
       {},
       "#ifdef __CUDA_ARCH__ | #define N 1 | #else | #define N 2 | #endif | #if N == 1 | a | #endif"},
      {"#if __CUDA_ARCH__ >= 800 && defined(A)\na\n#endif\n#if CUDART_VERSION > 1 || 1\nb\n#endif", {}, "b"},
      // Versions of CUDA are known as in CUDA 12.6; whether the macros are defined is not known.
      {"#if CUDART_VERSION < 9020\na\n#else\nb\n#endif", {}, "b"},
      {"#if defined(CUDA_VERSION) && CUDA_VERSION < 11000\na\n#elif __CUDACC_VER_MAJOR__ >= 12\nb\n#endif",
       {},
       "b"},
      {"#ifdef CUDA_VERSION\na\n#endif", {}, "#ifdef CUDA_VERSION | a | #endif"},
      {"#if CUDA_VERSION >= 11000\na\n#else\nb\n#endif", {{"CUDA_VERSION", "9000"}}, "b"},
      {"#ifndef __N_HPP__\n#define __N_HPP__\n#define N 2\n#endif\n#if N == 1\na\n#else\nb\n#endif",
       {},
       "#define __N_HPP__ | #define N 2 | b"},
      {"#if __has_include(<x.h>)\na\n#endif", {}, "#if __has_include(<x.h>) | a | #endif"},
      {"#if F(2)\na\n#endif\n#if N_MAX > 2\nb\n#endif",
       {},
       "#if F(2) | a | #endif | #if N_MAX > 2 | b | #endif"},
      {"#ifdef _WIN32\na\n#elif defined(__CUDACC__) && __cplusplus >= 201103L\nb\n#else\nc\n#endif", {}, "b"},
      {"#if __cplusplus >= 202002L\na\n#endif", {}, ""},
      {"#if 1 / 0\na\n#endif\n#if (\nb\n#endif", {}, "#if 1 / 0 | a | #endif | #if ( | b | #endif"},
  };
  for (const auto& one : cases) {
    const CompiledParts parts = parts_of_program(one.text, {}, one.defines);
    EXPECT_EQ(words_of(parts.includes.text), one.stays) << one.text;
    EXPECT_EQ(split(parts.includes.text, '\n').size(), split(one.text, '\n').size()) << one.text;
  }
}

TEST(CompiledParts, HeadersAreReadWhereTheyAreIncluded) {
  const std::vector<IncludedHeader> headers = {
      {"guarded.h", "",
       "#ifndef G\n#define G\n#ifdef EARLY\nearly\n#else\nlate\n#endif\n#define N 3\n#endif\n"},
      {"gone.h", "", "#include <mpi.h>\n#define EARLY\n#define N 4\n__global__ void far() {}\n"},
      {"twice.h", "", "#ifdef SECOND\ntwo\n#else\none\n#endif\n#define SECOND\n"},
      {"named.h", "", "#pragma once\n#if N == 3\nthree\n#endif\n"}};
  const std::string text =
      "#ifdef MPI\n#include <gone.h>\n#endif\n#include <guarded.h>\n#include <guarded.h>\n"
      "#include <twice.h>\n#include <twice.h>\n#include NAMED\n#ifdef EARLY\na\n#elif N == 3\nb\n#endif\n";
  CompiledParts parts = parts_of_program(text, headers, {{"NAMED", "<named.h>"}}, {"mpi.h"});
  EXPECT_EQ(words_of(parts.includes.text),
            "#include <guarded.h> | #include <guarded.h> | #include <twice.h> | #include <twice.h> | "
            "#include NAMED | b");
  ASSERT_EQ(parts.includes.headers.size(), 3U);
  EXPECT_EQ(words_of(parts.includes.headers[0].text), "#define G | late | #define N 3");
  EXPECT_EQ(words_of(parts.includes.headers[1].text),
            "#ifdef SECOND | two | #else | one | #endif | #define SECOND");
  EXPECT_EQ(words_of(parts.includes.headers[2].text), "#pragma once | three");
  EXPECT_TRUE(parts.includes.unseen.empty());
  EXPECT_TRUE(parts.names.contains("MPI"));
  EXPECT_FALSE(parts.names.contains("far"));
  ASSERT_EQ(parts.left_out.size(), 1U);
  EXPECT_EQ(parts.left_out[0].why, "no line that is compiled includes 'gone.h'");
  EXPECT_TRUE(parts.left_out[0].header);

  parts = parts_of_program(text, headers, {{"NAMED", "<named.h>"}, {"MPI", "1"}}, {"mpi.h"});
  EXPECT_EQ(parts.includes.headers.size(), 4U);
  EXPECT_EQ(words_of(parts.includes.headers[0].text), "#define G | early | #define N 3");
  EXPECT_EQ(parts.includes.unseen, std::vector<std::string>{"mpi.h"});

  EXPECT_EQ(parts_of_program("#define STR(x) <x>\n#include STR(twice.h)\n", headers).includes.headers.size(),
            1U);

  // Which header the macro names is not known: any may be meant.
  parts = parts_of_program(text, headers, {}, {"mpi.h"});
  EXPECT_EQ(parts.includes.headers.size(), 4U);
}

TEST(CompiledParts, ReasonsNameTheMacrosThatAreMissing) {
  const struct {
    const char *condition, *why, *remedy;
  } cases[] = {
      {"#ifdef A", "nothing defines A (-D A)", "A"},
      {"#ifdef USE_CUDA", "nothing defines USE_CUDA (-D USE_CUDA)", "USE_CUDA"},
      {"#if defined(A)", "nothing defines A (-D A)", "A"},
      {"#if defined( A ) || defined  B",
       "'#if defined( A ) || defined B' of line 1 does not hold (-D A or -D B)", ""},
      {"#if defined(A) && C == 2", "'#if defined(A) && C == 2' of line 1 does not hold", ""},
      {"#if SIZE > 8", "'#if SIZE > 8' of line 1 does not hold (-D SIZE=9)", "SIZE=9"},
      {"#ifndef __CUDACC__", "'#ifndef __CUDACC__' of line 1 does not hold", ""},
      {"#if 1\n#else", "'#if 1' of line 1 holds", ""},
      {"#if 0", "", ""},
  };
  for (const auto& one : cases) {
    const CompiledParts parts =
        parts_of_program(std::string(one.condition) + "\n__global__ void k() {}\n#endif\n");
    ASSERT_EQ(parts.left_out.size(), 1U) << one.condition;
    EXPECT_EQ(parts.left_out[0].why, one.why);
    EXPECT_EQ(parts.left_out[0].remedy, one.remedy);
    EXPECT_EQ(trim(parts.left_out[0].text), "__global__ void k() {}");
  }
}

TEST(CompiledParts, OfAUnitKnowTheMacrosOfItsOptions) {
  Specialization unit;
  unit.source_text =
      "#include <kiln/params.h>\n#if A + B == 3 && N == 4\n#include <x.h>\n#else\n#include <y.h>\n#endif\n";
  unit.params_header = "#define N 4\n";
  unit.unseen_headers = {"x.h", "y.h"};
  unit.defines = {{"A", "1"}};
  EXPECT_EQ(compiled_parts(unit).includes.unseen, std::vector<std::string>{"y.h"});
  unit.options = {"-O3", "-DB=2"};
  EXPECT_EQ(compiled_parts(unit).includes.unseen, std::vector<std::string>{"x.h"});
  unit.options = {"-D", "B=2", "-Dc"};
  EXPECT_EQ(compiled_parts(unit).includes.unseen, std::vector<std::string>{"x.h"});
}

TEST(CompiledParts, HeadersThatIncludeEachOtherWithoutEndStayAsTheyAre) {
  std::vector<IncludedHeader> headers = {{"self.h", "", "#include <self.h>\n#if 0\na\n#endif\n"}};
  EXPECT_EQ(parts_of_program("#include <self.h>\n", headers).includes.headers[0].text, headers[0].text);
  headers.clear();
  for (int i = 0; i < 40; ++i) {
    const std::string next = "#include <" + std::to_string(i + 1) + ">\n";
    headers.push_back({std::to_string(i), "", next + next});
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parts_of_program("#include <0>\n#if 0\na\n#endif\n", headers).includes.headers.size(), 40U);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace kiln
