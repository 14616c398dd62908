#include <cmath>
#include <vector>

#include "clover_loops.h"
#include "ratio_table.h"

namespace kiln::bench {
namespace {

/// Numbers around `middle` that differ from cell to cell.
std::vector<double> field(std::size_t size, double middle, double amplitude, double step) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i)
    values[i] = middle + amplitude * std::sin(step * static_cast<double>(i));
  return values;
}

}  // namespace

void clover_ratios(const WorkloadHandle& clover, const DeviceHandle& cpu, int rounds) {
  constexpr int kCells = 1920, kMargin = 16, kPitch = 1952, kRows = kCells + 21;
  constexpr std::size_t kSize = std::size_t{kPitch} * kRows;
  const double width = 10.0 / kCells;
  const CloverGrid grid{kCells, kCells, kPitch, 2 * kPitch + kMargin, width * width};
  const auto kernel = [&](const char* name) {
    return clover.kernel(name)
        .on(cpu)
        .set("implementation", "tuned")
        .set("nx", kCells)
        .set("ny", kCells)
        .set("margin", kMargin)
        .set("pitch", kPitch)
        .get();
  };
  const auto density = field(kSize, 0.6, 0.3, 0.37), energy = field(kSize, 1.7, 0.6, 0.21);
  const auto x_flux = field(kSize, 0, 0.1 * grid.volume, 0.11),
             y_flux = field(kSize, 0, 0.1 * grid.volume, 0.07);
  const auto mass_flux = field(kSize, 0, 0.05 * grid.volume, 0.13);
  const auto u = field(kSize, 0, 0.4, 0.17), v = field(kSize, 0.1, 0.3, 0.19);
  std::vector<double> clock(8, 0.0), mine[3], theirs[3];
  for (auto* fields : {&mine, &theirs}) {
    for (auto& values : *fields) values.assign(kSize, 0.0);
  }
  const auto require_equal = [&](const char* what, int count) {
    for (int n = 0; n < count; ++n) {
      for (int k = 0; k < kCells; k += 7) {
        const std::size_t row = static_cast<std::size_t>(grid.first) + static_cast<std::size_t>(k) * kPitch;
        for (std::size_t i = 0; i < kCells; i += 3)
          require_close(what, mine[n][row + i] + 1, theirs[n][row + i] + 1, 1e-12);
      }
    }
  };
  constexpr double kBytes = 8.0 * kCells * kCells;
  const Kernel cells = kernel("advect_cells_x1"), nodes = kernel("advect_nodes_y2");
  const Pair cell_pair = time_pair(
      [&] {
        cells.run(args(mine[0].data(), mine[1].data(), mine[2].data(), density.data(), energy.data(),
                       x_flux.data(), y_flux.data(), clock.data()));
      },
      [&] {
        remap_cells_x(theirs[0].data(), theirs[1].data(), theirs[2].data(), density.data(), energy.data(),
                      x_flux.data(), y_flux.data(), grid);
      },
      rounds);
  require_equal("cloverleaf, cells along x", 3);
  print_row("cloverleaf, cells along x, 1920^2", 7 * kBytes, cell_pair, 0.95);
  const Pair node_pair = time_pair(
      [&] {
        nodes.run(args(mine[0].data(), mine[1].data(), u.data(), v.data(), density.data(), mass_flux.data(),
                       x_flux.data(), clock.data()));
      },
      [&] {
        remap_nodes_y(theirs[0].data(), theirs[1].data(), u.data(), v.data(), density.data(),
                      mass_flux.data(), grid);
      },
      rounds);
  require_equal("cloverleaf, nodes along y", 2);
  print_row("cloverleaf, nodes along y, 1920^2", 6 * kBytes, node_pair, 0.95);
}

}  // namespace kiln::bench
