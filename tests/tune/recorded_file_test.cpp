#include "tune/recorded_file.h"

#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_view_literals;

const std::string kHead = R"({
"device_name": "made by hand", "kernel_name": "k", "problem_size": 16,
"tune_params_keys": ["block", "mode"],
"tune_params": {"block": [64, 32], "mode": ["a", "b"]},
"objective": "time",
"cache": {
)";
const std::string kFirst =
    R"("64,a": {"block": 64, "mode": "a", "time": 2.5, "times": [2.5], "compile_time": 100, "benchmark_time": 20, "GFLOP/s": 3},)";
const std::string kSecond =
    R"("32,a": {"block": 32, "mode": "a", "time": "CompilationFailedConfig", "compile_time": 50},)";
const std::string kThird =
    R"("32,b": {"block": 32, "mode": "b", "__error__": "RuntimeFailedConfig", "time": null})";

class RecordedFile : public testing::Test {
 protected:
  RecordedSpace read(const std::string& text, const std::string& name = "dir/hand-made.json") {
    files_.make_directories("dir", false);
    files_.write_file(name, text, false);
    return read_recorded_space(files_, name);
  }
  std::string refused(const std::string& text) {
    return bad_input_of([&] { (void)read(text); });
  }
  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

void expect_hand_made(const RecordedSpace& space) {
  EXPECT_EQ(space.name, "hand-made");
  EXPECT_EQ(space.space.count(), 3U);
  EXPECT_EQ(space.parameters[0].values, (std::vector<std::string>{"64", "32"}));
  EXPECT_EQ(space.points[*space.space.rank({0, 0})].outcome, Outcome::measured(2.5));
  EXPECT_DOUBLE_EQ(space.points[*space.space.rank({0, 0})].seconds, 0.12);
  EXPECT_EQ(space.points[*space.space.rank({1, 0})].outcome, Outcome::failed(FailureKind::kCompile));
  EXPECT_EQ(space.points[*space.space.rank({1, 1})].outcome, Outcome::failed(FailureKind::kFault));
  EXPECT_EQ(space.optimum(), 2.5);
}

TEST_F(RecordedFile, ReadsACacheOfKernelTuner) {
  expect_hand_made(read(kHead + kFirst + "\n" + kSecond + "\n" + kThird + "\n}\n}\n"));
}

TEST_F(RecordedFile, ReadsACacheThatIsStillBeingWritten) {
  const RecordedSpace space = read(kHead + kFirst + "\n" + kSecond + "\n");
  EXPECT_EQ(space.space.count(), 2U);
}

TEST_F(RecordedFile, ReadsT4ResultsInBothSpellings) {
  const RecordedSpace space = read(R"({"schema_version": "1.0.0", "results": [
    {"timestamp": "t", "configuration": {"block": 128, "mode": true}, "invalidity": "correct", "correctness": 1,
     "times": {"compilation": 30, "validation": 2, "runtimes": [1, 3]}, "objectives": ["time"],
     "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]},
    {"configuration": {"block": 32, "mode": true}, "invalidity": "timeout", "correctness": 0,
     "times": {"compilation_time": 10, "benchmark": 5}, "measurements": []},
    {"configuration": {"block": 32, "mode": false}, "invalidity": "correctness",
     "times": {}, "measurements": [{"name": "time", "value": 9}]}]})");
  EXPECT_EQ(space.parameters[0].values, (std::vector<std::string>{"32", "128"}));
  EXPECT_EQ(space.parameters[1].values, (std::vector<std::string>{"true", "false"}));
  EXPECT_EQ(space.points[*space.space.rank({1, 0})].outcome, Outcome::measured(1.5));
  EXPECT_DOUBLE_EQ(space.points[*space.space.rank({1, 0})].seconds, 0.036);
  EXPECT_EQ(space.points[*space.space.rank({0, 0})].outcome, Outcome::failed(FailureKind::kTimeout));
  EXPECT_DOUBLE_EQ(space.points[*space.space.rank({0, 0})].seconds, 0.015);
  EXPECT_EQ(space.points[*space.space.rank({0, 1})].outcome, Outcome::failed(FailureKind::kWrong));
}

