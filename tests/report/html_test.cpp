#include "report/html.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Html, TextIsNeverMarkup) {
  EXPECT_EQ(escape_markup("<a href=\"x\">&'</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escape_markup("a\x01\tb\x1b"), "a\\x01\tb\\x1b");
}

TEST(Html, ATableHasTheMarksThatFiltersNeed) {
  const TextTable table{{{"name"}, {"A & B", true}}, {{{"x"}, {"1"}}}};
  EXPECT_EQ(
      html_table(table, "t<", {{"", "A & B"}, {"0 3"}}),
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"t&lt;\"><table>\n"
      "<thead><tr><th>name</th><th class=\"number\" data-device=\"A &amp; B\">A &amp; B</th></tr></thead>\n"
      "<tbody>\n<tr data-records=\"0 3\"><td>x</td><td class=\"number\">1</td></tr>\n"
      "</tbody></table></div>\n");
}

}  // namespace
}  // namespace kiln
