#include "trial/file_formats.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <variant>

#include "base/checked_size.h"
#include "base/input_file.h"
#include "base/text.h"
#include "workload/element_value.h"
#include "workload/npy_header.h"

namespace kiln {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes of files and buffers are little-endian");

std::string no_element(const BufferLayout& layout, const std::string& found) {
  return found + " is no element of buffer '" + layout.spec->name + "'; expected " +
         expected_element(*layout.scalar) + " (" + to_string(*layout.scalar) + ")";
}

// ------------------------------------------------------------------------------------------------ NumPy

using NpyNumber = std::variant<double, std::int64_t, std::uint64_t>;

template <class T>
NpyNumber load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (is_real_type<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

/// The scalar type whose elements the file holds.
ScalarType type_in_file(const NpyHeader& header) {
  if (header.kind == 'b') return ScalarType::kUint8;
  const char* prefix = header.kind == 'i' ? "int" : "uint";
  if (header.kind != 'f') return parse_scalar_type(prefix + std::to_string(8 * header.bytes)).value();
  return parse_scalar_type(header.bytes == 2 ? "half" : header.bytes == 4 ? "float" : "double").value();
}

NpyNumber number_at(const std::byte* place, const NpyHeader& header, ScalarType type) {
  std::byte bytes[sizeof(std::uint64_t)];
  std::memcpy(bytes, place, header.bytes);
  if (header.big_endian) std::reverse(bytes, bytes + header.bytes);
  return visit_scalar(type, [&]<class T>() { return load<T>(bytes); });
}

template <class T>
std::optional<T> element_of_number(const NpyNumber& number) {
  return std::visit(
      [](auto value) -> std::optional<T> {
        if constexpr (is_real_type<T> || std::is_same_v<T, bool>)
          return to_element<T>(static_cast<double>(value));
        if constexpr (std::is_same_v<decltype(value), double>) return to_element<T>(value);
        if constexpr (!is_real_type<T> && !std::is_same_v<decltype(value), double> &&
                      !std::is_same_v<T, bool>) {
          if (std::in_range<T>(value)) return static_cast<T>(value);
        }
        return std::nullopt;
      },
      number);
}

std::vector<std::uint64_t> without_ones(std::vector<std::uint64_t> shape) {
  std::erase(shape, 1U);
  return shape;
}

/// The place in the file of an element, by its place in the buffer.
std::uint64_t place_in_file(const NpyHeader& header, std::uint64_t index) {
  if (!header.fortran_order) return index;
  std::uint64_t stride = 1;
  std::uint64_t size = 1;
  std::uint64_t place = 0;
  for (const std::uint64_t extent : header.shape) size *= extent;
  for (const std::uint64_t extent : header.shape) {
    size /= extent;
    place += index / size * stride;
    index %= size;
    stride *= extent;
  }
  return place;
}

void require_shape(const BufferLayout& layout, const NpyHeader& header, std::uint64_t file_bytes,
                   const std::string& path) {
  if (without_ones(header.shape) != without_ones(layout.shape)) {
    std::vector<std::string> extents;
    for (const std::uint64_t extent : layout.shape) extents.push_back(std::to_string(extent));
    throw bad_input("has the shape " + header.shape_text() + "; buffer '" + layout.spec->name + "' has (" +
                        join(extents, ", ") + ")",
                    {path, 0, 0});
  }
  const auto needed = (CheckedSize(layout.count) * header.bytes + header.data_offset).value();
  if (needed == file_bytes) return;
  throw bad_input("holds " + std::to_string(file_bytes) + " bytes; its header promises " +
                      (needed ? std::to_string(*needed) : "more than 2^64"),
                  {path, 0, 0});
}

// -------------------------------------------------------------------------------------------------- CSV

/// The lines of a text, and the cells of one at a time.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    const std::string_view first = text_.substr(0, text_.find('\n'));
    const std::size_t at = first.find_first_of(",;\t");
    if (at != std::string_view::npos) separator_ = first[at];
  }

