#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The style of text for people, which depends on where the text goes.
struct TextStyle {
  int width = 0;       ///< columns of the terminal; 0: no limit
  bool utf8 = true;    ///< false: ASCII only
  bool color = false;  ///< ANSI escape sequences

  [[nodiscard]] std::string dot() const { return utf8 ? " · " : " | "; }
  [[nodiscard]] std::string plus_minus() const { return utf8 ? " ± " : " +- "; }
};

/// What a cell's text means; it decides the colour.
enum class Tone { kPlain, kGood, kWarn, kBad, kDim, kStrong };

/// The escape sequence that begins a tone's colour; empty for plain text.
[[nodiscard]] std::string_view escape_of(Tone tone);
inline constexpr std::string_view kEndOfColour = "\033[0m";

/// `text`, printable, in the colour of `tone`, if the style has colours.
[[nodiscard]] std::string paint(const std::string& text, Tone tone, const TextStyle& style);

/// Columns that a terminal gives to UTF-8 text: one for each code point.
[[nodiscard]] std::size_t display_width(const std::string& text);

struct TableCell {
  std::string text;
  Tone tone = Tone::kPlain;
};

/// A title may have several lines. Numbers are aligned right, words left.
struct TableColumn {
  std::string title;
  bool right = false;
};

/// A title in one line: "effi-\nciency" becomes one word, other line ends become blanks.
[[nodiscard]] std::string title_in_one_line(std::string title);

/// A table as data; each row has one cell for each column.
struct TextTable {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;
};

/// Aligned printable text with a rule under the titles. If a table is wider than the style's width, words are
/// wrapped to about two lines. Columns that still do not fit continue in further blocks below, each of which
/// repeats the first column.
[[nodiscard]] std::string render_terminal(const TextTable& table, const TextStyle& style);
/// A table in GitHub's dialect of Markdown, in UTF-8 for any terminal; a cell is shown as text
/// (`markdown_text`).
[[nodiscard]] std::string render_markdown(const TextTable& table);

/// `text` on one line, so that Markdown shows it unchanged: no element of HTML, link, code, emphasis or
/// column.
[[nodiscard]] std::string markdown_text(std::string_view text);

/// Lines of at most `width` columns, broken at blanks (0: no limit); line ends in `text` are kept.
[[nodiscard]] std::vector<std::string> wrap_text(const std::string& text, std::size_t width);

}  // namespace kiln
