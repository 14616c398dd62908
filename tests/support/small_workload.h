#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "workload/configuration.h"

namespace kiln::test {

/// A workload file for tests of every layer above the reader: a scale kernel, its input and its reference.
inline const char* const kScaleYaml = R"yaml(workload: scale
summary: y = factor * x
parameters:
  T: {type: type, default: double, values: [float, double]}
  n: {type: int, default: 1000, min: 1}
  block: {type: int, default: {cpu: 64, otherwise: 256}, bind: compile, values: [32, 64, 128, 256]}
  factor: {type: T, default: 3}
  unused: {type: long, default: 5}
  mode: {type: choice, default: plain, values: [plain, fancy]}
  input: {type: path}
let: {blocks: "ceil_div(n, block)", bytes: "2 * n * sizeof(T)"}
constraints: ["n * block <= 1000000"]
buffers:
  x: {type: T, shape: [n], init: {iota: [1, 1]}}
  y: {type: T, shape: [n]}
  y_reference: {type: T, shape: [n]}
kernels:
  scale:
    source: scale.cu
    block: [block]
    grid: [blocks]
    args: [y, x, params]
    launch_bounds: [block]
  scale_reference: {source: scale_data.cu, block: [64], grid: ["ceil_div(n, 64)"], args: [y_reference, x, params]}
run: [scale]
verify:
  checks:
    - {name: reference, buffer: y, reference: {kernel: scale_reference, buffer: y_reference}, rtol: 1e-12}
metrics:
  bandwidth: {unit: GB/s, value: "bytes / scale.time * 1e-9", higher_is: better}
)yaml";

inline const char* const kScaleSource = R"(#include "kiln/params.h"
extern "C" __global__ void KILN_LAUNCH_BOUNDS_scale scale(T* y, const T* x, const Params p) {
  const int i = blockIdx.x * Params::block + threadIdx.x;
  if (i < p.n) y[i] = p.factor * x[i];
}
)";

inline const char* const kScaleDataSource = R"(#include "kiln/params.h"
extern "C" __global__ void scale_reference(T* y, const T* x, const Params p) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < p.n) y[i] = x[i] * p.factor;
}
)";

/// Writes that workload to `folder`/scale/.
inline void write_small_workload(FileSystem& files, const std::filesystem::path& folder) {
  files.make_directories(folder / "scale", false);
  files.write_file(folder / "scale/scale.yaml", kScaleYaml, false);
  files.write_file(folder / "scale/scale.cu", kScaleSource, false);
  files.write_file(folder / "scale/scale_data.cu", kScaleDataSource, false);
}

/// A file of wisdom with one point of it: `values` for 200 doubles on a device of the cpu.
inline std::string small_workload_wisdom(const std::string& device, const std::string& arch,
                                         const std::string& values) {
  return "- key: {workload: scale, device: {name: \"" + device + "\", backend: cpu, arch: \"" + arch +
         "\"}, types: {T: double}, size: {n: 200}}\n  values: " + values +
         "\n  result: {time: 1 ms}\n  made: {date: 2026-11-20}\n";
}

/// A disk in memory with that workload at /kernels/scale/.
struct SmallDisk {
  FakeClock clock;
  MemoryFileSystem files{clock};

  SmallDisk() { write_small_workload(files, "/kernels"); }

  [[nodiscard]] std::shared_ptr<const Workload> workload() {
    return load_workload_file(files, "/kernels/scale/scale.yaml");
  }

  using Settings = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] ConfigurationResult result(const Settings& settings, const std::string& backend = "cuda") {
    std::vector<std::pair<std::string, RawValue>> assignments;
    for (const auto& [name, text] : settings)
      assignments.emplace_back(name, RawValue{text, false, {"job.yaml", 4, 8}});
    return configure(workload(), assignments, unknown_device({backend, ""}), files);
  }
  [[nodiscard]] Configuration configured(const Settings& settings, const std::string& backend = "cuda") {
    return result(settings, backend).configuration;
  }
};

}  // namespace kiln::test
