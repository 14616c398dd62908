#include "report/text_table.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace kiln {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kGap = 3;  // " | "

std::size_t widest_line(const Lines& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

std::size_t natural_width(const TextTable& table, std::size_t column) {
  std::size_t width = widest_line(split(table.columns[column].title, '\n'));
  for (const auto& row : table.rows) width = std::max(width, widest_line(split(row[column].text, '\n')));
  return width;
}

std::string repeat(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string without_trailing_blanks(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The columns of one block and the width of each.
struct Block {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> widths;

  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 2;
    for (const std::size_t width : widths) sum += width + kGap;
    return sum - kGap;
  }
};

/// The width of a column: on one line, on about two lines, and at least.
struct Widths {
  std::size_t natural = 0, two_lines = 0, least = 0;
};

std::size_t longest_word(const TextTable& table, std::size_t column) {
  std::size_t width = 0;
  const auto look_at = [&](const std::string& text) {
    for (const std::string& line : split(text, '\n')) width = std::max(width, widest_line(split(line, ' ')));
  };
  look_at(table.columns[column].title);
  for (const auto& row : table.rows) look_at(row[column].text);
  return width;
}

Widths widths_of(const TextTable& table, std::size_t column) {
  Widths widths;
  widths.natural = natural_width(table, column);
  const bool wraps = !table.columns[column].right;
  widths.least = wraps ? longest_word(table, column) : widths.natural;
  widths.two_lines = wraps ? std::max(widths.least, (widths.natural + 1) / 2) : widths.natural;
  return widths;
}

/// Distributes the limit over the columns from the left, or shrinks columns from the right.
void fit(Block& block, const std::vector<Widths>& widths, std::size_t limit) {
  for (std::size_t i = block.columns.size(); i-- > 0;) {
    const std::size_t excess = block.total() - std::min(block.total(), limit);
    const std::size_t least = widths[block.columns[i]].least;
    block.widths[i] -= std::min(excess, block.widths[i] - least);
  }
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const std::size_t room = limit - std::min(block.total(), limit);
    block.widths[i] += std::min(room, widths[block.columns[i]].natural - block.widths[i]);
  }
}

/// Fills blocks from the left with columns of about two lines; the first column opens each.
std::vector<Block> make_blocks(const TextTable& table, std::size_t limit) {
  std::vector<Widths> widths;
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    widths.push_back(widths_of(table, column));
  std::vector<Block> blocks{{{0}, {widths[0].two_lines}}};
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    const bool full = blocks.back().total() + kGap + widths[column].two_lines > limit;
    if (full && blocks.back().columns.size() > 1) blocks.push_back({{0}, {widths[0].two_lines}});
    blocks.back().columns.push_back(column);
    blocks.back().widths.push_back(widths[column].two_lines);
  }
  for (Block& block : blocks) fit(block, widths, limit);
  return blocks;
}

class TerminalWriter {
 public:
  TerminalWriter(TextTable table, const TextStyle& style) : table_(std::move(table)), style_(style) {}

  std::string write() {
    if (table_.columns.empty()) return "";
    const auto limit = style_.width > 0 ? static_cast<std::size_t>(style_.width) : SIZE_MAX / 2;
    for (const Block& block : make_blocks(table_, limit)) {
      if (!text_.empty()) text_ += "\n";
      write_block(block);
    }
    return std::move(text_);
  }

 private:
  void write_block(const Block& block) {
    std::vector<TableCell> titles;
    for (const TableColumn& column : table_.columns) titles.push_back({column.title, Tone::kStrong});
    write_row(block, titles);
    write_rule(block);
    for (const auto& row : table_.rows) write_row(block, row);
  }

  void write_rule(const Block& block) {
    const std::string dash = style_.utf8 ? "─" : "-";
    const std::string cross = style_.utf8 ? "┼" : "+";
    std::string line;
    for (const std::size_t width : block.widths) {
      if (!line.empty()) line += cross;
      line += repeat(dash, width + 2);
    }
    text_ += paint(line, Tone::kDim, style_) + "\n";
  }

  void write_row(const Block& block, const std::vector<TableCell>& row) {
    std::vector<Lines> cells;
    std::size_t height = 0;
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      cells.push_back(wrap_text(row[block.columns[i]].text, block.widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t line = 0; line < height; ++line) write_line(block, row, cells, line);
  }

  void write_line(const Block& block, const std::vector<TableCell>& row, const std::vector<Lines>& cells,
                  std::size_t line) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t column = block.columns[i];
      const std::string cell = line < cells[i].size() ? cells[i][line] : "";
      text += i == 0 ? " " : bar();
      const std::string aligned = padded(cell, block.widths[i], table_.columns[column].right);
      text +=
          paint(i + 1 == cells.size() ? without_trailing_blanks(aligned) : aligned, row[column].tone, style_);
    }
    text_ += without_trailing_blanks(text) + "\n";
  }

  [[nodiscard]] std::string bar() const {
    return " " + paint(style_.utf8 ? "│" : "|", Tone::kDim, style_) + " ";
  }

  TextTable table_;
  const TextStyle& style_;
  std::string text_;
};

/// Cells as they are shown, so that widths are the widths of the shown text.
TextTable printable_table(TextTable table) {
  for (TableColumn& column : table.columns) column.title = printable(column.title);
  for (auto& row : table.rows) {
    for (TableCell& cell : row) cell.text = printable(cell.text);
  }
  return table;
}

}  // namespace

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "\033[32m";
    case Tone::kWarn:
      return "\033[33m";
    case Tone::kBad:
      return "\033[1;31m";
    case Tone::kDim:
      return "\033[2m";
    case Tone::kStrong:
      return "\033[1m";
    case Tone::kPlain:
      break;
  }
  return "";
}

std::string paint(const std::string& text, Tone tone, const TextStyle& style) {
  if (!style.color || tone == Tone::kPlain || text.empty()) return printable(text);
  return std::string(escape_of(tone)).append(printable(text)).append(kEndOfColour);
}

std::string title_in_one_line(std::string title) {
  for (std::size_t at = title.find("-\n"); at != std::string::npos; at = title.find("-\n"))
    title.erase(at, 2);
  std::replace(title.begin(), title.end(), '\n', ' ');
  return title;
}

std::size_t display_width(const std::string& text) {
  constexpr unsigned char kContinuationMask = 0xC0;
  constexpr unsigned char kContinuation = 0x80;
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & kContinuationMask) != kContinuation;
  }));
}

std::vector<std::string> wrap_text(const std::string& text, std::size_t width) {
  Lines lines;
  for (const std::string& paragraph : split(text, '\n')) {
    if (width == 0 || display_width(paragraph) <= width) {
      lines.push_back(paragraph);
      continue;
    }
    std::string line;
    for (const std::string& word : split(paragraph, ' ')) {
      if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      line += line.empty() ? word : " " + word;
    }
    lines.push_back(line);
  }
  return lines;
}

std::string render_terminal(const TextTable& table, const TextStyle& style) {
  return TerminalWriter(printable_table(table), style).write();
}

}  // namespace kiln
