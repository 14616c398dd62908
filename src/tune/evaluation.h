#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.h"
#include "record/record_fields.h"
#include "search/outcome.h"

namespace kiln {

/// The kept part of the record of a point at one size: enough for any objective.
struct SizeResult {
  std::string size;    ///< TuningSpace::sizes
  std::string record;  ///< its `time`
  RunStatus status = RunStatus::kOk;
  std::string message;
  bool cut = false;                                 ///< sampling was given up
  double least = 0, median = 0, low = 0, high = 0;  ///< seconds of a step, with the median's interval
  std::vector<MetricValue> metrics;
  std::optional<double> largest_error;  ///< that a check found
  int registers = 0;                    ///< the most of its kernels; 0 where not known
};
[[nodiscard]] SizeResult result_of(const Record& record, const std::string& size);

/// The known result of a point: that it failed or was cut at a size, or its results at all sizes.
struct Evaluation {
  std::string label;
  std::vector<std::string> values;  ///< TuningSpace::values; empty: no point of the space
  std::string identity;             ///< tune/variant_identity.h
  std::vector<SizeResult> sizes;
  Outcome outcome;
  double device_seconds = 0;
};

template <class Io>
void fields(Io& io, Is<SizeResult> auto& result) {
  io.known("size", result.size);
  io("record", result.record);
  io.need("status", result.status);
  io.known("message", result.message);
  io("cut", result.cut);
  io("least", result.least);
  io("median", result.median);
  io.pair("interval", result.low, result.high);
  io.named("metrics", result.metrics);
  io("largest_error", result.largest_error);
  io("registers", result.registers);
}

template <class Io>
void fields(Io& io, Is<Outcome> auto& outcome) {
  io.need("kind", outcome.kind);
  if (outcome.kind == OutcomeKind::kFailed)
    io("failure", outcome.failure);
  else
    io.need("value", outcome.value);
}

template <class Io>
void fields(Io& io, Is<Evaluation> auto& evaluation) {
  io("label", evaluation.label);
  io("values", evaluation.values);
  io("identity", evaluation.identity);
  io("sizes", evaluation.sizes);
  io("outcome", evaluation.outcome);
  io("device_seconds", evaluation.device_seconds);
}

}  // namespace kiln
