#include "workload/matrix_market.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/text.h"
#include "base/word_table.h"

namespace kiln {

template <>
inline constexpr auto kWords<MatrixHeader::Format> = std::to_array<Word<MatrixHeader::Format>>(
    {{MatrixHeader::Format::kCoordinate, "coordinate"}, {MatrixHeader::Format::kArray, "array"}});
template <>
inline constexpr auto kWords<MatrixHeader::Field> =
    std::to_array<Word<MatrixHeader::Field>>({{MatrixHeader::Field::kReal, "real"},
                                              {MatrixHeader::Field::kInteger, "integer"},
                                              {MatrixHeader::Field::kPattern, "pattern"},
                                              {MatrixHeader::Field::kComplex, "complex"}});
template <>
inline constexpr auto kWords<MatrixHeader::Symmetry> =
    std::to_array<Word<MatrixHeader::Symmetry>>({{MatrixHeader::Symmetry::kGeneral, "general"},
                                                 {MatrixHeader::Symmetry::kSymmetric, "symmetric"},
                                                 {MatrixHeader::Symmetry::kSkewSymmetric, "skew-symmetric"},
                                                 {MatrixHeader::Symmetry::kHermitian, "hermitian"}});

namespace {

using Format = MatrixHeader::Format;
using Field = MatrixHeader::Field;
using Symmetry = MatrixHeader::Symmetry;

constexpr std::uint64_t kMostExtent = std::numeric_limits<std::uint32_t>::max();
constexpr std::string_view kBlanks = " \t\r\v\f";

/// The word of `text` that begins at `position` or after blanks; `position` is behind it then.
std::string_view next_word(std::string_view text, std::size_t& position) {
  const std::size_t begin = std::min(text.find_first_not_of(kBlanks, position), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t\r\v\f\n", begin), text.size());
  position = end;
  return text.substr(begin, end - begin);
}

/// Lines and their words.
class LineReader {
 public:
  LineReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// Goes on to the next line; false if there is none.
  bool next_line() {
    if (next_ >= text_.size()) return false;
    begin_ = position_ = next_;
    const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
    line_ = text_.substr(0, end);
    next_ = end + 1;
    ++number_;
    return true;
  }
  /// Goes on to the next line that holds more than blanks and is no comment.
  bool next_data_line() {
    while (next_line()) {
      const std::size_t first = line_.find_first_not_of(kBlanks, begin_);
      if (first != std::string_view::npos && line_[first] != '%') return true;
    }
    return false;
  }
  /// The next word of the line; empty at its end.
  std::string_view word() { return next_word(line_, position_); }
  /// A whole number in [low, high].
  std::uint64_t whole(const char* what, std::uint64_t low, std::uint64_t high) {
    const std::string_view found = word();
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (problem == std::errc() && end == found.data() + found.size() && value >= low && value <= high)
      return value;
    throw error(std::string("expected ") + what + ", a whole number from " + std::to_string(low) + " to " +
                std::to_string(high) + "; found " +
                (found.empty() ? "the end of the line" : in_quotes(found)));
  }
  void require_end() {
    if (const std::string_view more = word(); !more.empty())
      throw error("expected the end of the line; found " + in_quotes(more));
  }
  /// Behind the last word.
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] Error error(const std::string& message) const {
    return bad_input(message, {file_, number_, 0});
  }

 private:
  std::string_view text_, line_;  // line_: up to the end of the line
  std::string file_;
  std::size_t begin_ = 0, position_ = 0, next_ = 0;
  int number_ = 0;
};

/// In letters of either case.
template <HasWords Value>
Value next_word(LineReader& reader) {
  std::string word(reader.word());
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (const auto value = from_word<Value>(word)) return *value;
  throw reader.error(in_quotes(word) + " is not known" + suggestion(word, words_of<Value>()));
}

/// Lines of an array.
std::uint64_t stored_numbers(const MatrixHeader& header) {
  if (header.symmetry == Symmetry::kGeneral) return header.rows * header.columns;
  const bool diagonal = header.symmetry != Symmetry::kSkewSymmetric;
  return header.rows * (diagonal ? header.rows + 1 : std::max<std::uint64_t>(header.rows, 1) - 1) / 2;
}

void require_consistent(const MatrixHeader& header, const LineReader& reader) {
  if (header.field == Field::kPattern && header.format == Format::kArray)
    throw reader.error("an array has numbers; 'pattern' goes with 'coordinate'");
  if (header.field == Field::kPattern && header.symmetry == Symmetry::kSkewSymmetric)
    throw reader.error("a pattern has no values and cannot be skew-symmetric");
  if (header.symmetry == Symmetry::kHermitian && header.field != Field::kComplex)
    throw reader.error("'hermitian' goes with 'complex'");
}

MatrixHeader read_header(LineReader& reader) {
  if (!reader.next_line() || reader.word() != "%%MatrixMarket")
    throw reader.error("is not a MatrixMarket file: its first line does not begin with %%MatrixMarket");
  if (const std::string object(reader.word()); object != "matrix")
    throw reader.error("holds " + in_quotes(object) + "; expected 'matrix'");
  MatrixHeader header;
  header.format = next_word<Format>(reader);
  header.field = next_word<Field>(reader);
  header.symmetry = next_word<Symmetry>(reader);
  reader.require_end();
  require_consistent(header, reader);
  if (!reader.next_data_line()) throw reader.error("ends before the line of sizes");
  header.rows = reader.whole("the number of rows", 0, kMostExtent);
  header.columns = reader.whole("the number of columns", 0, kMostExtent);
  if (header.symmetry != Symmetry::kGeneral && header.rows != header.columns) {
    throw reader.error("has " + std::to_string(header.rows) + " rows and " + std::to_string(header.columns) +
                       " columns and is to be " + to_string(header.symmetry));
  }
  header.stored = header.format == Format::kArray
                      ? stored_numbers(header)
                      : reader.whole("the number of entries", 0, header.rows * header.columns);
  reader.require_end();
  return header;
}

/// The next line that holds entry `index` of those promised.
void next_entry(LineReader& reader, const MatrixHeader& header, std::uint64_t index) {
  if (reader.next_data_line()) return;
  throw reader.error("ends after " + std::to_string(index) + " of the " + std::to_string(header.stored) +
                     " entries that its header promises");
}

void add(Matrix& matrix, std::uint64_t row, std::uint64_t column, LineReader& reader) {
  const auto place = static_cast<std::uint32_t>(reader.position());
  for (std::size_t i = 0; i < matrix.header.numbers(); ++i) {
    const std::string_view word = reader.word();
    if (word.empty())
      throw reader.error(
          std::string("expected ") + (matrix.header.format == Format::kCoordinate ? "row, column and " : "") +
          (matrix.header.numbers() == 2 ? "two numbers, real and imaginary part" : "a number") +
          "; found the end of the line");
    if (const std::size_t signs = std::min(word.find_first_not_of("+-"), word.size());
        signs > 1 || signs == word.size())
      throw reader.error("expected a number; found " + in_quotes(word));
  }
  reader.require_end();
  const auto small_row = static_cast<std::uint32_t>(row);
  const auto small_column = static_cast<std::uint32_t>(column);
  matrix.entries.push_back({small_row, small_column, place, false});
  if (matrix.header.symmetry == Symmetry::kGeneral) return;
  if (row != column) {
    matrix.entries.push_back({small_column, small_row, place, true});
  } else if (matrix.header.symmetry == Symmetry::kSkewSymmetric) {
    throw reader.error("a skew-symmetric matrix has no entries on its diagonal");
  }
}

void read_coordinates(Matrix& matrix, LineReader& reader) {
  for (std::uint64_t i = 0; i < matrix.header.stored; ++i) {
    next_entry(reader, matrix.header, i);
    const std::uint64_t row = reader.whole("a row", 1, matrix.header.rows) - 1;
    const std::uint64_t column = reader.whole("a column", 1, matrix.header.columns) - 1;
    add(matrix, row, column, reader);
  }
}

void read_array(Matrix& matrix, LineReader& reader) {
  const Symmetry symmetry = matrix.header.symmetry;
  std::uint64_t done = 0;
  for (std::uint64_t column = 0; done < matrix.header.stored; ++column) {
    std::uint64_t row = symmetry == Symmetry::kGeneral ? 0 : column;
    if (symmetry == Symmetry::kSkewSymmetric) ++row;
    for (; row < matrix.header.rows; ++row) {
      next_entry(reader, matrix.header, done++);
      add(matrix, row, column, reader);
    }
  }
}

void sort_entries(Matrix& matrix) {
  auto& entries = matrix.entries;
  const auto by_order = [](const auto& a, const auto& b) {
    return a.order() != b.order() ? a.order() < b.order() : a.place < b.place;
  };
  if (!std::is_sorted(entries.begin(), entries.end(), by_order))
    std::sort(entries.begin(), entries.end(), by_order);
  const auto twice = std::adjacent_find(entries.begin(), entries.end(),
                                        [](const auto& a, const auto& b) { return a.order() == b.order(); });
  if (twice == entries.end()) return;
  const bool general = matrix.header.symmetry == Symmetry::kGeneral;
  throw bad_input("the entry of row " + std::to_string(twice->row + std::uint64_t{1}) + ", column " +
                      std::to_string(twice->column + std::uint64_t{1}) + " is there twice" +
                      (general ? "" : "; of two that mirror each other a file has one"),
                  matrix.where(*std::next(twice)));
}

}  // namespace

std::string Matrix::number(const Entry& entry, std::size_t part) const {
  if (header.field == Field::kPattern) return "1";
  std::size_t position = entry.place;
  std::string_view word = next_word(text, position);
  for (std::size_t i = 0; i < part; ++i) word = next_word(text, position);
  const bool negative = entry.mirrored && (header.symmetry == Symmetry::kSkewSymmetric ||
                                           (header.symmetry == Symmetry::kHermitian && part == 1));
  if (word.starts_with('+')) word.remove_prefix(1);
  if (!negative) return std::string(word);
  return word.starts_with('-') ? std::string(word.substr(1)) : "-" + std::string(word);
}

SourceLocation Matrix::where(const Entry& entry) const {
  const auto line = std::count(text.begin(), text.begin() + entry.place, '\n') + 1;
  return {file, static_cast<int>(line), 0};
}

MatrixHeader parse_matrix_header(std::string_view beginning, const std::string& file) {
  LineReader reader(beginning, file);
  return read_header(reader);
}

Matrix parse_matrix(std::string text, const std::string& file) {
  Matrix matrix;
  matrix.file = file;
  matrix.text = std::move(text);
  if (matrix.text.size() > std::numeric_limits<std::uint32_t>::max())
    throw bad_input("is too large for a matrix: at most " +
                        format_bytes(std::numeric_limits<std::uint32_t>::max()) + " of text",
                    {file, 0, 0});
  LineReader reader(matrix.text, file);
  matrix.header = read_header(reader);
  // A digit and a line's end for each number: what a header promises is not believed.
  const std::uint64_t line_bytes =
      2 * (matrix.header.numbers() + (matrix.header.format == Format::kCoordinate ? 2 : 0));
  const std::uint64_t possible = (matrix.text.size() + 1) / line_bytes;
  const bool general = matrix.header.symmetry == Symmetry::kGeneral;
  matrix.entries.reserve(std::min(matrix.header.stored, possible) * (general ? 1 : 2));
  if (matrix.header.format == Format::kCoordinate) {
    read_coordinates(matrix, reader);
  } else {
    read_array(matrix, reader);
  }
  if (reader.next_data_line())
    throw reader.error("holds more than the " + std::to_string(matrix.header.stored) +
                       " entries that its header promises");
  sort_entries(matrix);
  return matrix;
}

}  // namespace kiln
