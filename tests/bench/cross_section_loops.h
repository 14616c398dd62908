#pragma once

#include <cstdint>

// The lookups of workload xsbench (hash grid) as plain C++ with OpenMP, in the structure of either
// implementation: sizes at run time. Compiled like openmp_loops.h.
namespace kiln::bench {

/// The data set, as the workload's kernels make it; the names are its buffers'.
struct CrossSections {
  const double* grid;  ///< [isotope][point][energy and five channels]
  const int* index;    ///< [bin][isotope]
  const int* nuclides;
  const double* amounts;
  const int* nuclide_counts;
  int isotopes, gridpoints, bins;
};

/// What all lookups add up to.
struct LookupSums {
  double channel[5] = {};
  std::uint64_t values = 0;
};

/// A lookup after the other, as they are drawn; `values` gets the verification value of each.
[[nodiscard]] std::uint64_t look_up_in_turn(std::uint64_t* values, const CrossSections& data,
                                            std::int64_t lookups);

/// Sampled, sorted by material and upper bits of the energy in two passes of 8 bits, and looked up in batches
/// of neighbours. `samples` and `scratch` have an element for each lookup.
[[nodiscard]] LookupSums look_up_sorted(std::uint64_t* samples, std::uint64_t* scratch,
                                        const CrossSections& data, std::int64_t lookups);

}  // namespace kiln::bench
