#pragma once

#include <string>

#include "base/file.h"
#include "cli/copied_kernels.h"

namespace kiln::test {

/// A file in the MatrixMarket format; `has(row, column)`, from 1 on, says where entries are.
template <class Has>
std::string matrix_text(int rows, int columns, const Has& has) {
  std::string entries;
  int count = 0;
  for (int i = 1; i <= rows; ++i) {
    for (int j = 1; j <= columns; ++j) {
      if (!has(i, j)) continue;
      ++count;
      entries +=
          std::to_string(i) + " " + std::to_string(j) + " " + std::to_string((i * 7 + j) % 13 - 5.5) + "\n";
    }
  }
  return "%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows) + " " +
         std::to_string(columns) + " " + std::to_string(count) + "\n" + entries;
}

/// A job over matrices of one row, of one column, of one entry, and of mostly empty rows, by each method. The
/// methods take one element of x into shared memory.
inline std::string odd_matrices_job(const WriteFile& write, const std::string& device) {
  const std::string files =
      write("row.mtx", matrix_text(1, 300, [](int, int j) { return j % 2 == 1; })) + ", " +
      write("column.mtx", matrix_text(300, 1, [](int i, int) { return i % 3 == 1; })) + ", " +
      write("entry.mtx", matrix_text(1, 1, [](int, int) { return true; })) + ", " +
      write("empty_rows.mtx", matrix_text(500, 400, [](int i, int j) { return i % 100 == 7 && j > 395; }));
  return "workload: spmv\ndevice: " + device +
         "\nmeasure: false\nset: {block: 64, lanes: 1, places: 1, items: 2, rows_each: 1, sums: 1}\n"
         "sweep: {matrix: [" +
         files + "], method: [vector, stream, merge, hot, measured, window, diagonals]}\n";
}

/// A workload that takes the statistics of a matrix as spmv does, and counts again in a loop.
inline void write_sampling(const WriteFile& write, const std::string& statistics) {
  write("sampling/spmv_statistics.cu", statistics);
  write("sampling/count.cu",
        "#include \"kiln/params.h\"\n"
        "extern \"C\" __global__ void count_rows(int* counted, const int* row_offsets, const int* "
        "column_indices, const Params p) {\n"
        "  const int rows = p.rows - 1 < 16384 ? p.rows - 1 : 16384;\n"
        "  for (int n = 0; n < rows; ++n) {\n"
        "    const int row = 1 + int((long long)n * (p.rows - 1) / rows);\n"
        "    const long long diagonal = (long long)row * p.columns / p.rows;\n"
        "    for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k) {\n"
        "      bool near = false;\n"
        "      for (int other = row_offsets[row - 1]; other < row_offsets[row]; ++other)\n"
        "        near = near || abs(column_indices[other] - column_indices[k]) <= 8;\n"
        "      const long long off = column_indices[k] - diagonal;\n"
        "      counted[0] += 1;\n"
        "      counted[1] += !near;\n"
        "      counted[2] += (off < 0 ? -off : off) <= Params::places / 2;\n"
        "    }\n"
        "  }\n"
        "}\n");
  write(
      "sampling/sampling.yaml",
      "workload: sampling\n"
      "parameters:\n"
      "  matrix: {type: path}\n"
      "  rows: {type: int, default: 1, from: {file: \"{matrix}\", format: mtx, part: rows}}\n"
      "  columns: {type: int, default: 1, from: {file: \"{matrix}\", format: mtx, part: columns}}\n"
      "  nonzeros: {type: int, default: 1, from: {file: \"{matrix}\", format: mtx, part: nonzeros}}\n"
      "  places: {type: int, default: 100, bind: compile}\n"
      "buffers:\n"
      "  row_offsets: {type: int, shape: [rows + 1], init: {file: {path: \"{matrix}\", format: mtx, part: "
      "row_offsets}}}\n"
      "  column_indices: {type: int, shape: [nonzeros], init: {file: {path: \"{matrix}\", format: mtx, part: "
      "column_indices}}}\n"
      "  sampled: {type: int, shape: [3]}\n"
      "  counted: {type: int, shape: [3], init: 0}\n"
      "kernels:\n"
      "  sample_rows: {source: spmv_statistics.cu, grid: [1], block: [1024], args: [sampled, row_offsets, "
      "column_indices, params]}\n"
      "  count_rows: {source: count.cu, grid: [1], block: [1], args: [counted, row_offsets, column_indices, "
      "params]}\n"
      "run: [sample_rows]\n"
      "verify:\n"
      "  checks:\n"
      "    - {name: counted one by one, buffer: sampled, reference: {kernel: count_rows, buffer: counted}, "
      "atol: 0}\n");
}

/// A job of that workload over matrices with rows of up to 3000 entries: some, all, none.
inline std::string sampling_job(const WriteFile& write, const std::string& device, FileSystem& files) {
  const std::string statistics = std::string(KILN_SOURCE_DIR) + "/kernels_src/spmv/spmv_statistics.cu";
  write_sampling(write, files.read_file(statistics).value_or(""));
  const std::string matrices =
      write("some.mtx",
            matrix_text(900, 3000,
                        [](int i, int j) { return i % 100 < 2 ? i % 3 == 0 || j % 3 == 0 : j / 3 == i; })) +
      ", " + write("all.mtx", matrix_text(70, 3000, [](int i, int j) { return (j * i) % 7 < 2; })) + ", " +
      write("none.mtx", matrix_text(3000, 300, [](int i, int j) { return (i * 31 + j * 17) % 101 == 0; }));
  return "workload: sampling\ndevice: " + device + "\nmeasure: false\nsweep: {matrix: [" + matrices + "]}\n";
}

}  // namespace kiln::test
