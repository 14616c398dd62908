#include "config/expression.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;

const Variables& variables() {
  static const Variables names{{"nx", 100},     {"bx", 32},  {"T", *type_constant("float")},
                               {"a.time", 0.5}, {"deck", 0}, {"zero", 0}};
  return names;
}

double value(const std::string& text) {
  return evaluate_expression(text, variables(), {"w.yaml", 3, 10}, "grid");
}
std::string failure(const std::string& text) {
  return bad_input_of([&] { static_cast<void>(value(text)); });
}

struct ValueCase {
  const char* text;
  double value;
};
class ExpressionValue : public testing::TestWithParam<ValueCase> {};
TEST_P(ExpressionValue, IsWhatUsersExpect) {
  EXPECT_DOUBLE_EQ(value(GetParam().text), GetParam().value);
}
INSTANTIATE_TEST_SUITE_P(
    Language, ExpressionValue,
    testing::Values(ValueCase{"nx // bx", 3}, ValueCase{"-7 // 2", -4}, ValueCase{"nx / bx", 3.125},
                    ValueCase{"nx % bx", 4}, ValueCase{"-7 % 3", 2}, ValueCase{"ceil_div(nx, bx)", 4},
                    ValueCase{"round_up(nx, bx)", 128}, ValueCase{"ceil(nx / bx)", 4},
                    ValueCase{"2 + 3 * 4 // 2", 8}, ValueCase{"!deck", 1}, ValueCase{"!nx", 0},
                    ValueCase{"nx <= 100 && bx > 3", 1}, ValueCase{"nx != 100 || bx == 31", 0},
                    ValueCase{"T == float ? 1 : 2", 1}, ValueCase{"T == double", 0},
                    ValueCase{"sizeof(T)", 4}, ValueCase{"sizeof(double)", 8},
                    ValueCase{"eps(double)", 0x1p-52}, ValueCase{"eps(T)", 0x1p-23},
                    ValueCase{"nx / a.time", 200}, ValueCase{"min(3, nx, bx)", 3}, ValueCase{"2^10", 1024},
                    ValueCase{"pow(2, 3)", 8}, ValueCase{"1e3", 1000}, ValueCase{"nx", 100}));

TEST(Expression, AnUnknownNameIsPointedAt) {
  EXPECT_EQ(failure("2 * nxx"), "w.yaml:3:14: grid: unknown name 'nxx'; did you mean 'nx'? in '2 * nxx'");
}

TEST(Expression, OnlyFiniteNumbersAreValues) {
  for (const char* text : {"nan", "inf", "-inf", "infinity", "NaN", "nan(0)"}) {
    EXPECT_EQ(failure(text),
              "w.yaml:3:10: grid: expected a finite number; found '" + std::string(text) + "'");
    EXPECT_THAT(bad_input_of([&] {
                  static_cast<void>(expression_names(text, {"w.yaml", 3, 10}, "grid"));
                }),
                HasSubstr("expected a finite number"));
  }
}

TEST(Expression, ErrorsSayWhatIsWrong) {
  EXPECT_THAT(failure("nx = 3"), HasSubstr("write '=='"));
  EXPECT_THAT(failure("nx, bx"), HasSubstr("one value is expected"));
  EXPECT_THAT(failure("nx // zero"), HasSubstr("division by zero"));
  EXPECT_THAT(failure("nx % zero"), HasSubstr("division by zero"));
  EXPECT_THAT(failure("nx / zero"), HasSubstr("division by zero"));
  EXPECT_THAT(failure("1e308 * 10 * nx"), HasSubstr("overflow"));
  EXPECT_THAT(failure("(nx"), HasSubstr("w.yaml:3"));
  EXPECT_THAT(failure("nx &&"), HasSubstr("w.yaml:3"));
  EXPECT_THAT(failure("\"text\""), HasSubstr("w.yaml:3"));
  EXPECT_THAT(failure(""), HasSubstr("an expression is expected"));
  EXPECT_THAT(failure("sizeof(nx)"), HasSubstr("take a type"));
}

TEST(Expression, TellsTheNamesItUses) {
  EXPECT_THAT(expression_names("a + min(b, c.d) * sizeof(T) + double", {}, ""),
              ElementsAre("T", "a", "b", "c.d"));
  EXPECT_TRUE(expression_names("3.5", {}, "").empty());
}

TEST(ExpressionMemo, GivesTheSameValuesAndNamesEachTime) {
  ExpressionMemo memo;
  for (const double nx : {100.0, 7.0, 100.0}) {
    Variables names = variables();
    names["nx"] = nx;
    for (const char* text :
         {"nx // bx + 1", "T == float ? nx : zero", "min(3, nx, bx)", "nx", "12", "zero ? nx // zero : 5"}) {
      EXPECT_EQ(memo.evaluate(text, {}, names, {}, "grid"), evaluate_expression(text, names, {}, "grid"))
          << text;
      EXPECT_EQ(memo.names(text, {}, "grid"), expression_names(text, {}, "grid")) << text;
    }
  }
}

TEST(ExpressionMemo, SaysWhatIsWrongEachTime) {
  ExpressionMemo memo;
  const SourceLocation where{"w.yaml", 3, 10};
  for (int i = 0; i < 2; ++i) {
    for (const char* text : {"2 * nxx", "nx = 3", "nx, bx", "nx // zero", "1 // 0 + nx", "1e308 * 10 * nx",
                             "(nx", "", "sizeof(nx)"}) {
      EXPECT_EQ(bad_input_of([&] { static_cast<void>(memo.evaluate(text, {}, variables(), where, "grid")); }),
                failure(text))
          << text;
    }
    EXPECT_THAT(bad_input_of([&] { static_cast<void>(memo.names("(nx", where, "grid")); }),
                HasSubstr("w.yaml:3"));
  }
  EXPECT_EQ(memo.evaluate("nx // bx", {}, variables(), where, "grid"), 3);
}

TEST(ExpressionMemo, TheFirstVariablesComeBeforeTheOthers) {
  ExpressionMemo memo;
  EXPECT_EQ(memo.evaluate("a + b", {{"a", 1}}, {{"a", 10}, {"b", 20}}, {}, ""), 21);
  EXPECT_EQ(memo.evaluate("a", {{"a", 1}}, {{"a", 10}}, {}, ""), 1);
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(memo.evaluate("a + c", {{"a", 1}}, {{"b", 2}}, {}, "key"));
              }),
              HasSubstr("key: "));
}

TEST(ExpressionMemo, ServesManyThreads) {
  ExpressionMemo memo;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memo, t] {
      for (int i = 0; i < 500; ++i)
        EXPECT_EQ(memo.evaluate("a * 2 + " + std::to_string(i % 5), {}, {{"a", t}}, {}, ""), t * 2 + i % 5);
    });
  }
}

}  // namespace
}  // namespace kiln
