#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "kiln/error.h"

namespace kiln {

/// A column of a text whose lines are cells between commas, semicolons or tabs, one cell at a time. The text
/// outlives it.
class CsvColumn {
 public:
  /// `column`: a name in the first line, or a number from 0; a first line without a number in that column is
  /// skipped. Throws bad_input with the place where there is none of that name.
  CsvColumn(std::string_view text, std::string file, const std::string& column);

  /// Whether there is another line of numbers.
  [[nodiscard]] bool more() const { return more_; }
  /// The column's cell of the line, without blanks and quotation marks around it. Throws bad_input if the
  /// line has fewer.
  [[nodiscard]] std::string_view cell() { return cell(index_); }
  /// Goes on to the next line that is not empty.
  void next() { more_ = next_line(); }
  /// The place of the last cell.
  [[nodiscard]] SourceLocation where() const { return {file_, number_, column_}; }

 private:
  bool next_line();
  [[nodiscard]] std::size_t cells() const;
  [[nodiscard]] std::string_view cell(std::size_t index);

  std::string_view text_, line_;
  std::string file_;
  char separator_ = ',';
  std::size_t position_ = 0, index_ = 0;
  int number_ = 0, column_ = 1;
  bool more_ = false;
};

}  // namespace kiln
