#include "workload/tune_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/small_workload.h"

namespace kiln {
namespace {

using test::bad_input_of;
using test::SmallDisk;
using testing::ElementsAre;
using testing::HasSubstr;

class TuneSpecTest : public testing::Test {
 protected:
  std::shared_ptr<const Workload> load(const std::string& tune) {
    disk_.files.write_file("/kernels/scale/scale.yaml", test::kScaleYaml + tune, false);
    return disk_.workload();
  }
  static std::vector<std::string> texts(const ValueLists& lists) {
    std::vector<std::string> shown;
    for (const auto& [name, values] : lists) {
      shown.push_back(name + ":");
      for (const RawValue& value : values) shown.back() += " " + value.text;
    }
    return shown;
  }
  SmallDisk disk_;
};

TEST_F(TuneSpecTest, WithoutItNumbersAndChoicesWithValuesAreVaried) {
  EXPECT_THAT(texts(tuned_values(*load(""), "cuda")),
              ElementsAre("block: 32 64 128 256", "mode: plain fancy"));
}

TEST_F(TuneSpecTest, ValuesAreThoseOfTheBackEnd) {
  const auto workload = load(
      "tune: {values: {unused: {cpu: [], otherwise: [1, 2]}, bind.n: [compile, run], block: {cpu: [32], "
      "otherwise: [64]}}}\n");
  EXPECT_THAT(texts(tuned_values(*workload, "cuda")),
              ElementsAre("unused: 1 2", "bind.n: compile run", "block: 64"));
  EXPECT_THAT(texts(tuned_values(*workload, "cpu")), ElementsAre("bind.n: compile run", "block: 32"));
}

TEST_F(TuneSpecTest, SizesAreWholeNumbersOfShapesAndGridsThatAreNoBlocks) {
  EXPECT_THAT(size_parameters(*load("")), ElementsAre("n"));
  EXPECT_THAT(size_parameters(*load("tune: {sizes_by: [unused, n]}\n")), ElementsAre("n", "unused"));
}

TEST_F(TuneSpecTest, MistakesAreNamedWithTheirPlace) {
  const auto refusal = [&](const std::string& tune) {
    return bad_input_of([&] { static_cast<void>(load(tune)); });
  };
  EXPECT_THAT(refusal("tune: {sizes_by: [m]}\n"),
              HasSubstr("scale.yaml:31:19: workload 'scale' has no parameter 'm'"));
  EXPECT_THAT(refusal("tune: {sizes_by: T}\n"), HasSubstr("'T' is not an integer parameter"));
  EXPECT_THAT(refusal("tune: {values: {blok: [1]}}\n"),
              HasSubstr("has no parameter 'blok'; did you mean 'block'?"));
  EXPECT_THAT(refusal("tune: {values: {block: {cpu: [1]}}}\n"), HasSubstr("the key 'otherwise' is missing"));
  EXPECT_THAT(refusal("tune: {value: {block: [1]}}\n"), HasSubstr("did you mean 'values'?"));
  EXPECT_THAT(refusal("tune: {constraints: [blok < 3]}\n"), HasSubstr("unknown name 'blok'"));
}

}  // namespace
}  // namespace kiln