/// By gzip: {"tune_params_keys": ["a"], "tune_params": {"a": [1, 2]}, "cache": {"2": {"a": 2, "time": 4.5}}}
constexpr std::string_view kCompressed =
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x2a\x29\xcd\x4b\x8d\x2f\x48\x2c\x4a\xcc"
    "\x2d\x8e\xcf\x4e\xad\x2c\x56\xb2\x52\x88\x56\x4a\x54\x8a\xd5\x51\x40\x96\x02\x8a\x56\x03"
    "\x45\x81\x72\x86\x3a\x0a\x46\xb1\xb5\x40\xd9\xe4\xc4\xe4\x8c\x54\xb0\xb8\x11\x5c\xd6\x08"
    "\xa4\x2b\x33\x17\x24\x6c\xa2\x67\x5a\x5b\x5b\x0b\x00\x93\x74\x2e\x38\x60\x00\x00\x00"sv;

TEST_F(RecordedFile, ReadsCompressedFiles) {
  const RecordedSpace space = read(std::string(kCompressed), "dir/small.json.gz");
  EXPECT_EQ(space.name, "small");
  EXPECT_EQ(space.points.at(0).outcome, Outcome::measured(4.5));
  const std::string cut(kCompressed.substr(0, 40));
  EXPECT_THAT(bad_input_of([&] { (void)read(cut, "dir/cut.json.gz"); }), HasSubstr("dir/cut.json.gz"));
}

TEST_F(RecordedFile, RefusesWhatIsNoSpaceWithItsPlace) {
  EXPECT_THAT(refused("{\n\"cache\": {\"a\": [}}"), HasSubstr("dir/hand-made.json:2:"));
  EXPECT_THAT(refused("[1, 2]"), HasSubstr("expected a cache file of Kernel Tuner"));
  EXPECT_THAT(refused("{}"), HasSubstr("expected a cache file of Kernel Tuner"));
  EXPECT_THAT(refused(""), HasSubstr("expected JSON"));
  EXPECT_THAT(refused(kHead + "}}"), HasSubstr("no points"));
  EXPECT_THAT(refused(R"({"results": []})"), HasSubstr("no points"));
  EXPECT_THAT(refused(R"({"cache": {"1": {"a": 1, "time": 1}}})"), HasSubstr("tune_params"));
}

TEST_F(RecordedFile, RefusesWrongEntriesWithTheirPath) {
  EXPECT_THAT(refused(kHead + R"("32,c": {"block": 32, "mode": "c", "time": 1}}})"),
              AllOf(HasSubstr("cache.32,c.mode: expected one of a, b, found 'c'")));
  EXPECT_THAT(refused(kHead + R"("32": {"block": 32, "time": 1}}})"),
              HasSubstr("cache.32: expected a value of 'mode', found none"));
  EXPECT_THAT(refused(kHead + R"("32,a": {"block": 32, "mode": "a", "time": -1}}})"),
              HasSubstr("cache.32,a.time: expected a time above 0, found -1"));
  EXPECT_THAT(refused(kHead + R"("32,a": {"block": 32, "mode": "a", "time": "Failed"}}})"),
              HasSubstr("expected a number or one of CompilationFailedConfig"));
  EXPECT_THAT(refused(kHead + R"("32,a": {"block": 32, "mode": "a"}}})"),
              HasSubstr("expected a member 'time'"));
  EXPECT_THAT(refused(R"({"results": [{"configuration": {"a": 1}, "times": {}, "invalidity": "odd"}]})"),
              HasSubstr("results[0].invalidity: expected"));
}

TEST_F(RecordedFile, ASpaceWithoutAMeasuredPointHasNoOptimum) {
  const RecordedSpace space = read(kHead + kSecond);
  EXPECT_THAT(bad_input_of([&] { (void)space.optimum(); }), HasSubstr("no point was measured"));
}

}  // namespace
}  // namespace kiln
