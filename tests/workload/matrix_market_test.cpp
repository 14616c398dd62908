#include "workload/matrix_market.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/error_matchers.h"

namespace kiln {
namespace {

using test::bad_input_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// "row,column=numbers", in the order of the entries.
std::vector<std::string> entries_of(const std::string& text) {
  const Matrix matrix = parse_matrix(text, "a.mtx");
  std::vector<std::string> found;
  for (const Matrix::Entry& entry : matrix.entries) {
    std::string item = std::to_string(entry.row) + "," + std::to_string(entry.column) + "=";
    item += matrix.number(entry, 0);
    if (matrix.header.numbers() == 2) item += " " + matrix.number(entry, 1);
    found.push_back(item);
  }
  return found;
}

std::string refusal(const std::string& text) {
  return bad_input_of([&] { static_cast<void>(parse_matrix(text, "a.mtx")); });
}

std::string banner(const std::string& words) {
  return "%%MatrixMarket matrix " + words + "\n";
}

TEST(MatrixMarket, EntriesAreSortedByRowThenByColumn) {
  EXPECT_THAT(entries_of(banner("coordinate real general") +
                         "% by columns, as most files are\n\n3 2 4\n3 1 1e2\n1 1 +2\r\n\n% between\n"
                         " 3\t2 -4 \n1 2 .5"),
              ElementsAre("0,0=2", "0,1=.5", "2,0=1e2", "2,1=-4"));
  EXPECT_THAT(entries_of(banner("COORDINATE Pattern General") + "2 2 1\n2 2\n"), ElementsAre("1,1=1"));
  EXPECT_THAT(entries_of(banner("coordinate integer general") + "1 1 1\n1 1 9007199254740993\n"),
              ElementsAre("0,0=9007199254740993"));
}

TEST(MatrixMarket, TheOtherTriangleIsAdded) {
  const std::string lines = "2 2 2\n1 1 5\n2 1 -3\n";
  EXPECT_THAT(entries_of(banner("coordinate real symmetric") + lines),
              ElementsAre("0,0=5", "0,1=-3", "1,0=-3"));
  EXPECT_THAT(entries_of(banner("coordinate real skew-symmetric") + "2 2 1\n2 1 -3\n"),
              ElementsAre("0,1=3", "1,0=-3"));
  EXPECT_THAT(entries_of(banner("coordinate complex hermitian") + "2 2 2\n1 1 5 0\n2 1 1 2\n"),
              ElementsAre("0,0=5 0", "0,1=1 -2", "1,0=1 2"));
  EXPECT_THAT(entries_of(banner("coordinate pattern symmetric") + "2 2 1\n2 1\n"),
              ElementsAre("0,1=1", "1,0=1"));
}

TEST(MatrixMarket, ArraysAreThereColumnByColumn) {
  EXPECT_THAT(entries_of(banner("array real general") + "2 2\n11\n21\n12\n22\n"),
              ElementsAre("0,0=11", "0,1=12", "1,0=21", "1,1=22"));
  EXPECT_THAT(entries_of(banner("array real symmetric") + "2 2\n11\n21\n22\n"),
              ElementsAre("0,0=11", "0,1=21", "1,0=21", "1,1=22"));
  EXPECT_THAT(entries_of(banner("array real skew-symmetric") + "2 2\n7\n"), ElementsAre("0,1=-7", "1,0=7"));
  EXPECT_THAT(entries_of(banner("array complex general") + "1 2\n1 2\n3 4\n"),
              ElementsAre("0,0=1 2", "0,1=3 4"));
  EXPECT_THAT(entries_of(banner("array real skew-symmetric") + "0 0\n"), ElementsAre());
}

TEST(MatrixMarket, HeadersThatAreNoneAreRefusedAtTheirLine) {
  EXPECT_THAT(refusal(""), HasSubstr("a.mtx: is not a MatrixMarket file"));
  EXPECT_THAT(refusal("1 2 3\n"), HasSubstr("a.mtx:1: is not a MatrixMarket file"));
  EXPECT_THAT(refusal("%%MatrixMarket vector coordinate real general\n"), HasSubstr("expected 'matrix'"));
  EXPECT_THAT(refusal(banner("coordinat real general")), HasSubstr("did you mean 'coordinate'"));
  EXPECT_THAT(refusal(banner("coordinate quaternion general")), HasSubstr("expected one of real, integer"));
  EXPECT_THAT(refusal(banner("coordinate real symetric")), HasSubstr("did you mean 'symmetric'"));
  EXPECT_THAT(refusal(banner("array pattern general")), HasSubstr("a.mtx:1: an array has numbers"));
  EXPECT_THAT(refusal(banner("coordinate real hermitian")), HasSubstr("goes with 'complex'"));
  EXPECT_THAT(refusal(banner("coordinate pattern skew-symmetric")), HasSubstr("has no values"));
  EXPECT_THAT(refusal(banner("coordinate real general")), HasSubstr("ends before the line of sizes"));
  EXPECT_THAT(
      refusal(banner("coordinate real general") + "%\n2 -2 1\n"),
      HasSubstr("a.mtx:3: expected the number of columns, a whole number from 0 to 4294967295; found '-2'"));
  EXPECT_THAT(refusal(banner("coordinate real general") + "2 2\n"), HasSubstr("found the end of the line"));
  EXPECT_THAT(refusal(banner("coordinate real general") + "2 2 5\n"), HasSubstr("from 0 to 4; found '5'"));
  EXPECT_THAT(refusal(banner("coordinate real symmetric") + "2 3 1\n"), HasSubstr("2 rows and 3 columns"));
}

TEST(MatrixMarket, EntriesThatAreNoneAreRefusedAtTheirLine) {
  const std::string real = banner("coordinate real general") + "2 2 2\n";
  EXPECT_THAT(refusal(real + "1 1 1\n"), HasSubstr("a.mtx:3: ends after 1 of the 2 entries"));
  EXPECT_THAT(refusal(real + "1 1 1\n1 2 1\n2 2 1\n"), HasSubstr("a.mtx:5: holds more than the 2 entries"));
  EXPECT_THAT(refusal(real + "1 3 1\n"), HasSubstr("a.mtx:3: expected a column, a whole number from 1 to 2"));
  EXPECT_THAT(refusal(real + "0 1 1\n"), HasSubstr("expected a row, a whole number from 1 to 2; found '0'"));
  EXPECT_THAT(refusal(real + "1 2\n"), HasSubstr("expected row, column and a number; found the end"));
  EXPECT_THAT(refusal(real + "1 2 3 4\n"), HasSubstr("expected the end of the line; found '4'"));
  EXPECT_THAT(refusal(real + "2 2 1\n\n2 2 1\n"),
              HasSubstr("a.mtx:5: the entry of row 2, column 2 is there twice"));
  EXPECT_THAT(refusal(banner("coordinate real symmetric") + "2 2 2\n1 2 1\n2 1 1\n"),
              HasSubstr("twice; of two that mirror each other"));
  EXPECT_THAT(refusal(banner("coordinate real skew-symmetric") + "2 2 1\n1 1 1\n"),
              HasSubstr("a.mtx:3: a skew-symmetric matrix has no entries on its diagonal"));
  EXPECT_THAT(refusal(banner("array complex general") + "1 1\n1\n"),
              HasSubstr("two numbers, real and imaginary"));
  // A mirrored entry of these matrices turns the sign: it must be in front of a number, once.
  const std::string skew = banner("coordinate real skew-symmetric") + "2 2 1\n2 1 ";
  for (const std::string word : {"-", "+", "--1", "+-1", "-+1"})
    EXPECT_THAT(refusal(skew + word + "\n"), HasSubstr("a.mtx:3: expected a number; found '" + word + "'"));
}

/// What a header promises takes no memory.
TEST(MatrixMarket, PromisesAreNotBelieved) {
  EXPECT_THAT(
      refusal(banner("coordinate real general") + "4294967295 4294967295 18446744065119617025\n1 1 1\n"),
      HasSubstr("ends after 1 of the 18446744065119617025 entries"));
  EXPECT_THAT(refusal(banner("array real general") + "4294967295 4294967295\n1\n"),
              HasSubstr("ends after 1 of"));
  EXPECT_THAT(refusal(banner("array real skew-symmetric") + "4294967295 4294967295\n"),
              HasSubstr("ends after 0 of"));
}

}  // namespace
}  // namespace kiln
