#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <sstream>
#include <vector>

#include "base/process.h"
#include "figures.h"
#include "kiln/error.h"
#include "pair_timer.h"
#include "scratch_folder.h"

namespace kiln::bench {
namespace {

/// A Laplacian on a grid of nx^3 points, checked against another text.
constexpr const char* kYaml = R"yaml(workload: sweep
parameters:
  nx:     {type: int, default: 256, min: 3, bind: compile}
  bx:     {type: int, default: 32, bind: compile}
  by:     {type: int, default: 4, bind: compile}
  tz:     {type: int, default: 4, bind: compile}
  unroll: {type: int, default: 1, values: [0, 1], bind: compile}
buffers:
  f:           {type: double, shape: [nx, nx, nx], init: 0}
  u:           {type: double, shape: [nx, nx, nx], init: {uniform: [-1, 1]}}
  f_reference: {type: double, shape: [nx, nx, nx], init: 0}
kernels:
  laplace:
    source: laplace.cu
    defines: {N: nx, BX: bx, BY: by, TZ: tz, UNROLL: unroll}
    grid: ["ceil_div(nx, bx)", "ceil_div(nx, by)", "ceil_div(nx, tz)"]
    block: [bx, by]
    args: [f, u]
  laplace_reference:
    {source: laplace_reference.cu, grid: ["ceil_div(nx, 64)", nx, nx], block: [64], args: [f_reference, u, nx]}
run: [laplace]
verify:
  checks:
    - {buffer: f, reference: {kernel: laplace_reference, buffer: f_reference}, rtol: 1e-9, atol: "1e-12 * nx * nx"}
)yaml";

constexpr const char* kKernel = R"(
extern "C" __global__ void __launch_bounds__(BX * BY) laplace(double* __restrict__ f, const double* __restrict__ u) {
  const int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * BY + threadIdx.y;
  if (i < 1 || j < 1 || i > N - 2 || j > N - 2) return;
  const double a = double(N - 1) * double(N - 1);
#if UNROLL
#pragma unroll
#else
#pragma unroll 1
#endif
  for (int t = 0; t < TZ; ++t) {
    const int k = blockIdx.z * TZ + t;
    if (k < 1 || k > N - 2) continue;
    const long long p = ((long long)k * N + j) * N + i;
    f[p] = a * (u[p - 1] + u[p + 1] + u[p - N] + u[p + N] + u[p - N * N] + u[p + N * N] - 6 * u[p]);
  }
}
)";

constexpr const char* kReference = R"(
extern "C" __global__ void laplace_reference(double* __restrict__ f, const double* __restrict__ u, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, k = blockIdx.z;
  if (i < 1 || j < 1 || k < 1 || i > n - 2 || j > n - 2 || k > n - 2) return;
  const long long p = ((long long)k * n + j) * n + i;
  const long long steps[3] = {1, n, (long long)n * n};
  double sum = 0;
  for (int d = 0; d < 3; ++d) sum += ((u[p + steps[d]] - u[p]) - (u[p] - u[p - steps[d]])) * (n - 1.0) * (n - 1.0);
  f[p] = sum;
}
)";

constexpr std::size_t kPoints = 120;

/// Seconds of a whole process that runs the sweep; throws unless every variant is right.
double run_sweep(const BenchOptions& options, const ScratchFolder& scratch, const std::string& cache) {
  Command command;
  command.program = "env";
  // The driver and NVRTC have caches of their own.
  command.arguments = {"CUDA_CACHE_DISABLE=1",
                       "CUDA_CACHE_PATH=" + (scratch.path() / "driver_cache").string(),
                       options.kiln_program,
                       "-q",
                       "--workload-path",
                       scratch.path().string(),
                       "--cache-dir",
                       cache,
                       "run",
                       (scratch.path() / "job.yaml").string(),
                       "--device",
                       options.device,
                       "--format",
                       "json"};
  const ProcessResult result = make_process_runner()->run(command);
  if (!result.ok()) throw environment_error("kiln run failed: " + result.error);
  std::size_t right = 0;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("status") == "ok" && record.at("checks").size() == 1) ++right;
  }
  if (right != kPoints)
    throw internal_error(std::to_string(right) + " of " + std::to_string(kPoints) + " variants are right");
  return result.seconds;
}

}  // namespace

void print_sweep_figures(const BenchOptions& options) {
  std::vector<double> cold, from_disk;
  const int runs = options.device == "cpu" ? 1 : 3;  // the host's compiler takes minutes
  for (int run = 0; run < runs; ++run) {
    const ScratchFolder scratch;
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    const std::string unseen = "// " + std::to_string(now) + "\n";  // no cache knows the texts
    scratch.write("sweep/sweep.yaml", kYaml);
    scratch.write("sweep/laplace.cu", unseen + kKernel);
    scratch.write("sweep/laplace_reference.cu", unseen + kReference);
    scratch.write("job.yaml",
                  "workload: sweep\nset: {nx: " + std::to_string(options.grid) +
                      "}\n"
                      "sweep: {bx: [16, 32, 64, 128, 256], by: [1, 2, 4], tz: [1, 2, 4, 8], "
                      "unroll: [0, 1]}\n"
                      "measure: {min_time: 1 us, max_time: 1 s, min_samples: 7, max_samples: 7}\n");
    const std::string cache = (scratch.path() / "cache").string();
    cold.push_back(run_sweep(options, scratch, cache));
    from_disk.push_back(run_sweep(options, scratch, cache));
  }
  const auto print = [&](const char* what, const std::vector<double>& seconds, const char* goal) {
    std::printf("| sweep of %zu points of %d^3, checked, %s, s | %.2f (%.2f to %.2f) | %s |\n", kPoints,
                options.grid, what, quartile(seconds, 2), quartile(seconds, 0), quartile(seconds, 4), goal);
    std::fflush(stdout);
  };
  print("cold", cold, "7");
  print("from disk", from_disk, "3");
}

}  // namespace kiln::bench