  /// Goes on to the next line that is not empty; false if there is none.
  bool next_line() {
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

  [[nodiscard]] std::size_t cells() const {
    return 1 + static_cast<std::size_t>(std::count(line_.begin(), line_.end(), separator_));
  }
  /// Without blanks and quotation marks around it. Throws bad_input if the line has fewer.
  [[nodiscard]] std::string_view cell(std::size_t index) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < index; ++i) {
      begin = line_.find(separator_, begin) + 1;
      if (begin == 0) {
        throw bad_input("the line has " + std::to_string(cells()) + " cells; column " +
                            std::to_string(index) + " is wanted, counted from 0",
                        {file_, number_, 1});
      }
    }
    column_ = static_cast<int>(begin) + 1;
    std::string_view cell = trim(line_.substr(begin, line_.find(separator_, begin) - begin));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    return cell;
  }
  /// The place of the last cell.
  [[nodiscard]] SourceLocation where() const { return {file_, number_, column_}; }

 private:
  std::string_view text_, line_;
  std::string file_;
  char separator_ = ',';
  std::size_t position_ = 0;
  int number_ = 0, column_ = 1;
};

/// The column's number, the reader at the first line of numbers; false if there is none.
std::pair<std::size_t, bool> find_column(CsvReader& reader, const std::string& column) {
  if (!reader.next_line()) return {0, false};
  if (const auto number = parse_integer(column); number && *number >= 0) {
    const auto index = static_cast<std::size_t>(*number);
    const bool title = !parse_real(reader.cell(index));
    return {index, !title || reader.next_line()};
  }
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < reader.cells(); ++i) titles.emplace_back(reader.cell(i));
  const auto found = std::find(titles.begin(), titles.end(), column);
  if (found == titles.end())
    throw bad_input("has no column " + in_quotes(column) + suggestion(column, titles), reader.where());
  return {static_cast<std::size_t>(found - titles.begin()), reader.next_line()};
}

}  // namespace

void fill_from_npy(const BufferLayout& layout, const std::string& path, FileSystem& files,
                   std::span<std::byte> out) {
  const std::uint64_t file_bytes = input_status(files, path).size;
  const std::string beginning = files.read(path, {0, NpyHeader::kMostBytes}).value_or("");
  const NpyHeader header = read_npy_header(beginning, path);
  require_shape(layout, header, file_bytes, path);
  const std::string data = files.read(path, {header.data_offset, layout.count * header.bytes}).value_or("");
  if (data.size() != layout.count * header.bytes)
    throw bad_input("became shorter while it was read", {path, 0, 0});
  const auto* begin = reinterpret_cast<const std::byte*>(data.data());
  const ScalarType type = type_in_file(header);
  visit_element(layout.scalar.value(), [&]<class T>() {
    for (std::uint64_t i = 0; i < layout.count; ++i) {
      const NpyNumber number = number_at(begin + place_in_file(header, i) * header.bytes, header, type);
      const auto element = element_of_number<T>(number);
      if (!element) {
        const std::string found = std::visit(
            [](auto value) {
              if constexpr (std::is_same_v<decltype(value), double>)
                return format_number(value);
              else
                return std::to_string(value);
            },
            number);
        throw bad_input(no_element(layout, "element " + layout.index_text(i) + ", " + found + ","),
                        {path, 0, 0});
      }
      std::memcpy(out.data() + i * sizeof(T), &*element, sizeof(T));
    }
  });
}

void fill_from_csv(const BufferLayout& layout, const std::string& column, bool partial,
                   const std::string& path, FileSystem& files, std::span<std::byte> out) {
  const std::string text = read_input(files, path, kDataInput);
  CsvReader reader(text, path);
  const auto found = find_column(reader, column);
  const std::size_t index = found.first;
  bool more = found.second;
  visit_element(layout.scalar.value(), [&]<class T>() {
    for (std::uint64_t i = 0; i < layout.count; ++i, more = reader.next_line()) {
      if (!more) {
        throw bad_input("ends after " + std::to_string(i) + " of the " + std::to_string(layout.count) +
                            " lines of numbers that buffer '" + layout.spec->name + "' needs",
                        reader.where());
      }
      const std::string_view cell = reader.cell(index);
      const auto element = to_element<T>(cell);
      if (!element) throw bad_input(no_element(layout, in_quotes(cell)), reader.where());
      std::memcpy(out.data() + i * sizeof(T), &*element, sizeof(T));
    }
  });
  if (more && !partial) {
    throw bad_input("holds more than the " + std::to_string(layout.count) + " lines of numbers of buffer '" +
                        layout.spec->name + "'",
                    reader.where());
  }
}

}  // namespace kiln
