#include "workload/npy_header.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "kiln/error.h"
#include "workload/text_numbers.h"

namespace kiln {
namespace {

/// The value of a key in the header's Python dictionary: what follows "'key':", without blanks before it.
std::string_view value_of(std::string_view header, const std::string& key, const std::string& file) {
  const std::size_t at = header.find("'" + key + "'");
  const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
  if (colon == std::string_view::npos)
    throw bad_input("is not a NumPy file: its header has no '" + key + "'", {file, 0, 0});
  return trim(header.substr(colon + 1));
}

void read_type(std::string_view text, const std::string& file, NpyHeader& header) {
  const std::size_t end = text.empty() || text.front() != '\'' ? std::string_view::npos : text.find('\'', 1);
  header.type = end == std::string_view::npos ? std::string(text.substr(0, text.find('\n')))
                                              : std::string(text.substr(1, end - 1));
  const std::int64_t bytes =
      header.type.size() > 2 ? parse_integer(std::string_view(header.type).substr(2)).value_or(0) : 0;
  const bool one_of = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  header.kind = header.type.size() > 1 ? header.type[1] : ' ';
  const bool known = (header.kind == 'b' && bytes == 1) || (header.kind == 'f' && one_of && bytes > 1) ||
                     ((header.kind == 'i' || header.kind == 'u') && one_of);
  if (!known || std::string_view("<>|=").find(header.type.front()) == std::string_view::npos) {
    throw bad_input("holds elements of NumPy's type " + in_quotes(header.type) +
                        "; expected bool, whole numbers of 1 to 8 bytes or floats of 2 to 8",
                    {file, 0, 0});
  }
  header.big_endian = header.type.front() == '>';
  header.bytes = static_cast<std::size_t>(bytes);
}

void read_shape(std::string_view text, const std::string& file, NpyHeader& header) {
  constexpr std::size_t kMostExtents = 32;  // of NumPy
  const std::size_t close = text.find(')');
  if (text.empty() || text.front() != '(' || close == std::string_view::npos)
    throw bad_input("is not a NumPy file: its header has no shape", {file, 0, 0});
  for (const std::string& part : split(text.substr(1, close - 1), ',')) {
    const std::string_view digits = trim(part);
    if (digits.empty()) continue;
    const auto extent = parse_integer(digits);
    if (!extent || *extent < 0 || header.shape.size() == kMostExtents)
      throw bad_input("is not a NumPy file: its shape is " + in_quotes(text.substr(0, close + 1)),
                      {file, 0, 0});
    header.shape.push_back(static_cast<std::uint64_t>(*extent));
  }
}

}  // namespace

std::string NpyHeader::shape_text() const {
  std::vector<std::string> extents;
  for (const std::uint64_t extent : shape) extents.push_back(std::to_string(extent));
  return "(" + join(extents, ", ") + ")";
}

NpyHeader read_npy_header(std::string_view beginning, const std::string& file) {
  const auto offset = numpy_data_offset(beginning);
  if (!offset) throw bad_input("is not a NumPy file: it does not begin like one", {file, 0, 0});
  if (beginning[6] < 1 || beginning[6] > 3)
    throw bad_input("is a NumPy file of an unknown version; expected 1 to 3", {file, 0, 0});
  if (*offset > beginning.size()) {
    throw bad_input(
        "is not a NumPy file, or is cut off: its header would end at byte " + std::to_string(*offset),
        {file, 0, 0});
  }
  const std::size_t begin = beginning[6] == 1 ? 10 : 12;
  if (*offset < begin) throw bad_input("is not a NumPy file: it has no header", {file, 0, 0});
  const std::string_view text = beginning.substr(begin, static_cast<std::size_t>(*offset) - begin);
  NpyHeader header;
  header.data_offset = *offset;
  read_type(value_of(text, "descr", file), file, header);
  header.fortran_order = value_of(text, "fortran_order", file).starts_with("True");
  read_shape(value_of(text, "shape", file), file, header);
  return header;
}

}  // namespace kiln
