#include <string>
#include <vector>

#include "ratio_table.h"
#include "sparse_loops.h"

namespace kiln::bench {
namespace {

struct Matrix {
  const char* generator;
  int extent, rows, nonzeros;
};

template <class T>
void compare(const WorkloadHandle& spmv, const DeviceHandle& cpu, const std::string& type,
             const Matrix& matrix, int rounds) {
  const auto kernel = [&](const char* name) {
    return spmv.kernel(name)
        .on(cpu)
        .set("T", type)
        .set("generator", matrix.generator)
        .set("extent", matrix.extent)
        .get();
  };
  const auto rows = static_cast<std::size_t>(matrix.rows);
  const auto nonzeros = static_cast<std::size_t>(matrix.nonzeros);
  std::vector<int> row_offsets(rows + 1), column_indices(nonzeros);
  std::vector<T> values(nonzeros), x(rows), mine(rows), theirs(rows);
  kernel("make_row_offsets").run(args(row_offsets.data()));
  if (row_offsets[rows] != matrix.nonzeros)
    throw Error(ErrorKind::kInternal, "spmv: another number of entries");
  kernel("make_column_indices").run(args(column_indices.data(), row_offsets.data()));
  kernel("make_values").run(args(values.data()));
  kernel("make_x").run(args(x.data()));
  const Kernel multiply = kernel("spmv_chunks");
  const Pair pair = time_pair(
      [&] {
        multiply.run(args(mine.data(), row_offsets.data(), column_indices.data(), values.data(), x.data()));
      },
      [&] {
        multiply_rows(theirs.data(), row_offsets.data(), column_indices.data(), values.data(), x.data(),
                      matrix.rows);
      },
      rounds);
  for (std::size_t row = 0; row < rows; row += 97)
    require_close("spmv", mine[row] + 10, theirs[row] + 10, 1e-5);
  const double bytes = static_cast<double>(nonzeros * (sizeof(T) + 4) + rows * (2 * sizeof(T) + 4));
  print_row(("spmv, " + type + ", " + matrix.generator).c_str(), bytes, pair, 0.95);
}

}  // namespace

void sparse_ratios(const WorkloadHandle& spmv, const DeviceHandle& cpu, int rounds) {
  constexpr Matrix kCube7{"cube7", 128, 128 * 128 * 128, 7 * 128 * 128 * 128 - 6 * 128 * 128};
  constexpr Matrix kElasticity{"elasticity", 40, 3 * 40 * 40 * 40, 9 * 118 * 118 * 118};
  constexpr Matrix kBanded{"banded", 400000, 400000, 33 * 400000};
  for (const Matrix& matrix : {kCube7, kElasticity, kBanded})
    compare<double>(spmv, cpu, "double", matrix, rounds);
  compare<float>(spmv, cpu, "float", kCube7, rounds);
}

}  // namespace kiln::bench
