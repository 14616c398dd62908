#include <array>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "barrier_kernels.h"
#include "barrier_loops.h"
#include "gpu_figures.h"
#include "kiln/kiln.h"
#include "opencl_program.h"
#include "ratio_table.h"

namespace kiln::bench {
namespace {

using Extent2 = std::array<std::uint32_t, 2>;

/// A kernel's launch: what follows its first argument, the memory that it writes, is in `run()`.
struct Launch {
  const char* title;
  const char* kernel;
  Extent2 block, grid;
  std::size_t checked;  ///< elements of the result to compare
  double tolerance;     ///< relative to 1000
};

class Rows {
 public:
  Rows(const Service& service, const DeviceHandle& cpu, int rounds, OpenClProgram* opencl)
      : program_(service.program("barrier_kernels.cu", kBarrierKernels)),
        cpu_(&cpu),
        rounds_(rounds),
        opencl_(opencl),
        in(kCount),
        more(kCount),
        between(kCount),
        mine(kCount),
        theirs(kCount) {
    for (std::size_t i = 0; i < kCount; ++i) {
      in[i] = static_cast<float>(i * 7919 % 1013) * 0.25F - 100.0F;
      more[i] = static_cast<float>(i * 104729 % 997) * 0.01F;
    }
  }

  /// Times the kernel beside `loop`, or beside the same kernel in OpenCL. Both have to give about the same.
  template <class Loop, class... Values>
  void run(const Launch& launch, const Loop& loop, Values... values) {
    const auto f = program_.function(launch.kernel, *cpu_)
                       .block(launch.block[0], launch.block[1])
                       .grid(launch.grid[0], launch.grid[1])
                       .template get<void(float*, Values...)>();
    const auto kernel = [&] { f(nullptr, mine.data(), values...); };
    const std::vector<OpenClArgument> arguments = {argument(theirs.data()), argument(values)...};
    const auto in_opencl = [&] {
      opencl_->run(launch.kernel, {launch.block[0], launch.block[1]}, {launch.grid[0], launch.grid[1]},
                   arguments);
    };
    const Pair pair =
        opencl_ == nullptr ? time_pair(kernel, loop, rounds_) : time_pair(kernel, in_opencl, rounds_);
    for (std::size_t i = 0; i < launch.checked; i += 97)
      require_close(launch.title, mine[i] + 1000.0, theirs[i] + 1000.0, launch.tolerance);
    print_row(launch.title, 0, pair, opencl_ == nullptr ? 0.50 : 1.00);
  }

  static constexpr std::size_t kCount = std::size_t{2048} * 2048;

 private:
  template <class Value>
  static OpenClArgument argument(const Value& value) {
    if constexpr (std::is_pointer_v<Value>)
      return {const_cast<float*>(value), nullptr, kCount * sizeof(float)};  // OpenCL takes no const memory
    else
      return {nullptr, &value, sizeof value};
  }

  Program program_;
  const DeviceHandle* cpu_;
  int rounds_;
  OpenClProgram* opencl_;

 public:
  std::vector<float> in, more, between, mine, theirs;
};

/// Compiles one kernel of the text, each time as a part of another text, and loads it.
template <class... Values>
void print_compiles(const Service& service, const DeviceHandle& cpu, int rounds, const char* kernel,
                    Extent2 block) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const std::string text = "// " + std::to_string(i) + "\n" + kBarrierKernels;
    const Program program = service.program("barrier_kernels.cu", text);
    times.push_back(seconds_of([&] {
                      static_cast<void>(program.function(kernel, cpu)
                                            .block(block[0], block[1])
                                            .template get<void(float*, Values...)>());
                    }) *
                    1e3);
  }
  print_row("cold compile and load of " + std::string(kernel) + ", ms", times, "%.0f", "200");
}

}  // namespace

