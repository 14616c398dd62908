#pragma once

#include <array>

#include "base/word_table.h"

// Properties of files with numbers in workloads, and their words.
namespace kiln {

enum class FileFormat { kText, kBinary, kNpy, kCsv, kMatrixMarket, kKeys };
template <>
inline constexpr auto kWords<FileFormat> = std::to_array<Word<FileFormat>>({{FileFormat::kText, "text"},
                                                                            {FileFormat::kBinary, "binary"},
                                                                            {FileFormat::kNpy, "npy"},
                                                                            {FileFormat::kCsv, "csv"},
                                                                            {FileFormat::kMatrixMarket,
                                                                             "mtx"},
                                                                            {FileFormat::kKeys, "keys"}});

/// The part of a matrix for a buffer; entries are in the order of their rows, in a row of their columns.
enum class MatrixPart { kDense, kRowOffsets, kRowIndices, kColumnIndices, kValues };
template <>
inline constexpr auto kWords<MatrixPart> =
    std::to_array<Word<MatrixPart>>({{MatrixPart::kDense, "dense"},
                                     {MatrixPart::kRowOffsets, "row_offsets"},
                                     {MatrixPart::kRowIndices, "row_indices"},
                                     {MatrixPart::kColumnIndices, "column_indices"},
                                     {MatrixPart::kValues, "values"}});

/// The extent of a matrix for a parameter.
enum class MatrixExtent { kRows, kColumns, kNonzeros };
template <>
inline constexpr auto kWords<MatrixExtent> =
    std::to_array<Word<MatrixExtent>>({{MatrixExtent::kRows, "rows"},
                                       {MatrixExtent::kColumns, "columns"},
                                       {MatrixExtent::kNonzeros, "nonzeros"}});

}  // namespace kiln
