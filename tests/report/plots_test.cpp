#include "report/plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

Bar bar(const std::string& label, double value) {
  return {label, value, value * 0.9, value * 1.1, "about " + label, false, ""};
}

TEST(BarPlot, DrawsEachBarWithItsInterval) {
  Bar best = bar("a<1", 1);
  best.best = true;
  const std::string svg = bar_plot("times", {best, bar("b", 2)});
  EXPECT_EQ(count(svg, "<rect"), 2U);
  EXPECT_EQ(count(svg, "class=\"interval\""), 6U) << "a line and two caps each";
  EXPECT_EQ(count(svg, "class=\"bar best\""), 1U);
  EXPECT_THAT(svg, HasSubstr("a&lt;1"));
  EXPECT_THAT(svg, Not(HasSubstr("a<1")));
  // The longest interval ends at the full width, 290: the bars are 290 / 2.2 and twice that.
  EXPECT_THAT(svg, HasSubstr("width=\"131.82\""));
  EXPECT_THAT(svg, HasSubstr("width=\"263.64\""));
}

TEST(BarPlot, AFailureStandsInPlaceOfItsBar) {
  Bar failed;
  failed.label = "c";
  failed.failure = "wrong";
  const std::string svg = bar_plot("times", {failed});
  EXPECT_EQ(count(svg, "<rect"), 0U);
  EXPECT_THAT(svg, HasSubstr("class=\"bad\" text-anchor=\"start\">wrong"));
}

TEST(BarPlot, LongLabelsAreCutBetweenLetters) {
  std::string label;
  for (int i = 0; i < 100; ++i) label += "\xc2\xb5";
  const std::string svg = bar_plot("times", {bar(label, 1)});
  std::string shown;
  for (int i = 0; i < 60; ++i) shown += "\xc2\xb5";
  EXPECT_THAT(svg, HasSubstr(">" + shown + "\xe2\x80\xa6</text>"));
}

TEST(HeatMapPlot, ACellForEachPairAndAFullOneForTheBest) {
  HeatMap map{"ppwi", "wg", {"1", "2"}, {"8", "64"}, {{1.0, 2.0}, {3.0, std::nullopt}}, true};
  const std::string svg = heat_map_plot("map", map);
  EXPECT_EQ(count(svg, "<rect"), 4U);
  EXPECT_EQ(count(svg, "class=\"cell none\""), 1U);
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.8\"><title>ppwi=1 wg=64: 3</title>"));
  EXPECT_THAT(svg, HasSubstr("fill-opacity=\"0.1\"><title>ppwi=1 wg=8: 1</title>"));
  EXPECT_THAT(svg, HasSubstr("ppwi=2 wg=64: not measured"));
  map.higher_is_better = false;
  EXPECT_THAT(heat_map_plot("map", map), HasSubstr("fill-opacity=\"0.8\"><title>ppwi=1 wg=8: 1</title>"));
}

DeviceCeilings device() {
  DeviceCeilings device;
  device.device_name = "GPU";
  device.ceilings = {{"triad", "GB/s", 1000, 990, 1010, ""},
                     {"fma float", "GFLOP/s", 10000, 9900, 10100, ""}};
  return device;
}

TEST(RooflinePlot, SlopeAndLevelMeetAtTheCorner) {
  const std::string svg = roofline_plot("roofline", device(), {});
  EXPECT_EQ(count(svg, "class=\"ceiling\""), 2U);
  // Intensities 0.01 to 100 are drawn from x = 44 to 378; the corner is at 10000 / 1000 = 10.
  EXPECT_EQ(count(svg, "x2=\"294.5\"") + count(svg, "x1=\"294.5\""), 4U)
      << "with the grid line there: " << svg;
}

TEST(RooflinePlot, RecordsArePointsOrLevels) {
  const std::string svg = roofline_plot("roofline", device(), {{"a", 500, 0.5}, {"b & c", 20, std::nullopt}});
  EXPECT_EQ(count(svg, "<circle"), 1U);
  EXPECT_EQ(count(svg, "class=\"level\""), 1U);
  EXPECT_THAT(svg, HasSubstr("a: 500 GFLOP/s at 0.5 FLOP per byte"));
  EXPECT_THAT(svg, HasSubstr("b &amp; c: 20 GFLOP/s"));
}

}  // namespace
}  // namespace kiln
