#include "report/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EscapeMarkup, KeepsTextTextInContentAndAttributes) {
  EXPECT_EQ(escape_markup("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escape_markup("\xc2\xb5s\n\t"), "\xc2\xb5s\n\t");
  EXPECT_EQ(escape_markup(std::string("x\0\x1b\x7fy", 5)), "x\\x00\\x1b\\u007fy");
}

TEST(Svg, HoldsItsMarksInOrder) {
  Svg svg(10, 20.5, "a \"picture\"");
  svg.rect(1, 2, 3, 4, "bar", "one & only", 0.5);
  svg.line(0, 0, 1.23456, 2, "grid");
  svg.polyline({{1, 2}, {3.456, 4}}, "curve");
  svg.polyline({{1, 2}}, "no line");
  svg.circle(5, 5, 2, "point", "");
  svg.text(1, 2, "<b>", "label", "end");
  EXPECT_EQ(
      svg.str(),
      "<svg viewBox=\"0 0 10 20.5\" role=\"img\" aria-label=\"a &quot;picture&quot;\">\n"
      "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" class=\"bar\" fill-opacity=\"0.5\"><title>one &amp; "
      "only</title></rect>\n"
      "<line x1=\"0\" y1=\"0\" x2=\"1.23\" y2=\"2\" class=\"grid\"/>\n"
      "<polyline points=\"1,2 3.46,4\" class=\"curve\"/>\n"
      "<circle cx=\"5\" cy=\"5\" r=\"2\" class=\"point\"/>\n"
      "<text x=\"1\" y=\"2\" class=\"label\" text-anchor=\"end\">&lt;b&gt;</text>\n"
      "</svg>\n");
}

}  // namespace
}  // namespace kiln
