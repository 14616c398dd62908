#include "trial/file_formats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/checked_size.h"
#include "base/input_file.h"
#include "base/text.h"
#include "service/task_threads.h"
#include "workload/csv_column.h"
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

/// The scalar type whose elements the file holds.
ScalarType type_in_file(const NpyHeader& header) {
  if (header.kind == 'b') return ScalarType::kUint8;
  const char* prefix = header.kind == 'i' ? "int" : "uint";
  if (header.kind != 'f') return parse_scalar_type(prefix + std::to_string(8 * header.bytes)).value();
  return parse_scalar_type(header.bytes == 2 ? "half" : header.bytes == 4 ? "float" : "double").value();
}

/// The element for a number of the file; `nullopt` if it does not fit.
template <class T, class Number>
std::optional<T> element_of_number(Number number) {
  if constexpr (kIsRealType<Number> || kIsRealType<T> || std::is_same_v<T, bool>) {
    return to_element<T>(static_cast<double>(number));
  } else {
    using Wide = std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>;
    return std::in_range<T>(static_cast<Wide>(number)) ? std::optional(static_cast<T>(number)) : std::nullopt;
  }
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

template <class Number>
Number number_at(const std::byte* place, const NpyHeader& header) {
  std::array<std::byte, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), place, sizeof(Number));
  if (header.big_endian) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Number>(bytes);
}

template <class Number>
std::string text_of(Number number) {
  if constexpr (kIsRealType<Number>)
    return format_number(static_cast<double>(number));
  else
    return std::to_string(number);
}

/// Elements `begin` to `end` of the buffer, from the numbers of the file.
template <class T, class Number>
void convert(const BufferLayout& layout, const NpyHeader& header, const std::byte* numbers,
             std::uint64_t begin, std::uint64_t end, const std::string& path, std::byte* out) {
  for (std::uint64_t i = begin; i < end; ++i) {
    const auto number = number_at<Number>(numbers + place_in_file(header, i) * sizeof(Number), header);
    const auto element = element_of_number<T>(number);
    if (!element) {
      throw bad_input(no_element(layout, "element " + layout.index_text(i) + ", " + text_of(number) + ","),
                      {path, 0, 0});
    }
    std::memcpy(out + i * sizeof(T), &*element, sizeof(T));
  }
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

// ----------------------------------------------------------------------------------------- MatrixMarket

/// The element that `number` gives as text, or Error at the entry's line.
template <class T>
T element_of(const BufferLayout& layout, const Matrix& matrix, const Matrix::Entry& entry,
             const std::string& number) {
  if (const auto element = to_element<T>(std::string_view(number))) return *element;
  throw bad_input(no_element(layout, in_quotes(number)), matrix.where(entry));
}

/// How many numbers the part has.
std::uint64_t count_of(const Matrix& matrix, MatrixPart part) {
  const std::uint64_t numbers = std::max<std::size_t>(matrix.header.numbers(), 1);
  if (part == MatrixPart::kRowOffsets) return matrix.header.rows + 1;
  if (part == MatrixPart::kValues) return matrix.entries.size() * numbers;
  if (part != MatrixPart::kDense) return matrix.entries.size();
  // Beyond 2^64 it is no buffer's.
  return (CheckedSize(matrix.header.rows) * matrix.header.columns * numbers).value().value_or(0);
}

void require_count(const BufferLayout& layout, const Matrix& matrix, MatrixPart part) {
  const std::uint64_t count = count_of(matrix, part);
  if (count == layout.count) return;
  throw bad_input("has " + std::to_string(matrix.header.rows) + " rows, " +
                      std::to_string(matrix.header.columns) + " columns and " +
                      std::to_string(matrix.entries.size()) +
                      (matrix.header.numbers() == 2 ? " complex entries: " : " entries: ") +
                      std::to_string(count) + " numbers of `part: " + to_string(part) + "`; buffer '" +
                      layout.spec->name + "' has " + std::to_string(layout.count),
                  {matrix.file, 0, 0});
}

/// The first entry of each row, and of what would be the row behind the last.
template <class Store>
void store_row_offsets(const Matrix& matrix, const Store& store) {
  std::uint64_t entry = 0;
  for (std::uint64_t row = 0; row <= matrix.header.rows; ++row) {
    while (entry < matrix.entries.size() && matrix.entries[entry].row < row) ++entry;
    store(row, entry);
  }
}

}  // namespace

