#include <cstdio>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "barrier_kernels.h"
#include "figures.h"
#include "kiln/kiln.h"
#include "opencl_program.h"
#include "openmp_loops.h"
#include "ratio_table.h"

namespace kiln::bench {
namespace {

void stream_ratios(const WorkloadHandle& stream, const DeviceHandle& cpu, int rounds) {
  constexpr std::size_t kN = std::size_t{1} << 25;
  constexpr double kArray = static_cast<double>(kN) * sizeof(double);
  const auto kernel = [&](const char* name) {
    return stream.kernel(name).on(cpu).set("T", "double").set("n", kN).get();
  };
  std::vector<double> a(kN, 0.1), b(kN, 0.2), c(kN, 0.0);
  const Kernel copy_kernel = kernel("copy"), mul_kernel = kernel("mul"), add_kernel = kernel("add"),
               triad_kernel = kernel("triad");
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
  const auto compare_dot = [&](const char* name, const Kernel& kernel_of_dot, std::size_t blocks) {
    std::vector<double> partials(blocks);
    double mine = 0;
    double theirs = 0;
    const Pair pair = time_pair(
        [&] {
          kernel_of_dot.run(args(partials.data(), a.data(), b.data()));
          mine = 0;
          for (const double partial : partials) mine += partial;
        },
        [&] { theirs = dot(a.data(), b.data(), kN); }, rounds);
    require_close("dot", mine, theirs, 1e-9);
    print_row(name, 2 * kArray, pair, 0.80);
  };
  compare_dot("dot (barriers)", kernel("dot"), kN / 8192);
  constexpr std::size_t kMostBlocks = 1024;  // those that a smaller grid does not write stay 0
  const Kernel dot_paper =
      stream.kernel("dot_paper").on(cpu).set("implementation", "paper").set("T", "double").set("n", kN).get();
  compare_dot("dot, paper (barriers)", dot_paper, kMostBlocks);
}

template <class T>
void stencil_ratio(const WorkloadHandle& stencil, const DeviceHandle& cpu, const std::string& type, int n,
                   int rounds) {
  const auto points = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<T> u(points), mine(points), theirs(points);
  for (std::size_t i = 0; i < points; ++i) u[i] = static_cast<T>(i % 1013) * static_cast<T>(1e-3);
  const Kernel kernel =
      stencil.kernel("laplacian").on(cpu).set("T", type).set("nx", n).set("ny", n).set("nz", n).get();
  const Pair pair = time_pair([&] { kernel.run(args(mine.data(), u.data())); },
                              [&] { laplacian(theirs.data(), u.data(), n, n, n); }, rounds);
  // Neighbours cancel, but for a remainder that is rounding of terms of about n^2.
  const std::size_t middle = points / 2 + static_cast<std::size_t>(n) / 2;
  const double shift = 8.0 * n * n;
  require_close("stencil7", mine[middle] + shift, theirs[middle] + shift,
                16 * std::numeric_limits<T>::epsilon());
  const std::string name = "stencil7, " + type + ", " + std::to_string(n) + "^3";
  print_row(name.c_str(), 2 * static_cast<double>(points) * sizeof(T), pair, 0.95);
}

void bude_ratio(const WorkloadHandle& bude, const DeviceHandle& cpu, int rounds) {
  constexpr int kPoses = 2048, kLigand = 26, kProtein = 938, kTypes = 34;
  std::vector<Atom> ligand(kLigand), protein(kProtein);
  std::vector<AtomType> forcefield(kTypes);
  std::vector<float> poses(6 * kPoses), mine(kPoses), theirs(kPoses);
  const auto request = [&](const char* name, const char* implementation = "tuned") {
    return bude.kernel(name).on(cpu).set("implementation", implementation).set("nposes", kPoses);
  };
  request("make_ligand").get().run(args(ligand.data()));
  request("make_protein").get().run(args(protein.data()));
  request("make_forcefield").get().run(args(forcefield.data()));
  request("make_poses").get().run(args(poses.data()));
  const auto compare_with = [&](const char* name, const Kernel& kernel, FastenLoop* loop) {
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
    print_row(name, 0, pair, 0.95);
  };
  const Kernel tuned = request("fasten").get(), paper = request("fasten_paper", "paper").get();
  compare_with("miniBUDE, 2048 poses, tuned", tuned, &fasten);
  compare_with("the same, OpenMP with -fno-math-errno too", tuned, &fasten_no_errno);
  compare_with("miniBUDE, 2048 poses, paper", paper, &fasten_cases);
  compare_with("the same, OpenMP with -fno-math-errno too", paper, &fasten_cases_no_errno);
}

}  // namespace

void print_barrier_ratios(const BenchOptions& options, bool beside_opencl) {
  const Service service(Settings::from_environment());
  const DeviceHandle cpu = service.device("cpu");
  std::optional<OpenClProgram> opencl;
  std::string other = "OpenMP loops (g++ -O3 -march=native -fopenmp)";
  if (beside_opencl) other = "the same kernels in OpenCL (" + opencl.emplace(kBarrierKernels).device() + ")";
  std::printf("\nKernels with barriers on the CPU back end against %s, %s, %d rounds by turns\n\n",
              other.c_str(), cpu.name().c_str(), options.rounds);
  std::printf("| kernel | Kiln, ms | other, ms | other / Kiln, median (quartiles) | goal | Kiln |\n");
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  barrier_ratios(service, cpu, options.rounds, opencl ? &*opencl : nullptr);
}

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
  const auto workload = [&](const char* name) { return service.workload(name); };
  const int rounds = options.rounds;
  const std::pair<const char*, std::function<void()>> groups[] = {
      {"babelstream", [&] { stream_ratios(workload("babelstream"), cpu, rounds); }},
      {"stencil7",
       [&] {
         stencil_ratio<double>(workload("stencil7"), cpu, "double", 256, rounds);
         stencil_ratio<double>(workload("stencil7"), cpu, "double", 384, rounds);
         stencil_ratio<float>(workload("stencil7"), cpu, "float", 384, rounds);
       }},
      {"minibude", [&] { bude_ratio(workload("minibude"), cpu, rounds); }},
      {"xsbench", [&] { cross_section_ratios(workload("xsbench"), cpu, rounds); }},
      {"hartree_fock", [&] { fock_ratios(workload("hartree_fock"), cpu, rounds); }},
      {"cloverleaf", [&] { clover_ratios(workload("cloverleaf"), cpu, rounds); }},
      {"su3", [&] { su3_ratios(workload("su3"), cpu, rounds); }},
      {"spmv", [&] { sparse_ratios(workload("spmv"), cpu, rounds); }},
      {"batched_gemm", [&] { batched_ratios(workload("batched_gemm"), cpu, rounds); }},
      {"barriers", [&] { barrier_ratios(service, cpu, rounds, nullptr); }},
  };
  for (const auto& [name, print] : groups) {
    if (options.figures.empty() || options.figures == name) print();
  }
}

}  // namespace kiln::bench