void print_barrier_compiles(const BenchOptions& options) {
  Settings settings = Settings::from_environment();
  settings.cache = false;
  const Service service(settings);
  const DeviceHandle cpu = service.device("cpu");
  std::printf("\nKernels with barriers on the CPU back end, %s, %d compiles of each\n\n", cpu.name().c_str(),
              options.rounds);
  std::printf("| figure | median (quartiles) | goal |\n| --- | --- | --- |\n");
  using In = const float*;
  const int rounds = options.rounds;
  print_compiles<In, int>(service, cpu, rounds, "jacobi", {16, 16});
  print_compiles<In, In, int>(service, cpu, rounds, "hotspot", {16, 16});
  print_compiles<In, int, int>(service, cpu, rounds, "layernorm_unrolled", {32, 4});
  print_compiles<In, int, int>(service, cpu, rounds, "layernorm_tiles", {128, 1});
  print_compiles<In, In, int>(service, cpu, rounds, "gemm", {16, 16});
  print_compiles<In>(service, cpu, rounds, "scan", {256, 1});
  print_compiles<In>(service, cpu, rounds, "reduce", {256, 1});
  print_compiles<>(service, cpu, rounds, "bitonic", {512, 1});
  print_compiles<In, int>(service, cpu, rounds, "transpose", {32, 8});
}

void barrier_ratios(const Service& service, const DeviceHandle& cpu, int rounds, OpenClProgram* opencl) {
  constexpr int kSide = 2048, kGrid = 2034, kHot = 1024, kMatrix = 512, kRows = 4096, kWidth = 768,
                kSegments = 8192;
  Rows rows(service, cpu, rounds, opencl);
  const float* in = rows.in.data();
  const float* more = rows.more.data();
  float* theirs = rows.theirs.data();
  rows.run(
      {"Jacobi, tiles in shared memory", "jacobi", {16, 16}, {127, 127}, std::size_t{kGrid} * kGrid, 1e-6},
      [&] { jacobi_loop(theirs, in, kGrid); }, in, kGrid);
  rows.run(
      {"hotspot, two steps a launch", "hotspot", {16, 16}, {86, 86}, std::size_t{kHot} * kHot, 1e-6},
      [&] { hotspot_loop(theirs, rows.between.data(), in, more, kHot); }, in, more, kHot);
  if (opencl == nullptr) {  // the kernels have warp operations
    rows.run(
        {"layer norm, unrolled shuffles",
         "layernorm_unrolled",
         {32, 4},
         {kRows / 4, 1},
         std::size_t{kRows} * kWidth,
         1e-5},
        [&] { layernorm_loop(theirs, in, kRows, kWidth); }, in, kRows, kWidth);
    rows.run(
        {"layer norm, tiles of warps",
         "layernorm_tiles",
         {128, 1},
         {kRows / 4, 1},
         std::size_t{kRows} * kWidth,
         1e-5},
        [&] { layernorm_loop(theirs, in, kRows, kWidth); }, in, kRows, kWidth);
  }
  rows.run(
      {"matrix product, tiles of 16 x 16",
       "gemm",
       {16, 16},
       {kMatrix / 16, kMatrix / 16},
       std::size_t{kMatrix} * kMatrix,
       1e-2},
      [&] { gemm_loop(theirs, in, more, kMatrix); }, in, more, kMatrix);
  rows.run(
      {"scan (Blelloch), 512 a block", "scan", {256, 1}, {kSegments, 1}, Rows::kCount, 1e-4},
      [&] { scan_loop(theirs, in, kSegments); }, in);
  rows.run(
      {"reduction by a tree, 256 work-items", "reduce", {256, 1}, {kSegments, 1}, kSegments, 1e-4},
      [&] { reduce_loop(theirs, in, kSegments); }, in);
  rows.mine = rows.in;
  rows.theirs = rows.in;  // of the same size: the memory stays
  rows.run({"bitonic sort of 1024 in shared memory", "bitonic", {512, 1}, {1024, 1}, 1024 * 1024, 0},
           [&] { bitonic_loop(theirs, 1024); });
  rows.run(
      {"transpose, 32 x 33", "transpose", {32, 8}, {kSide / 32, kSide / 32}, Rows::kCount, 0},
      [&] { transpose_loop(theirs, in, kSide); }, in, kSide);
}

}  // namespace kiln::bench
