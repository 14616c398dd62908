#pragma once

#include <array>

#include "base/word_table.h"

// What workloads say of files with numbers, and the words for it.
namespace kiln {

enum class FileFormat { kText, kBinary, kNpy, kCsv, kMatrixMarket };
template <>
inline constexpr std::array kWords<FileFormat>{
    Word{FileFormat::kText, "text"}, Word{FileFormat::kBinary, "binary"}, Word{FileFormat::kNpy, "npy"},
    Word{FileFormat::kCsv, "csv"}, Word{FileFormat::kMatrixMarket, "mtx"}};

/// What a buffer gets of a matrix, whose entries are in the order of their rows, in a row of their columns.
enum class MatrixPart { kDense, kRowOffsets, kRowIndices, kColumnIndices, kValues };
template <>
inline constexpr std::array kWords<MatrixPart>{
    Word{MatrixPart::kDense, "dense"}, Word{MatrixPart::kRowOffsets, "row_offsets"},
    Word{MatrixPart::kRowIndices, "row_indices"}, Word{MatrixPart::kColumnIndices, "column_indices"},
    Word{MatrixPart::kValues, "values"}};

/// What a parameter gets of a matrix.
enum class MatrixExtent { kRows, kColumns, kNonzeros };
template <>
inline constexpr std::array kWords<MatrixExtent>{Word{MatrixExtent::kRows, "rows"},
                                                 Word{MatrixExtent::kColumns, "columns"},
                                                 Word{MatrixExtent::kNonzeros, "nonzeros"}};

}  // namespace kiln
