#pragma once

#include <cstdint>
#include <string>

#include "record/record.h"

namespace kiln::test {
inline Record base_record(const std::string& label) {
  Record record;
  record.run_id = "0123456789abcdef";
  record.time = "2026-11-21T09:35:00.123Z";
  record.kiln_version = "0.1.0";
  record.kiln_revision = "1d2331e0c5a2";
  record.job_file = "configs/quickstart.yaml";
  record.workload = "stencil7";
  record.source_digest = std::string(64, 'a');
  record.label = label;
  record.device.id = "cpu";
  record.device.name = "Example CPU";
  record.device.target = {"cpu", "x86-64 avx2", 32};
  record.device.compute_units = 2;
  record.device.memory_bytes = std::uint64_t{8} << 30;
  record.compiler = {"g++", "12.2.0", "f00d"};
  record.parameters = {
      {"T", "double", true, true}, {"nx", "64", false, false}, {"scale", "0.5", true, false}};
  record.seed = 42;
  record.cache_mode = "warm";
  return record;
}

inline UnitUse unit(Origin origin, double compile_seconds) {
  UnitUse use;
  use.source = "stencil7.cu";
  use.entries = {"laplacian"};
  use.origin = origin;
  use.key = std::string(64, 'b');
  use.compile_seconds = compile_seconds;
  use.load_seconds = 0.001;
  use.options = {"-O3"};
  use.binary_bytes = 16384;
  return use;
}

inline Summary summary(double median) {
  return {100, median * 0.9, median, median * 1.05, median * 1.5, median * 0.1, median * 0.98, median * 1.02};
}

inline CheckResult check(bool ok) {
  CheckResult result;
  result.name = "against the exact Laplacian";
  result.against = "expected value";
  result.ok = ok;
  result.compared = 1000;
  result.mismatches = ok ? 0 : 17;
  result.worst_index = "[3, 17, 2]";
  result.worst_value = ok ? 3.0000001 : 2.93;
  result.worst_expected = 3;
  result.max_relative_error = ok ? 3.3e-8 : 0.0233;
  result.atol = 1e-6;
  return result;
}

/// Compiled, ran and agreed; every field is filled.
inline Record ok_record(const std::string& label, double median_seconds) {
  Record record = base_record(label);
  record.units = {unit(Origin::kCompiled, 0.063), unit(Origin::kMemory, 0)};
  LaunchUse launch;
  launch.kernel = "laplacian";
  launch.shape = {{8, 8, 8}, {64, 1, 1}, 0};
  launch.attributes.binary_bytes = 16384;
  launch.seconds = summary(median_seconds);
  record.launches = {launch};
  record.step = summary(median_seconds);
  record.stop_reason = "stable";
  record.checks = {check(true)};
  record.metrics = {{"effective_bandwidth", "GB/s", 0.03 / median_seconds, true}};
  record.first_launch_seconds = 0.07;
  return record;
}

/// Its second check did not agree.
inline Record wrong_record(const std::string& label) {
  Record record = base_record(label);
  record.units = {unit(Origin::kDisk, 0)};
  record.status = RunStatus::kWrong;
  record.checks = {check(true), check(false)};
  return record;
}

/// Did not compile.
inline Record uncompiled_record(const std::string& label) {
  Record record = base_record(label);
  record.status = RunStatus::kCompileFailed;
  record.message = "stencil7.cu:12:5: error: 'x' was not declared";
  record.log = record.message + "\n   12 |     x = 1;\n      |     ^\n";
  return record;
}

}  // namespace kiln::test
