#include <algorithm>
#include <cstdint>
#include <vector>

#include "cross_section_loops.h"
#include "figures.h"
#include "ratio_table.h"

namespace kiln::bench {
namespace {

constexpr int kIsotopes = 68;
constexpr int kGridpoints = 11303;
constexpr int kBins = 10000;
constexpr int kMaterials = 12;
constexpr int kFuel = kIsotopes - 34;
constexpr std::size_t kPoints = std::size_t{kIsotopes} * kGridpoints;

/// XSBench's small problem with a hash grid, made by the workload's own kernels.
class SmallProblem {
 public:
  SmallProblem(const WorkloadHandle& workload, const DeviceHandle& device, std::int64_t lookups)
      : workload_(&workload), device_(&device), lookups_(lookups) {
    std::vector<std::uint64_t> keys(kPoints), other_keys(kPoints);
    std::vector<unsigned> drawn(kPoints), other_drawn(kPoints);
    run("draw_energies", keys.data());
    run("sort_isotopes", drawn.data(), keys.data(), other_drawn.data(), other_keys.data());
    run("make_grid", grid_.data(), drawn.data());
    run("make_index", index_.data(), &no_union_, grid_.data());
    run("make_counts", nuclide_counts_.data());
    run("make_nuclides", nuclides_.data());
    run("make_amounts", amounts_.data());
  }

  [[nodiscard]] Kernel kernel(const char* name, const char* implementation = "tuned") const {
    return workload_->kernel(name)
        .on(*device_)
        .set("implementation", implementation)
        .set("size", "small")
        .set("lookups", lookups_)
        .get();
  }
  [[nodiscard]] CrossSections data() const {
    return {grid_.data(),           index_.data(), nuclides_.data(), amounts_.data(),
            nuclide_counts_.data(), kIsotopes,     kGridpoints,      kBins};
  }
  [[nodiscard]] const double* union_energies() const { return &no_union_; }

 private:
  template <class... Arguments>
  void run(const char* name, const Arguments&... arguments) const {
    kernel(name).run(args(arguments...));
  }

  const WorkloadHandle* workload_;
  const DeviceHandle* device_;
  std::int64_t lookups_;
  double no_union_ = 0;
  std::vector<double> grid_ = std::vector<double>(kPoints * 6),
                      amounts_ = std::vector<double>(std::size_t{kMaterials} * kFuel);
  std::vector<int> index_ = std::vector<int>(std::size_t{kBins} * kIsotopes),
                   nuclides_ = std::vector<int>(std::size_t{kMaterials} * kFuel),
                   nuclide_counts_ = std::vector<int>(kMaterials);
};

void paper_ratio(const SmallProblem& problem, std::int64_t lookups, int rounds) {
  std::vector<std::uint64_t> mine(static_cast<std::size_t>(lookups)), theirs(mine.size());
  const Kernel kernel = problem.kernel("lookup_paper", "paper"), sum = problem.kernel("sum_values", "paper");
  const CrossSections data = problem.data();
  std::uint64_t my_sum = 0, their_sum = 0;
  const Pair pair = time_pair(
      [&] {
        my_sum = 0;
        kernel.run(args(mine.data(), data.grid, data.index, problem.union_energies(), data.nuclides,
                        data.amounts, data.nuclide_counts));
        sum.run(args(&my_sum, mine.data()));
      },
      [&] { their_sum = look_up_in_turn(theirs.data(), data, lookups); }, rounds);
  require_close("xsbench, paper", static_cast<double>(my_sum), static_cast<double>(their_sum), 0);
  print_row("xsbench, small, hash, 200,000 lookups, paper", 0, pair, 0.90);
}

void sorted_ratio(const char* name, const SmallProblem& problem, std::int64_t lookups, int rounds) {
  constexpr std::size_t kDigits = 256, kTile = 65536;
  const auto count_of_lookups = static_cast<std::size_t>(lookups);
  std::vector<std::uint64_t> samples(count_of_lookups), scratch(count_of_lookups);
  std::vector<unsigned> counts(kDigits * ((count_of_lookups + kTile - 1) / kTile)), totals(kDigits);
  double channel[5] = {};
  std::uint64_t values = 0;
  const Kernel count_samples = problem.kernel("count_samples"), scan = problem.kernel("scan_counts"),
               scatter_samples = problem.kernel("scatter_samples"), count = problem.kernel("count_lookups"),
               scatter = problem.kernel("scatter_lookups"), look_up = problem.kernel("lookup_sorted");
  const CrossSections data = problem.data();
  LookupSums theirs;
  const Pair pair = time_pair(
      [&] {
        count_samples.run(args(counts.data(), channel, &values));
        scan.run(args(counts.data(), totals.data()));
        scatter_samples.run(args(scratch.data(), counts.data(), totals.data()));
        count.run(args(counts.data(), scratch.data()));
        scan.run(args(counts.data(), totals.data()));
        scatter.run(args(samples.data(), scratch.data(), counts.data(), totals.data()));
        look_up.run(args(channel, &values, samples.data(), data.grid, data.index, problem.union_energies(),
                         data.nuclides, data.amounts, data.nuclide_counts));
      },
      [&] { theirs = look_up_sorted(samples.data(), scratch.data(), data, lookups); }, rounds);
  require_close("xsbench, values", static_cast<double>(values), static_cast<double>(theirs.values), 0);
  for (std::size_t c = 0; c < 5; ++c) require_close("xsbench, sums", channel[c], theirs.channel[c], 1e-11);
  print_row(name, 0, pair, 0.90);
}

}  // namespace

void cross_section_ratios(const WorkloadHandle& workload, const DeviceHandle& cpu, int rounds) {
  constexpr std::int64_t kFew = 200'000, kSome = 500'000, kMany = 5'000'000;
  paper_ratio(SmallProblem(workload, cpu, kFew), kFew, rounds);
  sorted_ratio("xsbench, small, hash, 500,000 lookups, tuned", SmallProblem(workload, cpu, kSome), kSome,
               rounds);
  sorted_ratio("the same, 5,000,000 lookups", SmallProblem(workload, cpu, kMany), kMany, rounds);
}

}  // namespace kiln::bench
