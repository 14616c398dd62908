// The kernels of HPCCG against loops on the host: a matrix of 27 diagonals on a small grid, whose rows at the
// boundary are shorter, and a conjugate gradient solve to a known solution. Needs nothing of HPCCG.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "kiln_hpccg.h"

namespace {

struct Matrix {
  std::vector<std::vector<double>> values;
  std::vector<std::vector<int>> columns;
};

Matrix grid_matrix(int nx, int ny, int nz) {
  Matrix matrix;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x) {
        std::vector<double>& values = matrix.values.emplace_back();
        std::vector<int>& columns = matrix.columns.emplace_back();
        for (int k = std::max(z - 1, 0); k <= std::min(z + 1, nz - 1); ++k) {
          for (int j = std::max(y - 1, 0); j <= std::min(y + 1, ny - 1); ++j) {
            for (int i = std::max(x - 1, 0); i <= std::min(x + 1, nx - 1); ++i) {
              const bool diagonal = i == x && j == y && k == z;
              values.push_back(diagonal ? 27.5 : -1.0);
              columns.push_back((k * ny + j) * nx + i);
            }
          }
        }
      }
    }
  }
  return matrix;
}

double host_row(const Matrix& matrix, std::size_t row, const std::vector<double>& x) {
  double sum = 0;
  for (std::size_t j = 0; j < matrix.values[row].size(); ++j)
    sum += matrix.values[row][j] * x[static_cast<std::size_t>(matrix.columns[row][j])];
  return sum;
}

}  // namespace

int main() {
  const Matrix matrix = grid_matrix(20, 17, 13);  // 4420 rows: the last slice is not full
  const std::size_t n = matrix.values.size();
  std::vector<int> lengths;
  std::vector<const double*> values;
  std::vector<const int*> columns;
  std::vector<double> exact(n), b(n), x(n, 0.0);
  for (std::size_t row = 0; row < n; ++row) {
    lengths.push_back(static_cast<int>(matrix.values[row].size()));
    values.push_back(matrix.values[row].data());
    columns.push_back(matrix.columns[row].data());
    exact[row] = std::sin(0.37 * static_cast<double>(row));
  }
  for (std::size_t row = 0; row < n; ++row) b[row] = host_row(matrix, row, exact);

  kiln_begin(static_cast<int>(n), lengths.data(), values.data(), columns.data(), b.data(), x.data());
  // One product by itself: of b, whose result is seen by its dot products.
  std::vector<double> r(n), p(n), q(n);  // host addresses that name vectors; their content is on the device
  double device_dot = 0, host_dot = 0;
  kiln_sparsemv(b.data(), q.data());
  kiln_ddot(b.data(), q.data(), &device_dot);
  for (std::size_t row = 0; row < n; ++row) host_dot += b[row] * host_row(matrix, row, b);
  const double difference = std::fabs(device_dot - host_dot) / std::fabs(host_dot);

  double rr = 0, next = 0, pq = 0;
  kiln_waxpby(1.0, b.data(), 0.0, b.data(), r.data());
  kiln_waxpby(1.0, r.data(), 0.0, r.data(), p.data());
  kiln_ddot(r.data(), r.data(), &rr);
  int iterations = 0;
  for (const double first = rr; rr > 1e-24 * first && iterations < 200; ++iterations) {
    kiln_sparsemv(p.data(), q.data());
    kiln_ddot(p.data(), q.data(), &pq);
    kiln_waxpby(1.0, x.data(), rr / pq, p.data(), x.data());
    kiln_waxpby(1.0, r.data(), -rr / pq, q.data(), r.data());
    kiln_ddot(r.data(), r.data(), &next);
    kiln_waxpby(1.0, r.data(), next / rr, p.data(), p.data());
    rr = next;
  }
  kiln_wait();
  kiln_end(x.data());

  double worst = 0;
  for (std::size_t row = 0; row < n; ++row) worst = std::fmax(worst, std::fabs(x[row] - exact[row]));
  std::printf("%zu rows: x . A x differs by %.1e, %d iterations, largest error %.1e\n", n, difference,
              iterations, worst);
  return difference < 1e-13 && worst < 1e-10 ? 0 : 1;
}
