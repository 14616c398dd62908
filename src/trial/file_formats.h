#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/file.h"
#include "trial/buffer_layout.h"
#include "workload/key_file.h"
#include "workload/matrix_market.h"

namespace kiln {

// Self-describing files. All throw bad_input with the file's name: for a file of another format, another
// shape than the buffer's, numbers that do not fit the element type.

/// Reads a buffer of numbers from a file of NumPy: of the buffer's shape but for extents of 1, in C or
/// Fortran order and either byte order. Elements of another type are converted: floating-point numbers are
/// rounded, whole ones have to fit.
void fill_from_npy(const BufferLayout& layout, const std::string& path, FileSystem& files,
                   std::span<std::byte> out);

/// Reads a buffer of numbers from a column of a text file whose lines are cells between commas, semicolons or
/// tabs. `column`: a name in the first line, or a number from 0; a first line without a number in that column
/// is skipped. More lines than the buffer has elements are an error unless `partial`.
void fill_from_csv(const BufferLayout& layout, const std::string& column, bool partial,
                   const std::string& path, FileSystem& files, std::span<std::byte> out);

/// Reads a buffer of numbers from the records of a file of `format: keys`: the columns of each record, one
/// after the other; 0 where a record does not say one.
void fill_from_keys(const BufferLayout& layout, const FileSource& source, const KeyWords& words,
                    const std::string& path, FileSystem& files, std::span<std::byte> out);

/// Fills a buffer of numbers with a part of a matrix: of the number of elements that the part has, with pairs
/// of numbers for complex entries.
void fill_from_matrix(const BufferLayout& layout, const Matrix& matrix, MatrixPart part,
                      std::span<std::byte> out);

}  // namespace kiln
