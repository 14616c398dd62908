#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The header before the elements of a NumPy file (.npy, versions 1 to 3).
struct NpyHeader {
  /// At most so many bytes of a file are its header.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20;

  char kind = 'f';  ///< of the elements, in NumPy's letters: b(ool), i(nteger), u(nsigned), f(loating-point)
  std::size_t bytes = 0;
  bool big_endian = false;
  bool fortran_order = false;  ///< the first index is the fastest
  std::vector<std::uint64_t> shape;
  std::uint64_t data_offset = 0;
  std::string type;  ///< as it is written: "<f4"

  [[nodiscard]] std::string shape_text() const;
};

/// Reads it from the first bytes of a file, as many as it has or kMostBytes. Throws bad_input with the file's
/// name for anything else, for complex numbers, text and structures.
[[nodiscard]] NpyHeader read_npy_header(std::string_view beginning, const std::string& file);

}  // namespace kiln
