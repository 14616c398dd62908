#pragma once

#include "record/json_fields.h"
#include "record/record.h"

// One row for each member of a record. A new field is a member of record.h, its row here, the place that
// fills it and schemas/record.schema.json.
namespace kiln {

template <class Io>
void fields(Io& io, Is<DeviceLimits> auto& limits) {
  io("max_threads_per_block", limits.max_threads_per_block, {.decides = true});
  io("max_block", limits.max_block, {.decides = true});
  io("max_grid", limits.max_grid, {.decides = true});
  io("max_shared_bytes_per_block", limits.max_shared_bytes_per_block, {.decides = true});
  io("max_threads_per_unit", limits.max_threads_per_unit, {.decides = true});
  io("clusters", limits.clusters, {.decides = true});
  io("cooperative", limits.cooperative, {.decides = true});
}

template <class Io>
void fields(Io& io, Is<DeviceInfo> auto& device) {
  io.need("id", device.id, {"device", true});
  io.need("name", device.name, {"device_name", true});
  io.need("backend", device.target.backend, {.decides = true});
  io.need("arch", device.target.arch, {.decides = true});
  io("warp_size", device.target.warp_size);
  io("compute_units", device.compute_units, {.decides = true});
  io("memory_bytes", device.memory_bytes);
  io("l2_bytes", device.l2_bytes);
  io("memory_bandwidth", device.memory_bandwidth, {.decides = true});
  io.known("driver", device.driver, {"driver", true});
  io("limits", device.limits);
}

template <class Io>
void fields(Io& io, Is<CompilerIdentity> auto& compiler) {
  io("name", compiler.name, {"compiler", true});
  io("version", compiler.version, {"compiler_version", true});
  io("fingerprint", compiler.fingerprint, {.decides = true});
}

template <class Io>
void fields(Io& io, Is<BoundParameter> auto& parameter) {
  io.scalar("value", parameter.value, parameter.quoted);
  io.either("bind", parameter.compile_time, "compile", "run");
}

template <class Io>
void fields(Io& io, Is<InputUse> auto& input) {
  io.need("name", input.name);
  io("sha256", input.sha256);
}

template <class Io>
void fields(Io& io, Is<UnitUse> auto& unit) {
  io("source", unit.source);
  io("entries", unit.entries);
  io("origin", unit.origin);
  io("key", unit.key);
  io("compile_seconds", unit.compile_seconds);
  io("load_seconds", unit.load_seconds);
  io("options", unit.options);
  io("binary_bytes", unit.binary_bytes);
  io.known("note", unit.note);
}

template <class Io>
void fields(Io& io, Is<Summary> auto& summary) {
  io("samples", summary.count);
  io("min", summary.min);
  io.need("median", summary.median);
  io("mean", summary.mean);
  io("max", summary.max);
  io("deviation", summary.deviation);
  io.pair("interval", summary.ci_low, summary.ci_high);
}

template <class Io>
void fields(Io& io, Is<FunctionAttributes> auto& attributes) {
  io("registers", attributes.registers);
  io("static_shared_bytes", attributes.static_shared_bytes);
  io("local_bytes", attributes.local_bytes);
  io("max_threads_per_block", attributes.max_threads_per_block);
  io("binary_bytes", attributes.binary_bytes);
  io("fibers_because", attributes.fibers_because);
}

template <class Io>
void fields(Io& io, Is<DeviceClocks> auto& clocks) {
  io("compute_mhz", clocks.compute_mhz);
  io("memory_mhz", clocks.memory_mhz);
  io("compute_max_mhz", clocks.compute_max_mhz);
  io("memory_max_mhz", clocks.memory_max_mhz);
  io("limited_by", clocks.limited_by);
}

template <class Io>
void fields(Io& io, Is<LaunchUse> auto& launch) {
  io("step", launch.step);
  io("kernel", launch.kernel);
  io("grid", launch.shape.grid);
  io("block", launch.shape.block);
  io("cluster", launch.shape.cluster);
  io("cooperative", launch.shape.cooperative);
  io("dynamic_shared_bytes", launch.shape.dynamic_shared_bytes);
  io("attributes", launch.attributes);
  io("occupancy", launch.occupancy);
  io("seconds", launch.seconds);
}

template <class Io>
void fields(Io& io, Is<CheckResult> auto& check) {
  io("name", check.name);
  io("against", check.against);
  io.need("ok", check.ok);
  io("compared", check.compared);
  io("skipped", check.skipped);
  io("mismatches", check.mismatches);
  io.group_if(!check.worst_index.empty(), "worst", [&](auto& worst) {
    worst("index", check.worst_index);
    worst("value", check.worst_value);
    worst("expected", check.worst_expected);
  });
  io("max_relative_error", check.max_relative_error);
  io("rtol", check.rtol);
  io("atol", check.atol);
  io("message", check.message);
}

template <class Io>
void fields(Io& io, Is<KeptFile> auto& kept) {
  io.need("buffer", kept.buffer);
  io.need("file", kept.file);
  io("shape", kept.shape);
}

template <class Io>
void fields(Io& io, Is<WisdomUse> auto& wisdom) {
  io("file", wisdom.file);
  io("device", wisdom.device);
  io.known("date", wisdom.date);
  io("sentence", wisdom.sentence);
  io("distance", wisdom.distance);
  io("stale", wisdom.stale);
  io.known("failure", wisdom.failure);
}

template <class Io>
void fields(Io& io, Is<MetricValue> auto& metric) {
  io.need("value", metric.value);
  io("unit", metric.unit);
  io.either("higher_is", metric.higher_is_better, "better", "worse");
}

template <class Io>
void fields(Io& io, Is<Record> auto& record) {
  io("run_id", record.run_id, {.column = "run_id"});
  io("time", record.time, {.column = "time"});
  io.group("kiln", [&](auto& kiln) {
    kiln("version", record.kiln_version, {"kiln_version", true});
    kiln("revision", record.kiln_revision, {"kiln_revision", true});
  });
  io("job_file", record.job_file, {.column = "job_file"});
  io.need("workload", record.workload, {"workload", true});
  io("source_digest", record.source_digest, {"source_digest", true});
  io("label", record.label, {.column = "label"});
  io.need("device", record.device);
  io("compiler", record.compiler);
  io.named("parameters", record.parameters, {.decides = true});
  io("fast_math", record.fast_math, {"fast_math", true});
  io("launch_bounds", record.launch_bounds, {"launch_bounds", true});
  io("lineinfo", record.lineinfo, {"lineinfo", true});
  io("graph", record.graph, {"graph", true});
  io("seed", record.seed, {"seed", true});
  io("inputs", record.inputs, {.decides = true});
  io("cache_mode", record.cache_mode, {"cache_mode", true});
  io.need("status", record.status, {.column = "status"});
  io.known("message", record.message, {.column = "message"});
  io.known("log", record.log);
  io("units", record.units);
  io("launches", record.launches);
  io("step_seconds", record.step);
  io("steps_per_sample", record.steps_per_sample, {.column = "steps_per_sample"});
  io("profiled_steps", record.profiled_steps, {.column = "profiled_steps"});
  io("waits_per_step", record.waits_per_step, {.column = "waits_per_step"});
  io("graphs_per_step", record.graphs_per_step, {.column = "graphs_per_step"});
  io("buffer_bytes", record.buffer_bytes, {.column = "buffer_bytes"});
  io("unshared_buffer_bytes", record.unshared_buffer_bytes, {.column = "unshared_buffer_bytes"});
  io.known("stop_reason", record.stop_reason, {.column = "stop_reason"});
  io("clocks_before", record.clocks_before);
  io("clocks_after", record.clocks_after);
  io("checks", record.checks);
  io("kept", record.kept);
  io("wisdom", record.wisdom);
  io.named("metrics", record.metrics);
  io("first_launch_seconds", record.first_launch_seconds, {.column = "first_launch_seconds"});
  io("launch_time_limit", record.launch_time_limit, {.column = "launch_time_limit"});
}

}  // namespace kiln
