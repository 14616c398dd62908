#include <algorithm>
#include <vector>

#include "fock_loops.h"
#include "ratio_table.h"

namespace kiln::bench {
namespace {

constexpr int kGauss = 3;
constexpr int kProducts = kGauss * kGauss;
constexpr int kKinds = kGauss * (kGauss + 1) / 2;
constexpr double kDtol = 1e-12;
constexpr std::ptrdiff_t kSortTile = 16384;  // pairs: the workload's sort_items on a CPU

std::size_t size(std::ptrdiff_t count) {
  return static_cast<std::size_t>(count);
}

/// Inputs of a made grid of atoms, by the workload's own kernels.
struct Cluster {
  Cluster(const WorkloadHandle& workload, const DeviceHandle& device, int atoms,
          const char* of_implementation)
      : fock(&workload), cpu(&device), implementation(of_implementation), n(atoms), pairs(n * (n + 1) / 2) {
    run("make_basis", basis.data());
    run("make_geometry", geometry.data());
    run("make_density", density.data());
    run("tabulate_basis", slots.data(), meetings.data(), alphas.data(), basis.data());
    run("make_schwarz", schwarz.data(), slots.data(), meetings.data(), geometry.data());
  }

  [[nodiscard]] Kernel kernel(const char* name) const {
    return fock->kernel(name)
        .on(*cpu)
        .set("implementation", implementation)
        .set("natoms", n)
        .set("ngauss", kGauss)
        .get();
  }
  template <class... Arguments>
  void run(const char* name, const Arguments&... arguments) const {
    kernel(name).run(args(arguments...));
  }

  const WorkloadHandle* fock;
  const DeviceHandle* cpu;
  const char* implementation;
  int n;
  std::ptrdiff_t pairs;
  std::vector<double> basis = std::vector<double>(2 * kGauss), geometry = std::vector<double>(size(3 * n)),
                      density = std::vector<double>(size(n * n)), schwarz = std::vector<double>(size(pairs)),
                      slots = std::vector<double>(4 * kProducts),
                      meetings = std::vector<double>(2 * kProducts * kProducts);
  std::vector<Alpha> alphas = std::vector<Alpha>(kKinds * kKinds);
};

/// sum F D: both matrices may add a pair's share to either of two elements.
double energy(const std::vector<double>& matrix, const std::vector<double>& density) {
  double sum = 0;
  for (std::size_t at = 0; at < matrix.size(); ++at) sum += matrix[at] * density[at];
  return sum;
}

template <class Kiln, class Loop>
void compare(const char* name, const Cluster& cluster, const Kiln& kiln, const Loop& loop, double goal,
             int rounds) {
  std::vector<double> mine(size(cluster.n * cluster.n)), theirs(mine.size());
  const Pair pair = time_pair([&] { kiln(mine.data()); }, [&] { loop(theirs.data()); }, rounds);
  require_close(name, energy(mine, cluster.density), energy(theirs, cluster.density), 1e-11);
  print_row(name, 0, pair, goal);
}

void tuned_ratios(const WorkloadHandle& fock, const DeviceHandle& cpu, int rounds) {
  const Cluster cluster(fock, cpu, 64, "tuned");
  const std::ptrdiff_t chunks = (cluster.pairs + kChunk - 1) / kChunk;
  std::vector<int> bra_counts(size(chunks));
  std::vector<RankedPair> ranked(size(chunks * kChunk));
  std::vector<ChunkPrimitive> primitives(size(chunks * kProducts));
  std::vector<double> data(size(chunks * kProducts * 4 * kChunk));
  std::vector<long long> first_tasks(size(chunks + 1));
  unsigned long long next_task = 0;
  // The sort of the pairs: two passes.
  const std::ptrdiff_t tiles = (cluster.pairs + kSortTile - 1) / kSortTile;
  std::vector<unsigned> counts(size(512 * tiles)), totals(512);
  std::vector<unsigned> keys[2], pairs[2];
  for (int pass = 0; pass < 2; ++pass) {
    keys[pass].resize(size(cluster.pairs));
    pairs[pass].resize(size(cluster.pairs));
  }
  cluster.run("count_pairs", counts.data(), cluster.schwarz.data(), cluster.geometry.data());
  cluster.run("scan_0", counts.data(), totals.data());
  cluster.run("scatter_pairs", keys[0].data(), pairs[0].data(), counts.data(), totals.data(),
              cluster.schwarz.data(), cluster.geometry.data());
  cluster.run("count_1", counts.data(), keys[0].data());
  cluster.run("scan_1", counts.data(), totals.data());
  cluster.run("scatter_1", keys[1].data(), pairs[1].data(), keys[0].data(), pairs[0].data(), counts.data(),
              totals.data());
  cluster.run("make_lists", ranked.data(), primitives.data(), data.data(), bra_counts.data(), keys[1].data(),
              pairs[1].data(), cluster.schwarz.data(), cluster.slots.data(), cluster.geometry.data());
  cluster.run("number_tasks", first_tasks.data(), bra_counts.data());

  const Kernel clear = cluster.kernel("clear_fock"), build = cluster.kernel("build_fock");
  const auto kiln = [&](double* matrix) {
    clear.run(args(matrix, &next_task));
    build.run(args(matrix, &next_task, cluster.density.data(), ranked.data(), primitives.data(), data.data(),
                   cluster.alphas.data(), bra_counts.data(), first_tasks.data()));
  };
  const PairLists lists = {cluster.density.data(), ranked.data(),    primitives.data(), data.data(),
                           cluster.alphas.data(),  bra_counts.data()};
  compare(
      "hartree_fock, he64, tuned", cluster, kiln,
      [&](double* matrix) { build_fock(matrix, lists, cluster.n, kGauss, kDtol); }, 0.95, rounds);
  compare(
      "the same, OpenMP with -fno-math-errno too", cluster, kiln,
      [&](double* matrix) { build_fock_no_errno(matrix, lists, cluster.n, kGauss, kDtol); }, 0.95, rounds);
}

void paper_ratios(const WorkloadHandle& fock, const DeviceHandle& cpu, int rounds) {
  const Cluster cluster(fock, cpu, 32, "paper");
  std::vector<double> orbital(2 * kGauss), centres(size(3 * cluster.n));
  cluster.run("normalise_basis", orbital.data(), cluster.basis.data());
  cluster.run("convert_geometry", centres.data(), cluster.geometry.data());
  const Kernel clear = cluster.kernel("clear_fock_paper"), build = cluster.kernel("build_fock_paper");
  const auto kiln = [&](double* matrix) {
    clear.run(args(matrix));
    build.run(args(matrix, cluster.density.data(), cluster.schwarz.data(), orbital.data(), centres.data()));
  };
  const Orbitals orbitals = {cluster.density.data(), cluster.schwarz.data(), orbital.data(), centres.data()};
  compare(
      "hartree_fock, he32, paper", cluster, kiln,
      [&](double* matrix) { build_fock_quartets(matrix, orbitals, cluster.n, kGauss, kDtol); }, 0.95, rounds);
  compare(
      "the same, OpenMP with -fno-math-errno too", cluster, kiln,
      [&](double* matrix) { build_fock_quartets_no_errno(matrix, orbitals, cluster.n, kGauss, kDtol); }, 0.95,
      rounds);
}

}  // namespace

void fock_ratios(const WorkloadHandle& fock, const DeviceHandle& cpu, int rounds) {
  tuned_ratios(fock, cpu, rounds);
  paper_ratios(fock, cpu, rounds);
}

}  // namespace kiln::bench
