#include "tune/recorded_entries.h"

#include <array>
#include <cmath>
#include <string_view>

namespace kiln {
namespace {

constexpr double kSecondsPerMillisecond = 1e-3;

struct FailureWord {
  std::string_view word;
  FailureKind kind;
};
constexpr std::array<FailureWord, 4> kErrors{{{"CompilationFailedConfig", FailureKind::kCompile},
                                              {"RuntimeFailedConfig", FailureKind::kFault},
                                              {"InvalidConfig", FailureKind::kUnfit},
                                              {"ErrorConfig", FailureKind::kFault}}};
constexpr std::array<FailureWord, 5> kInvalidities{{{"timeout", FailureKind::kTimeout},
                                                    {"compile", FailureKind::kCompile},
                                                    {"runtime", FailureKind::kFault},
                                                    {"correctness", FailureKind::kWrong},
                                                    {"constraints", FailureKind::kUnfit}}};

template <std::size_t count>
Outcome failure_of(const JsonNode& node, const std::array<FailureWord, count>& words) {
  const std::string text = node.text();
  std::vector<std::string> known;
  for (const FailureWord& one : words) {
    if (one.word == text) return Outcome::failed(one.kind);
    known.emplace_back(one.word);
  }
  throw node.expected("a number or one of " + join(known, ", "));
}

std::string value_text(const JsonNode& node) {
  return node.is_text() ? node.text() : node.scalar_text();
}

/// A positive number in ms, or the word of a failure.
Outcome outcome_of(const JsonNode& node) {
  if (node.is_text()) return failure_of(node, kErrors);
  const double value = node.number();
  if (!std::isfinite(value) || value <= 0) throw node.expected("a time above 0");
  return Outcome::measured(value);
}

double number_or_zero(const JsonNode& parent, const std::string& key) {
  const auto node = parent.find(key);
  if (!node || node->is_null()) return 0;
  const double value = node->number();
  if (!std::isfinite(value) || value < 0) throw node->expected("a time of at least 0");
  return value;
}

/// Sum of a list of times.
double sum_of(const JsonNode& samples) {
  double sum = 0;
  for (const JsonNode& sample : samples.items()) sum += sample.number();
  return sum;
}

}  // namespace

RecordedEntry read_kernel_tuner_entry(const JsonNode& entry) {
  RecordedEntry read;
  read.path = entry.path();
  for (const auto& [name, value] : entry.members()) {
    if (value.is_scalar()) read.values.emplace_back(name, value_text(value));
  }
  const auto error = entry.find("__error__");
  read.point.outcome = error ? failure_of(*error, kErrors) : outcome_of(entry.at("time"));
  for (const char* part : {"compile_time", "verification_time", "benchmark_time"})
    read.point.seconds += number_or_zero(entry, part) * kSecondsPerMillisecond;
  return read;
}

std::vector<RecordedParameter> read_kernel_tuner_parameters(const JsonNode& root) {
  std::vector<RecordedParameter> parameters;
  const JsonNode values = root.at("tune_params");
  for (const JsonNode& name : root.at("tune_params_keys").items()) {
    RecordedParameter parameter{name.text(), {}};
    for (const JsonNode& value : values.at(parameter.name).items())
      parameter.values.push_back(value_text(value));
    if (parameter.values.empty()) throw values.at(parameter.name).expected("a list of at least one value");
    parameters.push_back(std::move(parameter));
  }
  if (parameters.empty()) throw root.at("tune_params_keys").expected("at least one name");
  return parameters;
}

RecordedEntry read_t4_entry(const JsonNode& entry) {
  RecordedEntry read;
  read.path = entry.path();
  for (const auto& [name, value] : entry.at("configuration").members())
    read.values.emplace_back(name, value_text(value));
  const JsonNode invalidity = entry.at("invalidity");
  if (invalidity.text() == "correct") {
    const std::vector<JsonNode> measurements = entry.at("measurements").items();
    if (measurements.empty()) throw entry.at("measurements").expected("at least one measurement");
    read.point.outcome = outcome_of(measurements.front().at("value"));
  } else {
    read.point.outcome = failure_of(invalidity, kInvalidities);
  }
  const JsonNode times = entry.at("times");
  double milliseconds = number_or_zero(times, "validation");
  milliseconds += number_or_zero(times, times.find("compilation_time") ? "compilation_time" : "compilation");
  if (times.find("benchmark"))
    milliseconds += number_or_zero(times, "benchmark");
  else if (const auto runtimes = times.find("runtimes"))
    milliseconds += sum_of(*runtimes);
  read.point.seconds = milliseconds * kSecondsPerMillisecond;
  return read;
}

}  // namespace kiln
