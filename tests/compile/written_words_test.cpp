#include "compile/written_words.h"

#include <gtest/gtest.h>

namespace kiln::test {
namespace {

Diagnostic named(const std::string& message, const WrittenWords& words) {
  Specialization specialization;
  specialization.target = {"cpu", "x86-64"};
  specialization.source_text = "template <class T> __global__ void k(T* x) { *x = 1; }";
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
