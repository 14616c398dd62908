#include "report/html.h"

#include "base/text.h"

namespace kiln {
namespace {

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escape_markup(value) + "\"";
}

std::string cell(const char* name, bool number, Tone tone, const std::string& text,
                 const std::string& device = "") {
  std::string css = number ? "number" : "";
  const char* word = tone == Tone::kBad ? "bad" : tone == Tone::kWarn ? "warn" : "";
  if (*word != '\0') css += (css.empty() ? "" : " ") + std::string(word);
  if (!css.empty()) css = attribute("class", css);
  if (!device.empty()) css += attribute("data-device", device);
  return std::string("<") + name + css + ">" + escape_markup(text) + "</" + name + ">";
}

}  // namespace

std::string escape_markup(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_element(const std::string& name, const std::string& text) {
  return "<" + name + ">" + escape_markup(text) + "</" + name + ">\n";
}

std::string html_table(const TextTable& table, const std::string& label, const TableMarks& marks) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\" role=\"region\"" + attribute("aria-label", label) +
                     "><table>\n<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const TableColumn& column = table.columns[i];
    text += cell("th", column.right, Tone::kPlain, title_in_one_line(column.title),
                 i < marks.devices.size() ? marks.devices[i] : "");
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    text += "<tr" + (row < marks.records.size() ? attribute("data-records", marks.records[row]) : "") + ">";
    for (std::size_t i = 0; i < table.rows[row].size(); ++i) {
      const TableCell& value = table.rows[row][i];
      text += cell("td", table.columns[i].right, value.tone, value.text);
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string html_list(const std::vector<std::string>& lines) {
  std::string text = "<ul>\n";
  for (const std::string& line : lines) text += html_element("li", line);
  return text + "</ul>\n";
}

}  // namespace kiln
