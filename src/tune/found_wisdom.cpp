#include "tune/found_wisdom.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "record/code_origin.h"
#include "wisdom/wisdom_choice.h"

namespace kiln {
namespace {

using Assignments = std::vector<std::pair<std::string, RawValue>>;

class Finder {
 public:
  Finder(const TuneTask& task, const TuneResult& result, const std::string& today)
      : task_(task),
        result_(result),
        device_(task.context.devices.open(task.device)->info()),
        objective_(task.job.tune.objective, task.workload, task.space.sizes().size()),
        usual_(tuned_values(task.workload, device_.target.backend)) {
    made_.kiln = task.context.kiln_version;
    made_.source = wisdom_source_digest(task.workload, task.context.files);
    made_.compiler = compiler_text(task.context.compiler_for(device_.target.backend).identity());
    made_.driver = device_.driver;
    made_.date = today;
    if (task.journal != nullptr) made_.journal = task.journal->path().string();
    measured_ =
        std::count_if(result.evaluations.begin(), result.evaluations.end(), [&](const Evaluation& one) {
          return one.outcome.kind != OutcomeKind::kFailed && task.space.rank(one.values).has_value();
        });
  }

  std::vector<WisdomRecord> find() {
    if (!result_.best || objective_.is_pareto() || task_.job.inline_workload || tunes(ParameterKind::kPath))
      return {};
    if (result_.finalists.empty()) add(*result_.best);
    for (const Finalist& one : result_.finalists) add(one.evaluation);
    return std::move(records_);
  }

 private:
  [[nodiscard]] bool is_kind(const std::string& name, ParameterKind kind) const {
    const ParameterSpec* parameter = task_.workload.find_parameter(name);
    return parameter != nullptr && parameter->kind == kind;
  }
  [[nodiscard]] bool tunes(ParameterKind kind) const {
    const ValueLists& names = task_.space.names();
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& entry) { return is_kind(entry.first, kind); });
  }

  void add(std::size_t place) {
    const Evaluation& evaluation = result_.evaluations[place];
    const auto values = values_of(place);
    if (!values || evaluation.sizes.size() != task_.space.sizes().size()) return;
    for (std::size_t size = 0; size < evaluation.sizes.size(); ++size) add(place, *values, size);
  }

  /// Values of the tuned names. The default need not be a point of the space. Absent for values that wisdom
  /// does not take.
  [[nodiscard]] std::optional<std::vector<std::string>> values_of(std::size_t place) const {
    const std::vector<std::string>& values = result_.evaluations[place].values;
    const auto rank = task_.space.rank(values);
    if (!rank) return result_.default_variant == place ? task_.space.untuned_values() : std::nullopt;
    const Configuration usual = task_.space.untuned(0).configuration;
    const Point point = task_.space.points().point(*rank);
    const bool as_usual = task_.space.configuration(point, 0).configuration.fast_math() == usual.fast_math();
    return as_usual ? std::optional(values) : std::nullopt;
  }

  /// Types belong to the key. Of what the job sets, its knobs belong to the point: without them its other
  /// values need not be good ones.
  void add(std::size_t place, const std::vector<std::string>& values, std::size_t size) {
    WisdomQuestion question{task_.space.workload(), task_.space.set(size), device_, made_,
                            objective_.metrics().front()};
    WisdomRecord record;
    std::vector<std::string> tuned;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& name = task_.space.names()[i].first;
      if (is_kind(name, ParameterKind::kType)) {
        question.set.emplace_back(name, RawValue{values[i], false, {}});
      } else if (name != "fast_math" && name != "lineinfo") {
        record.values.emplace_back(name, values[i]);
        tuned.push_back(name);
      }
    }
    for (const auto& [name, value] : task_.space.set(size)) {
      const bool knob = has_name(usual_, name) && !is_kind(name, ParameterKind::kType);
      if (knob && name != "fast_math") record.values.emplace_back(name, value.text);
    }
    if (record.values.empty()) return;
    std::sort(record.values.begin(), record.values.end());
    record.key = wisdom_key(question, tuned, task_.context.files);
    record.made = made_;
    record.result = result(place, size);
    records_.push_back(std::move(record));
  }

  [[nodiscard]] WisdomResult result(std::size_t place, std::size_t size) const {
    const SizeResult& own = result_.evaluations[place].sizes[size];
    WisdomResult result;
    result.time = times(place, size);
    if (objective_.metrics().front() != "time") result.value = objective_.cost(own, 0);
    if (result_.default_variant) {
      const Evaluation& usual = result_.evaluations[*result_.default_variant];
      if (usual.outcome.kind == OutcomeKind::kValue)
        result.default_time = times(*result_.default_variant, size).front();
    }
    result.points = std::to_string(measured_) + " of " + std::to_string(task_.space.points().count());
    if (own.largest_error && std::isfinite(*own.largest_error)) result.checked = own.largest_error;
    return result;
  }

  /// Median and interval, of the last rounds where these give them.
  [[nodiscard]] std::vector<double> times(std::size_t place, std::size_t size) const {
    const bool rounds_are_times =
        task_.space.sizes().size() == 1 && objective_.metrics() == std::vector<std::string>{"time"};
    for (const Finalist& one : result_.finalists) {
      if (rounds_are_times && one.evaluation == place)
        return {one.value.median, one.value.low, one.value.high};
    }
    const SizeResult& own = result_.evaluations[place].sizes[size];
    return {own.median, own.low, own.high};
  }

  const TuneTask& task_;
  const TuneResult& result_;
  DeviceInfo device_;
  Objective objective_;
  ValueLists usual_;
  WisdomOrigin made_;
  std::ptrdiff_t measured_ = 0;
  std::vector<WisdomRecord> records_;
};

}  // namespace

std::vector<WisdomRecord> found_wisdom(const TuneTask& task, const TuneResult& result,
                                       const std::string& today) {
  return Finder(task, result, today).find();
}

}  // namespace kiln
