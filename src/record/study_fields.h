#pragma once

#include "record/json_fields.h"
#include "record/record_fields.h"
#include "record/study_results.h"

// One row for each member of the lines of a study's file; see json_fields.h.
namespace kiln {

template <class Io>
void fields(Io& io, Is<StudyHeader::Section> auto& section) {
  io.need("name", section.name);
  io("workload", section.workload);
}

template <class Io>
void fields(Io& io, Is<StudyHeader> auto& header) {
  io("run_id", header.run_id);
  io("time", header.time);
  io.group("kiln", [&](auto& kiln) {
    kiln("version", header.kiln_version);
    kiln("revision", header.kiln_revision);
  });
  io("study_file", header.study_file);
  io.need("sections", header.sections);
  io("digest", header.digest);
  io("order_seed", header.seed);
  io("rounds", header.rounds);
  io("samples", header.samples);
  io("compiles", header.compiles);
  io.need("devices", header.devices);
}

template <class Io>
void fields(Io& io, Is<MachineCode> auto& code) {
  io("kernel", code.kernel);
  io("bytes", code.bytes);
  io("instructions", code.instructions);
}

template <class Io>
void fields(Io& io, Is<FirstTimes> auto& times) {
  io("seconds", times.seconds);
  io("swap_seconds", times.swap_seconds);
}

template <class Io>
void fields(Io& io, Is<CaseCosts> auto& costs) {
  io("compile_seconds", costs.compile_seconds);
  io("load_seconds", costs.load_seconds);
  io("disk_seconds", costs.disk_seconds);
  io("binary_bytes", costs.binary_bytes);
  io("keys", costs.keys);
  io("first_results", costs.first);
  io("machine_code", costs.machine_code);
}

template <class Io>
void fields(Io& io, Is<Visit> auto& visit) {
  io.need("seconds", visit.seconds);
  io("launches", visit.launches);
}

template <class Io>
void fields(Io& io, Is<CaseLine> auto& line) {
  io.need("section", line.section);
  io.need("device", line.device);
  io.need("case", line.which.name);
  io("group", line.which.group);
  io("constants", line.which.constants);
  io("fast_math", line.which.fast_math);
  io("launch_bounds", line.which.launch_bounds);
  io.unless("compiler", line.which.compiler, "run-time");
  io("compiled_by", line.compiled_by);
  io("costs", line.costs);
}

template <class Io>
void fields(Io& io, Is<VisitLine> auto& line) {
  io.need("section", line.section);
  io.need("device", line.device);
  io.need("case", line.name);
  io.need("round", line.round);
  fields(io, line.visit);
}

template <class Io>
void fields(Io& io, Is<Interval> auto& interval) {
  io.need("median", interval.median);
  io.pair("interval", interval.low, interval.high);
}

template <class Io>
void fields(Io& io, Is<RoundsSummary> auto& summary) {
  io("rounds", summary.rounds);
  io.need("median", summary.median);
  io.pair("interval", summary.low, summary.high);
  io("min", summary.min);
  io("max", summary.max);
}

template <class Io>
void fields(Io& io, Is<CaseMetric> auto& metric) {
  io.need("value", metric.value);
  io("unit", metric.unit);
}

template <class Io>
void fields(Io& io, Is<CaseResult> auto& result) {
  io.need("case", result.name);
  io.need("status", result.status);
  io.known("message", result.message);
  io("step_seconds", result.step);
  io.named("metrics", result.metrics);
  io("code_bytes", result.code_bytes);
  io("instructions", result.instructions);
  io("registers", result.resources.registers);
  io("local_bytes", result.resources.local_bytes);
  io("shared_bytes", result.resources.shared_bytes);
  io("occupancy", result.resources.occupancy);
  io("max_relative_error", result.error);
}

template <class Io>
void fields(Io& io, Is<CaseRatio> auto& ratio) {
  io.need("case", ratio.subject);
  io.need("base", ratio.base);
  io.need("speedup", ratio.speedup);
  io("effect", ratio.effect);
  io("same_code", ratio.same_code);
  io("registers_saved", ratio.registers_saved);
  io("instructions", ratio.instructions);
  io("base_instructions", ratio.base_instructions);
  io("verdict", ratio.verdict);
}

template <class Io>
void fields(Io& io, Is<CaseBreakEven> auto& found) {
  io.need("case", found.subject);
  io.need("base", found.base);
  io.need("price_seconds", found.price);
  io.need("saved_seconds", found.saved);
  io("kind", found.result.kind);
  io("launches", found.result.launches);
  io.pair("interval", found.result.low, found.result.high);
  io("verdict", found.verdict);
}

template <class Io>
void fields(Io& io, Is<FirstResult> auto& found) {
  io.need("case", found.subject);
  io.need("way", found.way);
  io.need("seconds", found.seconds);
  io("swap_seconds", found.swap_seconds);
  io("verdict", found.verdict);
}

template <class Io>
void fields(Io& io, Is<AmortisationCurve::Before> auto& before) {
  io.need("case", before.subject);
  io("launch_seconds", before.launch_seconds);
  io("swap_seconds", before.swap_seconds);
  io("launches", before.launches);
}

template <class Io>
void fields(Io& io, Is<AmortisationCurve> auto& curve) {
  io.need("case", curve.subject);
  io.need("way", curve.way);
  io("first_seconds", curve.first_seconds);
  io("launch_seconds", curve.launch_seconds);
  io("before_swap", curve.before);
  io.need("seconds", curve.seconds);
}

template <class Io>
void fields(Io& io, Is<Amortisation> auto& flavour) {
  io("fast_math", flavour.fast_math);
  io("launch_bounds", flavour.launch_bounds);
  io.need("launches", flavour.launches);
  io.need("curves", flavour.curves);
}

template <class Io>
void fields(Io& io, Is<StudyResult> auto& result) {
  io.need("section", result.section);
  io.need("device", result.device);
  io.need("cases", result.cases);
  io("unread", result.unread);
  io("left_out", result.left_out);
  io("no_ahead", result.no_ahead);
  io("constants", result.constants);
  io("all_but", result.all_but);
  io("factorial", result.factorial);
  io("switches", result.switches);
  io("compilers", result.compilers);
  io("controls", result.controls);
  io("break_even", result.break_even);
  io("first_results", result.first_results);
  io("amortisation", result.amortisation);
}

}  // namespace kiln
