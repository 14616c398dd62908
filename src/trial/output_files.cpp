#include "trial/output_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/output_file.h"
#include "base/text.h"
#include "base/word_table.h"
#include "config/scalar_dispatch.h"

namespace kiln {

enum class OutputFormat { kNpy, kBinary, kText, kCsv };
template <>
inline constexpr auto kWords<OutputFormat> =
    std::to_array<Word<OutputFormat>>({{OutputFormat::kNpy, ".npy"},
                                       {OutputFormat::kBinary, ".bin"},
                                       {OutputFormat::kText, ".txt"},
                                       {OutputFormat::kCsv, ".csv"}});

namespace {

constexpr std::uint64_t kWrittenAtOnce = std::uint64_t{16} << 20;

std::optional<OutputFormat> format_of(const std::string& file) {
  return from_word<OutputFormat>(std::filesystem::path(file).extension().string());
}

/// NumPy's name of the type: "<f4"; empty if it has none.
std::string numpy_type(ScalarType type) {
  if (type == ScalarType::kBool) return "|b1";
  const char kind = visit_scalar(type, []<class T>() {
    if constexpr (std::is_integral_v<T>) return std::is_signed_v<T> ? 'i' : 'u';
    return std::is_same_v<T, Half> || std::is_floating_point_v<T> ? 'f' : ' ';
  });
  const std::size_t bytes = size_of(type);
  return kind == ' ' ? "" : (bytes == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(bytes);
}

/// A header of version 1, as NumPy writes it: the data begins at a multiple of 64 bytes.
std::string numpy_header(const BufferLayout& layout) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kBeforeText = 10;
  std::vector<std::string> extents;
  for (const std::uint64_t extent : layout.shape) extents.push_back(std::to_string(extent));
  std::string text = "{'descr': '" + numpy_type(*layout.scalar) + "', 'fortran_order': False, 'shape': (" +
                     join(extents, ", ") + (extents.size() == 1 ? ",), }" : "), }");
  text.append((kAlignment - (kBeforeText + text.size() + 1) % kAlignment) % kAlignment, ' ');
  text += '\n';
  const auto low = static_cast<char>(text.size() & 0xff);
  const auto high = static_cast<char>(text.size() >> 8);
  return std::string("\x93NUMPY\x01\x00", 8) + low + high + text;
}

/// "f", or for rows of several numbers "f0,f1,f2".
std::string csv_titles(const BufferLayout& layout) {
  const std::string& name = layout.spec->name;
  if (layout.shape.size() == 1) return name + "\n";
  std::string titles;
  for (std::uint64_t i = 0; i < layout.shape.back(); ++i)
    titles += (i == 0 ? "" : ",") + name + std::to_string(i);
  return titles + "\n";
}

template <class T>
void append_number(std::string& text, T value) {
  std::array<char, 32> digits{};
  // Digits that read back as the same number.
  const auto shown = [&] {
    if constexpr (std::is_same_v<T, bool>) {
      return static_cast<int>(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else {
      return static_cast<float>(value);
    }
  }();
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), shown).ptr);
}

/// Elements `first`... as text: a line for each row of the last extent, or for each number of a vector.
std::string lines_of(const BufferLayout& layout, std::uint64_t first, std::span<const std::byte> elements,
                     char separator) {
  const std::uint64_t row = layout.shape.size() == 1 ? 1 : layout.shape.back();
  std::string text;
  visit_scalar(*layout.scalar, [&]<class T>() {
    for (std::uint64_t i = 0; i < elements.size() / sizeof(T); ++i) {
      T value;
      std::memcpy(&value, elements.data() + i * sizeof(T), sizeof(T));
      append_number(text, value);
      text += (first + i + 1) % row == 0 ? '\n' : separator;
    }
  });
  return text;
}

/// Layout of the part of a buffer that is in use.
BufferLayout used_part(const Configuration& configuration, const BufferLayout& layout,
                       const Variables& variables) {
  BufferLayout used = layout;
  used.shape.front() = used_extent(configuration, layout, variables);
  used.count = layout.count / layout.shape.front() * used.shape.front();
  used.bytes = used.count * layout.element_bytes;
  return used;
}

void write_output(const Workspace& workspace, const BufferLayout& layout, const KeptOutput& output,
                  FileSystem& files) {
  const OutputFormat format = format_of(output.file).value();
  OutputFile file(files, output.file);
  const std::string head = format == OutputFormat::kNpy   ? numpy_header(layout)
                           : format == OutputFormat::kCsv ? csv_titles(layout)
                                                          : "";
  files.write_file(file.draft(), head, false);
  const std::uint64_t most = std::max<std::uint64_t>(1, kWrittenAtOnce / layout.element_bytes);
  std::vector<std::byte> room;
  for (std::uint64_t first = 0; first < layout.count; first += most) {
    const std::uint64_t count = std::min(most, layout.count - first);
    const auto part =
        workspace.part(output.buffer, first * layout.element_bytes, count * layout.element_bytes, room);
    if (format == OutputFormat::kNpy || format == OutputFormat::kBinary) {
      files.append_file(file.draft(), {reinterpret_cast<const char*>(part.data()), part.size()});
    } else {
      files.append_file(file.draft(),
                        lines_of(layout, first, part, format == OutputFormat::kCsv ? ',' : ' '));
    }
  }
  file.finish();
}

}  // namespace

void require_output_format(const BufferLayout& layout, const std::string& file, const SourceLocation& where) {
  const auto format = format_of(file);
  const std::string subject = "keep." + layout.spec->name + ": '" + file + "' ";
  if (!format)
    throw bad_input(
        subject + "has no ending of a format; expected one of " + join(words_of<OutputFormat>(), ", "),
        where);
  if (!layout.scalar && *format != OutputFormat::kBinary)
    throw bad_input(subject + "cannot hold records; a file that ends in .bin can", where);
  if (*format == OutputFormat::kNpy && numpy_type(*layout.scalar).empty()) {
    throw bad_input(subject + "cannot hold elements of " + to_string(*layout.scalar) +
                        ", which NumPy does not know; a file that ends in .bin, .txt or .csv can",
                    where);
  }
}

std::vector<KeptFile> write_outputs(const Workspace& workspace, const Variables& variables,
                                    const std::vector<KeptOutput>& outputs, FileSystem& files) {
  std::vector<KeptFile> kept;
  if (!outputs.empty()) workspace.stream().synchronize();
  for (const KeptOutput& output : outputs) {
    const BufferLayout layout =
        used_part(workspace.configuration(), workspace.layout(output.buffer), variables);
    try {
      write_output(workspace, layout, output, files);
    } catch (const std::filesystem::filesystem_error& error) {
      throw environment_error("keep." + output.buffer + ": '" + output.file +
                              "' cannot be written: " + error.code().message());
    }
    kept.push_back({output.buffer, output.file, layout.shape});
  }
  return kept;
}

}  // namespace kiln
