#include <cmath>
#include <cstdio>
#include <vector>

#include "figures.h"
#include "kiln/kiln.h"
#include "openmp_loops.h"
#include "pair_timer.h"

namespace kiln::bench {
namespace {

void print_row(const char* name, double bytes, const Pair& pair, double goal) {
  const double per_second = bytes > 0 ? bytes / pair.kiln.median * 1e-9 : 0;
  std::printf("| %s | %.3f | %.3f | %.2f (%.2f to %.2f) | %.2f | ", name, pair.kiln.median * 1e3,
              pair.other.median * 1e3, pair.ratio, pair.ratio_low, pair.ratio_high, goal);
  if (per_second > 0) {
    std::printf("%.1f GB/s |\n", per_second);
  } else {
    std::printf("|\n");
  }
  std::fflush(stdout);
}

/// A wrong loop would make the ratio worthless.
void require_close(const char* what, double value, double expected, double rtol) {
  if (std::abs(value - expected) <= rtol * std::abs(expected)) return;
  throw Error(ErrorKind::kInternal, std::string(what) + " disagrees: " + std::to_string(value) + " against " +
                                        std::to_string(expected));
}

void stream_ratios(const WorkloadHandle& stream, const DeviceHandle& cpu, int rounds) {
  constexpr std::size_t kN = std::size_t{1} << 25;
  constexpr double kArray = static_cast<double>(kN) * sizeof(double);
  const auto kernel = [&](const char* name) {
    return stream.kernel(name).on(cpu).set("T", "double").set("n", kN).get();
  };
  std::vector<double> a(kN, 0.1), b(kN, 0.2), c(kN, 0.0);
  const Kernel copy_kernel = kernel("copy"), mul_kernel = kernel("mul"), add_kernel = kernel("add"),
               triad_kernel = kernel("triad"), dot_kernel = kernel("dot");
  print_row("copy", 2 * kArray,
            time_pair([&] { copy_kernel.run(args(c.data(), a.data())); },
                      [&] { copy(c.data(), a.data(), kN); }, rounds),
            0.95);
  print_row("mul", 2 * kArray,
            time_pair([&] { mul_kernel.run(args(b.data(), c.data())); },
                      [&] { mul(b.data(), c.data(), 0.4, kN); }, rounds),
            0.95);
  print_row("add", 3 * kArray,
            time_pair([&] { add_kernel.run(args(c.data(), a.data(), b.data())); },
                      [&] { add(c.data(), a.data(), b.data(), kN); }, rounds),
            0.95);
  print_row("triad", 3 * kArray,
            time_pair([&] { triad_kernel.run(args(a.data(), b.data(), c.data())); },
                      [&] { triad(a.data(), b.data(), c.data(), 0.4, kN); }, rounds),
            0.95);
  constexpr std::size_t kBlocks = kN / 8192;
  std::vector<double> partials(kBlocks);
  double mine = 0;
  double theirs = 0;
  const Pair pair = time_pair(
      [&] {
        dot_kernel.run(args(partials.data(), a.data(), b.data()));
        mine = 0;
        for (const double partial : partials) mine += partial;
      },
      [&] { theirs = dot(a.data(), b.data(), kN); }, rounds);
  require_close("dot", mine, theirs, 1e-9);
  print_row("dot (barriers)", 2 * kArray, pair, 0.80);
}

void stencil_ratio(const WorkloadHandle& stencil, const DeviceHandle& cpu, int n, int rounds) {
  const auto points = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<double> u(points), mine(points), theirs(points);
  for (std::size_t i = 0; i < points; ++i) u[i] = static_cast<double>(i % 1013) * 1e-3;
  const Kernel kernel =
      stencil.kernel("laplacian").on(cpu).set("T", "double").set("nx", n).set("ny", n).set("nz", n).get();
  const Pair pair = time_pair([&] { kernel.run(args(mine.data(), u.data())); },
                              [&] { laplacian(theirs.data(), u.data(), n, n, n); }, rounds);
  const std::size_t middle = points / 2 + static_cast<std::size_t>(n) / 2;
  require_close("stencil7", mine[middle], theirs[middle], 1e-9);
  const std::string name = "stencil7, double, " + std::to_string(n) + "^3";
  print_row(name.c_str(), 2 * static_cast<double>(points) * sizeof(double), pair, 0.95);
}

void bude_ratio(const WorkloadHandle& bude, const DeviceHandle& cpu, int rounds) {
  constexpr int kPoses = 2048, kLigand = 26, kProtein = 938, kTypes = 34;
  std::vector<Atom> ligand(kLigand), protein(kProtein);
  std::vector<AtomType> forcefield(kTypes);
  std::vector<float> poses(6 * kPoses), mine(kPoses), theirs(kPoses);
  const auto request = [&](const char* name) { return bude.kernel(name).on(cpu).set("nposes", kPoses); };
  request("make_ligand").get().run(args(ligand.data()));
  request("make_protein").get().run(args(protein.data()));
  request("make_forcefield").get().run(args(forcefield.data()));
  request("make_poses").get().run(args(poses.data()));
  const Kernel kernel = request("fasten").get();
  const auto compare_with = [&](const char* name, auto* loop) {
    const Pair pair = time_pair(
        [&] {
          kernel.run(args(mine.data(), poses.data(), ligand.data(), protein.data(), forcefield.data()));
        },
        [&] {
          loop(theirs.data(), poses.data(), ligand.data(), protein.data(), forcefield.data(), kPoses, kLigand,
               kProtein);
        },
        rounds);
    for (std::size_t i = 0; i < theirs.size(); i += 97)
      require_close("minibude", mine[i] + 1000, theirs[i] + 1000, 1e-3);
    print_row(name, 0, pair, 0.90);
  };
  compare_with("miniBUDE, 2048 poses", &fasten);
  compare_with("miniBUDE, OpenMP with -fno-math-errno too", &fasten_no_errno);
}

}  // namespace

void print_cpu_ratios(const BenchOptions& options) {
  Settings settings = Settings::from_environment();
  settings.workload_path = {options.workload_folder};
  const Service service(settings);
  const DeviceHandle cpu = service.device("cpu");
  std::printf(
      "\nCPU back end against hand-written OpenMP (g++ -O3 -march=native -fopenmp), %s, %d rounds by "
      "turns\n\n",
      cpu.name().c_str(), options.rounds);
  std::printf("| kernel | Kiln, ms | OpenMP, ms | OpenMP / Kiln, median (quartiles) | goal | Kiln |\n");
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  stream_ratios(service.workload("babelstream"), cpu, options.rounds);
  stencil_ratio(service.workload("stencil7"), cpu, 256, options.rounds);
  stencil_ratio(service.workload("stencil7"), cpu, 384, options.rounds);
  bude_ratio(service.workload("minibude"), cpu, options.rounds);
}

}  // namespace kiln::bench
