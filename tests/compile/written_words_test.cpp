#include "compile/written_words.h"

#include <gtest/gtest.h>

namespace kiln::test {
namespace {

Diagnostic named(const std::string& message, const WrittenWords& words, const std::string& behind = "") {
  Specialization specialization;
  specialization.target = {"cpu", "x86-64"};
  specialization.source_text = "template <class T> __global__ void k(T* x) { *x = 1; }" + behind;
  specialization.written = {words};
  Diagnostic diagnostic;
  diagnostic.summary = diagnostic.log = message;
  name_written_place(diagnostic, specialization);
  return diagnostic;
}

const SourceLocation kPlace{"w.yaml", 7, 3};

TEST(WrittenWords, ANameIsAWholeWord) {
  const WrittenWords words{"flaot", "kernels.k.template_args[0]", kPlace, false};
  EXPECT_EQ(
      named("error: 'flaot-1' has no type", words).summary,
      "w.yaml:7:3: kernels.k.template_args[0]: 'flaot', did you mean 'float'?: error: 'flaot-1' has no type");
  EXPECT_EQ(named("error: 'flaot4' is unknown", words).summary, "error: 'flaot4' is unknown");
}

/// Of a function that is passed to a kernel; Kiln puts a line with it behind the text.
TEST(WrittenWords, AFunctionAmongTheArguments) {
  const auto message_of = [](const std::string& function, const std::string& message) {
    return named(message, {function, "kernels.k.args", kPlace, false},
                 "\n#line 1 \"kiln functions\"\n__device__ auto f = &" + function + ";\n")
        .summary;
  };
  EXPECT_EQ(message_of("ops::kk", "kiln functions:1: error: 'kk' is not a member of 'ops'"),
            "w.yaml:7:3: kernels.k.args: 'kk', did you mean 'k'?: kiln functions:1: error: 'kk' is not a "
            "member of 'ops'");
  EXPECT_EQ(message_of("k", "kiln functions(1): error: cannot deduce \"auto\" type"),
            "w.yaml:7:3: kernels.k.args: 'k': kiln functions(1): error: cannot deduce \"auto\" type");
  EXPECT_EQ(message_of("k", "k.cu(1): error: no type"), "k.cu(1): error: no type");
}

TEST(WrittenWords, TheNameOfAWarningIsNoNameOfTheText) {
  const std::string message = "error: variable 'y' is not read [-Werror=unused-variable]";
  EXPECT_EQ(named(message, {"unused", "kernels.k.entry", kPlace, false}).summary, message);
  const WrittenWords option{"-Werror=unused-variable", "kernels.k.options[0]", kPlace, true};
  EXPECT_EQ(named(message, option).summary, "w.yaml:7:3: kernels.k.options[0]: '-Werror': " + message);
}

TEST(WrittenWords, AnOptionIsNoPartOfALongerOne) {
  const WrittenWords option{"-fno-math", "kernels.k.options[0]", kPlace, true};
  const std::string longer = "error: unknown option '-fno-math-errno'";
  EXPECT_EQ(named(longer, option).summary, longer);
  EXPECT_EQ(named("error: unknown option '-fno-math'", option).summary,
            "w.yaml:7:3: kernels.k.options[0]: '-fno-math': error: unknown option '-fno-math'");
}

}  // namespace
}  // namespace kiln::test
