#include "workload/csv_column.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace kiln {

CsvColumn::CsvColumn(std::string_view text, std::string file, const std::string& column)
    : text_(text), file_(std::move(file)) {
  const std::string_view first = text_.substr(0, text_.find('\n'));
  const std::size_t at = first.find_first_of(",;\t");
  if (at != std::string_view::npos) separator_ = first[at];
  more_ = next_line();
  if (!more_) return;
  if (const auto number = parse_integer(column); number && *number >= 0) {
    index_ = static_cast<std::size_t>(*number);
    if (!parse_real(cell())) next();
    return;
  }
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < cells(); ++i) titles.emplace_back(cell(i));
  const auto found = std::find(titles.begin(), titles.end(), column);
  if (found == titles.end())
    throw bad_input("has no column " + in_quotes(column) + suggestion(column, titles), where());
  index_ = static_cast<std::size_t>(found - titles.begin());
  next();
}

bool CsvColumn::next_line() {
  while (position_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    line_ = text_.substr(position_, end - position_);
    position_ = end + 1;
    ++number_;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (!trim(line_).empty()) return true;
  }
  return false;
}

std::size_t CsvColumn::cells() const {
  return 1 + static_cast<std::size_t>(std::count(line_.begin(), line_.end(), separator_));
}

std::string_view CsvColumn::cell(std::size_t index) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < index; ++i) {
    begin = line_.find(separator_, begin) + 1;
    if (begin == 0) {
      throw bad_input("the line has " + std::to_string(cells()) + " cells; column " + std::to_string(index) +
                          " is wanted, counted from 0",
                      {file_, number_, 1});
    }
  }
  column_ = static_cast<int>(begin) + 1;
  std::string_view cell = trim(line_.substr(begin, line_.find(separator_, begin) - begin));
  if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
  return cell;
}

}  // namespace kiln
