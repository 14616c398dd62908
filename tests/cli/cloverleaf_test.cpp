// CloverLeaf on the CPU: against the reference of the whole calculation, with CloverLeaf's own kinetic
// energies, and decks from files.
#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

const std::string kDecks = std::string(KILN_SOURCE_DIR) + "/tests/workloads/cloverleaf/";

class CloverLeaf : public CliTest, public ::testing::WithParamInterface<std::pair<const char*, const char*>> {
 protected:
  CliResult run(const std::string& settings) {
    return kiln({"run", write("job.yaml",
                              "workload: cloverleaf\ndevice: cpu\nmeasure: false\nrequire_checks: true\n" +
                                  settings)});
  }
  CliResult run_deck(const std::string& text) {
    return run("set: {deck: " + write("clover.in", text) + ", bind.all: run}\n");
  }
};

TEST_P(CloverLeaf, AgreesWithItsReference) {
  const CliResult result = run(GetParam().second);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("ok"));
}

/// Images and lanes that hand on values are what a GPU runs; on the CPU lanes are fibers.
INSTANTIATE_TEST_SUITE_P(
    All, CloverLeaf,
    ::testing::Values(
        std::pair{"Small", "sweep: {implementation: [tuned, paper]}\n"},
        std::pair{"Sizes",
                  "set: {bind.all: run, end_step: 9, block_x: 16}\n"
                  "sweep: {implementation: [tuned, paper], nx: [2, 3, 33], ny: [2, 5]}\n"},
        std::pair{"Images",
                  "set: {bind.all: run, end_step: 9, block_x: 16, images: true, loop: counted}\n"
                  "sweep: {nx: [2, 3, 33], ny: [2, 5]}\n"},
        std::pair{"Lanes",
                  "set: {bind.all: run, end_step: 9, block_x: 16, images: true, moves: one, loop: counted, "
                  "move_rows: 7}\nsweep: {nx: [2, 3, 27, 33], ny: [2, 5, 14]}\n"},
        std::pair{"Rows",
                  "set: {nx: 37, ny: 21, end_step: 9, stress_rows: 3, node_rows: 4, cell_rows: 2, "
                  "stress_width: 16, cells_x: 2, nodes_x: 3, cells_y: 4, nodes_y: 8}\n"},
        std::pair{"FastMath", "set: {fast_math: true, end_step: 9}\n"}),
    [](const auto& test) { return std::string(test.param.first); });

TEST_F(CloverLeaf, HasThePublishedKineticEnergyOfABenchmark) {
  const CliResult result = run("set: {problem: bm_short}\noutput: " + path("results") + "\n");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_THAT(files_->read_file(path("results") + "/records.jsonl").value_or(""),
              AllOf(HasSubstr("kinetic energy to ten digits"), HasSubstr("1.19316898756307")));
}

/// Numbers of a table with a head, row by row.
std::vector<double> numbers_of(const std::string& csv) {
  std::vector<double> numbers;
  std::istringstream lines(csv);
  std::string line, word;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    while (std::getline(words, word, ',')) numbers.push_back(std::stod(word));
  }
  return numbers;
}

/// Up to rounding: kernels that look for the end are other code, in which other products are fused with sums.
TEST_F(CloverLeaf, EndsByTimeHoweverItsLoopIsMade) {
  const CliResult result =
      run("set: {deck: " + kDecks + "tube.in, bind.all: run}\n" +
          "sweep: {implementation: [tuned, paper], loop: [watched, counted], look: [1, 7]}\n" +
          "keep: {summary: '" + path("{implementation}-{loop}-{look}.csv") + "'}\n");
  EXPECT_EQ(result.code, 0) << result.out << result.err;  // with the kinetic energy of test problem 1
  for (const char* implementation : {"tuned", "paper"}) {
    const std::string first =
        files_->read_file(path(implementation + std::string("-watched-1.csv"))).value_or("");
    EXPECT_THAT(first, HasSubstr("\n75,3.0000000000000"));
    for (const char* other : {"-watched-7.csv", "-counted-1.csv"}) {
      const std::string table = files_->read_file(path(implementation + std::string(other))).value_or("");
      EXPECT_THAT(numbers_of(table), Pointwise(DoubleNear(1e-12), numbers_of(first))) << other;
    }
  }
}

TEST_F(CloverLeaf, DecksMayHaveEveryGeometry) {
  const CliResult result =
      run("set: {deck: " + kDecks + "regions.in, bind.all: run}\nsweep: {implementation: [tuned, paper]}\n");
  EXPECT_EQ(result.code, 0) << result.out << result.err;
}

TEST_F(CloverLeaf, WrongDecksAreErrorsWithTheirPlace) {
  const std::string head = "*clover\n state 1 density=1 energy=1\n xmax=1\n ymax=1\n";
  const std::string tail = "*endclover\n";
  const auto refused = [&](const std::string& text) {
    const CliResult result = run_deck(text);
    EXPECT_EQ(result.code, 2) << text << result.out << result.err;
    return result.err;
  };
  EXPECT_THAT(refused(head + " x_cell=4\n" + tail),
              HasSubstr("clover.in:5:2: unknown key 'x_cell'; did you mean 'x_cells'?"));
  EXPECT_THAT(refused(head + " x_cells=1\n" + tail),
              HasSubstr("clover.in:5:10: nx: 1 is too small; the least is 2"));
  EXPECT_THAT(refused(head + " x_cells=4.5\n" + tail),
              HasSubstr("clover.in:5:10: nx: expected a whole number; found 4.5"));
  EXPECT_THAT(refused(head + " state 2 density=1 geometry=box\n" + tail),
              HasSubstr("expected a finite number or one of rectangle, circle, point; found 'box'"));
  EXPECT_THAT(refused(head + " state 3 density=1\n" + tail), HasSubstr("has state 3, but no state 2"));
  EXPECT_THAT(refused(head), HasSubstr("ends before the line '*endclover'"));
  EXPECT_THAT(refused("*clover\n x_cells=4\n*endclover\n"),
              HasSubstr("clover.in:1:1: states: 0 is too small; the least is 1"));
  const CliResult absent = run("set: {deck: " + path("absent.in") + "}\n");
  EXPECT_EQ(absent.code, 2);
  EXPECT_THAT(absent.err, HasSubstr("no such file or folder"));
}

}  // namespace
}  // namespace kiln::test
