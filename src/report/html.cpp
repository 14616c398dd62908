#include "report/html.h"

#include "report/svg.h"

namespace kiln {
namespace {

std::string cell(const char* name, bool number, Tone tone, const std::string& text) {
  std::string css = number ? "number" : "";
  const char* word = tone == Tone::kBad ? "bad" : tone == Tone::kWarn ? "warn" : "";
  if (*word != '\0') css += (css.empty() ? "" : " ") + std::string(word);
  if (!css.empty()) css = " class=\"" + css + "\"";
  return std::string("<") + name + css + ">" + escape_markup(text) + "</" + name + ">";
}

}  // namespace

std::string html_element(const std::string& name, const std::string& text) {
  return "<" + name + ">" + escape_markup(text) + "</" + name + ">\n";
}

std::string html_table(const TextTable& table, const std::string& label) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     escape_markup(label) + "\"><table>\n<thead><tr>";
  for (const TableColumn& column : table.columns)
    text += cell("th", column.right, Tone::kPlain, title_in_one_line(column.title));
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<TableCell>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += cell("td", table.columns[i].right, row[i].tone, row[i].text);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string html_figures(const std::vector<Plot>& plots) {
  std::string text = "<div class=\"figures\">\n";
  for (const Plot& plot : plots)
    text += "<figure>\n" + html_element("figcaption", plot.caption) + plot.svg + "</figure>\n";
  return text + "</div>\n";
}

std::string html_list(const std::vector<std::string>& lines) {
  std::string text = "<ul>\n";
  for (const std::string& line : lines) text += html_element("li", line);
  return text + "</ul>\n";
}

}  // namespace kiln
