#pragma once

#include "record/json_fields.h"
#include "record/study_lines.h"

// One row for each member of a study's header, of a case's costs and of a visit; see json_fields.h.
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

}  // namespace kiln
