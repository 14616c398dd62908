#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.h"

namespace kiln {

/// The first lines of a file in the MatrixMarket format (math.nist.gov/MatrixMarket/formats.html).
struct MatrixHeader {
  enum class Format { kCoordinate, kArray };
  enum class Field { kReal, kInteger, kPattern, kComplex };
  enum class Symmetry { kGeneral, kSymmetric, kSkewSymmetric, kHermitian };
  Format format = Format::kCoordinate;  ///< an array has all entries, column by column
  Field field = Field::kReal;
  Symmetry symmetry = Symmetry::kGeneral;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t stored = 0;  ///< lines that follow

  /// Numbers of an entry: 0, 1, or 2 of a complex one.
  [[nodiscard]] std::size_t numbers() const {
    return field == Field::kPattern ? 0 : field == Field::kComplex ? 2 : 1;
  }
};

/// A matrix with all its entries: what a symmetric file leaves out is there, too. Its numbers stay as they
/// are written in `text`.
struct Matrix {
  struct Entry {
    std::uint32_t row = 0, column = 0;  ///< from 0
    std::uint32_t place = 0;            ///< in `text`: where its numbers begin
    bool mirrored = false;              ///< across the diagonal, from the entry that the file has

    [[nodiscard]] std::uint64_t order() const { return (std::uint64_t{row} << 32) | column; }
  };

  MatrixHeader header;
  std::vector<Entry> entries;  ///< by row, then by column; each pair once
  std::string file, text;

  /// The `part`-th number of an entry, 1 for a pattern's; empty if the line has no such word.
  [[nodiscard]] std::string number(const Entry& entry, std::size_t part) const;
  [[nodiscard]] SourceLocation where(const Entry& entry) const;
};

/// Reads the header from the first bytes of a file. Throws bad_input with file and line.
[[nodiscard]] MatrixHeader parse_matrix_header(std::string_view beginning, const std::string& file);
/// Reads a whole file. Throws bad_input with file and line: entries outside of the matrix or there twice,
/// other numbers of entries than promised. Needs memory in proportion to the text, whatever the header says.
[[nodiscard]] Matrix parse_matrix(std::string text, const std::string& file);

}  // namespace kiln