void fill_from_matrix(const BufferLayout& layout, const Matrix& matrix, MatrixPart part,
                      std::span<std::byte> out) {
  require_count(layout, matrix, part);
  const std::size_t numbers = std::max<std::size_t>(matrix.header.numbers(), 1);
  visit_element(layout.scalar.value(), [&]<class T>() {
    const auto store = [&](std::uint64_t index, const T& element) {
      std::memcpy(out.data() + index * sizeof(T), &element, sizeof(T));
    };
    const auto store_index = [&](std::uint64_t index, std::uint64_t value) {
      const auto element = to_element<T>(static_cast<double>(value));
      if (!element) throw bad_input(no_element(layout, std::to_string(value)), {matrix.file, 0, 0});
      store(index, *element);
    };
    if (part == MatrixPart::kRowOffsets) return store_row_offsets(matrix, store_index);
    if (part == MatrixPart::kDense) {
      for (std::uint64_t i = 0; i < layout.count; ++i) store(i, T{});
    }
    std::uint64_t index = 0;
    for (const Matrix::Entry& entry : matrix.entries) {
      if (part == MatrixPart::kRowIndices) {
        store_index(index++, entry.row);
      } else if (part == MatrixPart::kColumnIndices) {
        store_index(index++, entry.column);
      } else {
        if (part == MatrixPart::kDense) index = (entry.row * matrix.header.columns + entry.column) * numbers;
        for (std::size_t i = 0; i < numbers; ++i)
          store(index++, element_of<T>(layout, matrix, entry, matrix.number(entry, i)));
      }
    }
  });
}

void fill_from_npy(const BufferLayout& layout, const std::string& path, FileSystem& files,
                   std::span<std::byte> out) {
  const std::uint64_t file_bytes = input_status(files, path).size;
  const std::string beginning = files.read(path, {0, NpyHeader::kMostBytes}).value_or("");
  const NpyHeader header = read_npy_header(beginning, path);
  require_shape(layout, header, file_bytes, path);
  const std::string data = files.read(path, {header.data_offset, layout.count * header.bytes}).value_or("");
  if (data.size() != layout.count * header.bytes)
    throw bad_input("became shorter while it was read", {path, 0, 0});
  const ScalarType type = type_in_file(header);
  if (type == layout.scalar && !header.big_endian && !header.fortran_order) {
    std::memcpy(out.data(), data.data(), data.size());
    return;
  }
  const auto* numbers = reinterpret_cast<const std::byte*>(data.data());
  constexpr std::uint64_t kTask = std::uint64_t{1} << 16;  // elements
  for_each_task(static_cast<std::size_t>((layout.count + kTask - 1) / kTask), [&](std::size_t task) {
    const std::uint64_t begin = task * kTask;
    const std::uint64_t end = std::min(begin + kTask, layout.count);
    visit_element(layout.scalar.value(), [&]<class T>() {
      visit_scalar(type, [&]<class Number>() {
        convert<T, Number>(layout, header, numbers, begin, end, path, out.data());
      });
    });
  });
}

void fill_from_csv(const BufferLayout& layout, const std::string& column, bool partial,
                   const std::string& path, FileSystem& files, std::span<std::byte> out) {
  const std::string text = read_input(files, path, kDataInput);
  CsvColumn reader(text, path, column);
  visit_element(layout.scalar.value(), [&]<class T>() {
    for (std::uint64_t i = 0; i < layout.count; ++i, reader.next()) {
      if (!reader.more()) {
        throw bad_input("ends after " + std::to_string(i) + " of the " + std::to_string(layout.count) +
                            " lines of numbers that buffer '" + layout.spec->name + "' needs",
                        reader.where());
      }
      const std::string_view cell = reader.cell();
      const auto element = to_element<T>(cell);
      if (!element) throw bad_input(no_element(layout, in_quotes(cell)), reader.where());
      std::memcpy(out.data() + i * sizeof(T), &*element, sizeof(T));
    }
  });
  if (reader.more() && !partial) {
    throw bad_input("holds more than the " + std::to_string(layout.count) + " lines of numbers of buffer '" +
                        layout.spec->name + "'",
                    reader.where());
  }
}

void fill_from_keys(const BufferLayout& layout, const FileSource& source, const KeyWords& words,
                    const std::string& path, FileSystem& files, std::span<std::byte> out) {
  const KeyFile file(read_input(files, path, kDataInput), path, words);
  const std::size_t columns = source.columns.size();
  const std::uint64_t records = file.records(source.records);
  if (records * columns != layout.count) {
    throw bad_input("has " + std::to_string(records) + " records '" + source.records + "' of " +
                        std::to_string(columns) + " columns; buffer '" + layout.spec->name + "' needs " +
                        std::to_string(layout.count) + " numbers",
                    {path, 0, 0});
  }
  visit_element(layout.scalar.value(), [&]<class T>() {
    for (std::uint64_t i = 0; i < layout.count; ++i) {
      const KeyFile::Entry* entry = file.find(source.records, i / columns, source.columns[i % columns]);
      const std::string text = entry == nullptr ? "0" : to_string(entry->value);
      const auto element = to_element<T>(text);
      if (!element) throw bad_input(no_element(layout, in_quotes(text)), entry->where);
      std::memcpy(out.data() + i * sizeof(T), &*element, sizeof(T));
    }
  });
}

}  // namespace kiln
