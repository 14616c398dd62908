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
  // The longest interval ends at the full width, 270: the bars are 270 / 2.2 and twice that.
  EXPECT_THAT(svg, HasSubstr("width=\"122.73\""));
  EXPECT_THAT(svg, HasSubstr("width=\"245.45\""));
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"middle\">2</text>")) << "a tick";
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"end\">s</text>")) << "the axis's unit";
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
  for (int i = 0; i < 56; ++i) shown += "\xc2\xb5";
  EXPECT_THAT(svg, HasSubstr(">" + shown + "\xe2\x80\xa6</text>"));
}

TEST(DotPlot, ADotAndAnIntervalForEachOnALogarithmicAxis) {
  Bar best = bar("a<1", 0.001);
  best.best = true;
  Bar failed;
  failed.label = "c";
  failed.failure = "wrong";
  const std::string svg = dot_plot("times", {best, bar("b", 0.1), failed});
  EXPECT_EQ(count(svg, "<rect"), 0U) << "the length of a bar would mean nothing";
  EXPECT_EQ(count(svg, "<circle"), 2U);
  EXPECT_EQ(count(svg, "class=\"interval\""), 6U) << "a line and two caps each";
  EXPECT_EQ(count(svg, "class=\"dot s1\""), 1U) << "the best";
  EXPECT_THAT(svg, HasSubstr("a&lt;1: about a&lt;1"));
  EXPECT_THAT(svg, HasSubstr("class=\"bad\" text-anchor=\"start\">wrong"));
  // From 0.9 ms / 1.1 at 16 to 110 ms * 1.1 at 290; ticks have units of their own.
  EXPECT_THAT(svg, HasSubstr("cx=\"27\""));
  EXPECT_THAT(svg, HasSubstr("cx=\"279.55\""));
  EXPECT_THAT(svg, HasSubstr(">1 ms</text>"));
  EXPECT_THAT(svg, HasSubstr(">100 ms</text>"));
  EXPECT_EQ(count(svg, "class=\"grid\""), 5U) << "1, 3, 10, 30 and 100 ms";
}

TEST(DotPlot, AnIntervalThatReachesZeroEndsAtTheAxis) {
  Bar wide = bar("a", 0.001);
  wide.low = 0;
  const std::string svg = dot_plot("times", {wide, bar("b", 0.1)});
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf\"")));
  EXPECT_THAT(svg, HasSubstr("x1=\"16\""));
}

TEST(DotPlot, IsForTimesThatAreMoreThanTwentyTimesApart) {
  EXPECT_FALSE(span_too_wide_for_bars({bar("a", 1), bar("b", 20)}));
  EXPECT_EQ(span_too_wide_for_bars({bar("a", 1), bar("b", 2), bar("c", 40)}), 40);
  Bar failed;
  failed.failure = "wrong";
  EXPECT_FALSE(span_too_wide_for_bars({bar("a", 1), failed})) << "a failure has no time";
  EXPECT_FALSE(span_too_wide_for_bars({bar("a", 0), bar("b", 1)})) << "no logarithm";
  EXPECT_FALSE(span_too_wide_for_bars({}));
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
  // Intensities 0.01 to 100 are drawn from x = 34 to 350; the corner is at 10000 / 1000 = 10.
  EXPECT_EQ(count(svg, "x2=\"271\"") + count(svg, "x1=\"271\""), 4U) << "with the grid line there: " << svg;
  EXPECT_THAT(svg, HasSubstr(">slopes: triad 1000 GB/s</text>"));
  EXPECT_THAT(svg, HasSubstr(">level: fma float 1e+04 GFLOP/s</text>"));
}

TEST(RooflinePlot, RecordsArePointsOrLevelsOfTheirGroup) {
  const std::string svg = roofline_plot(
      "roofline", device(), {{"x", "a", 500, 0.5}, {"y", "b & c", 20, std::nullopt}, {"x", "d", 400, 0.5}});
  EXPECT_EQ(count(svg, "class=\"point s1\""), 2U + 1U) << "two records and the legend";
  EXPECT_EQ(count(svg, "class=\"level s2\""), 1U);
  EXPECT_EQ(count(svg, "class=\"point s2\""), 1U) << "the legend";
  EXPECT_THAT(svg, HasSubstr("a: 500 GFLOP/s at 0.5 FLOP per byte"));
  EXPECT_THAT(svg, HasSubstr("b &amp; c: 20 GFLOP/s"));
}

TEST(RatioPlot, AnIntervalThatHoldsOneLooksDifferent) {
  const std::string svg =
      ratio_plot("ratios", "speed-up", {{"n", 1.1, 1.05, 1.2}, {"m", 1, 0.9, 1.1}, {"k", 0.8, 0.7, 0.9}});
  EXPECT_EQ(count(svg, "class=\"effect faster\""), 1U);
  EXPECT_EQ(count(svg, "class=\"effect none\""), 1U);
  EXPECT_EQ(count(svg, "class=\"effect slower\""), 1U);
  EXPECT_EQ(count(svg, "class=\"interval\""), 9U) << "a line and two caps each";
  EXPECT_EQ(count(svg, "class=\"unity\""), 1U);
  EXPECT_THAT(svg, HasSubstr("n: 1.100 [1.050, 1.200], faster"));
  EXPECT_THAT(svg, HasSubstr(">speed-up</text>"));
}

TEST(RatioPlot, WhatLeavesThePictureEndsInAnArrow) {
  const std::string svg = ratio_plot("ratios", "speed-up", {{"wild", 1, 0.01, 47}, {"tame", 1, 0.9, 1.1}});
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "class=\"interval\""), 6U);
  // The axis ends at 8 and 1/8: places 6 and 236.
  EXPECT_THAT(svg, HasSubstr("x1=\"6\""));
  EXPECT_THAT(svg, HasSubstr("x2=\"236\""));
}

TEST(CurvePlot, EachCurveHasItsLookItsPointsAndALineOfTheLegend) {
  const std::string svg = curve_plot("curves", "speed-up over a", {1, 10, 100},
                                     {{"a", {1, 1, 1}, {}}, {"b<", {0, 1, 2}, {"one", "two", "three"}}});
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "class=\"dot s0\""), 3U);
  EXPECT_EQ(count(svg, "class=\"dot s1\""), 3U);
  EXPECT_EQ(count(svg, "class=\"curve s1\""), 2U) << "with the legend's";
  EXPECT_THAT(svg, HasSubstr("<title>two</title>"));
  EXPECT_THAT(svg, HasSubstr(">b&lt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">launches</text>"));
  // 100 launches stand at the right end, 350; a value of 2 of 2.16 at 220 - 200 * 2 / 2.16.
  EXPECT_THAT(svg, HasSubstr("cx=\"350\" cy=\"34.81\""));
}

}  // namespace
}  // namespace kiln
