#include <cctype>

#include "base/text.h"
#include "report/text_table.h"

namespace kiln {
namespace {

/// Whether `c` has a meaning in Markdown at this place: a column, code, an element of HTML, a character
/// reference, the middle of a link, emphasis.
bool is_markdown(char before, char c, char after) {
  const bool letter = std::isalpha(static_cast<unsigned char>(after)) != 0;
  switch (c) {
    case '|':
    case '`':
      return true;
    case '\\':
      return std::ispunct(static_cast<unsigned char>(after)) != 0;
    case '<':
      return letter || after == '/' || after == '!' || after == '?';
    case '&':
      return letter || after == '#';
    case ']':
      return after == '(' || after == '[' || after == ':';
    case '*':
      return before != ' ' || after != ' ';
    default:
      return false;
  }
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? ' ' : c;
  line = printable_line(line);
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char before = i > 0 ? line[i - 1] : ' ';
    const char after = i + 1 < line.size() ? line[i + 1] : ' ';
    if (is_markdown(before, line[i], after)) result += '\\';
    result += line[i];
  }
  return result;
}

std::string render_markdown(const TextTable& table) {
  std::string titles = "|";
  std::string rule = "|";
  for (const TableColumn& column : table.columns) {
    titles += " " + markdown_text(title_in_one_line(column.title)) + " |";
    rule += column.right ? " ---: |" : " --- |";
  }
  std::string text = titles + "\n" + rule + "\n";
  for (const auto& row : table.rows) {
    text += "|";
    for (const TableCell& cell : row) text += " " + markdown_text(cell.text) + " |";
    text += "\n";
  }
  return text;
}

}  // namespace kiln
