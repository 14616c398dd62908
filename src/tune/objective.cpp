#include "tune/objective.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "config/expression.h"
#include "measure/sampler.h"
#include "report/record_table.h"
#include "workload/device_words.h"

namespace kiln {
namespace {

constexpr const char* kTime = "time";

const MetricSpec* find_metric(const Workload& workload, const std::string& name) {
  for (const MetricSpec& metric : workload.metrics) {
    if (metric.name == name) return &metric;
  }
  return nullptr;
}

std::optional<double> value_of(const SizeResult& result, const std::string& metric) {
  if (metric == kTime) return result.cut ? result.least : result.median;
  for (const MetricValue& one : result.metrics) {
    if (one.name == metric) return one.value;
  }
  return std::nullopt;
}

FailureKind failure_kind(RunStatus status) {
  switch (status) {
    case RunStatus::kWrong:
      return FailureKind::kWrong;
    case RunStatus::kCompileFailed:
      return FailureKind::kCompile;
    case RunStatus::kUnfit:
      return FailureKind::kUnfit;
    case RunStatus::kTimedOut:
      return FailureKind::kTimeout;
    default:
      return FailureKind::kFault;
  }
}

double geometric_mean(const std::vector<double>& values) {
  if (values.size() == 1) return values.front();
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

}  // namespace

SizeResult result_of(const Record& record, const std::string& size) {
  SizeResult result;
  result.size = size;
  result.record = record.time;
  result.status = record.status;
  result.message = record.message;
  result.cut = record.stop_reason == to_string(StopReason::kGivenUp);
  result.metrics = record.metrics;
  result.largest_error = largest_error(record);
  if (record.step) {
    result.least = record.step->min;
    result.median = record.step->median;
    result.low = record.step->ci_low;
    result.high = record.step->ci_high;
  }
  for (const LaunchUse& launch : record.launches)
    result.registers = std::max(result.registers, launch.attributes.registers.value_or(0));
  return result;
}

bool MetricTarget::reached(const Evaluation& evaluation) const {
  return std::all_of(evaluation.sizes.begin(), evaluation.sizes.end(), [&](const SizeResult& result) {
    const auto found = value_of(result, metric);
    return found && !result.cut && (higher_is_better ? *found >= value : *found <= value);
  });
}

Objective::Objective(const TuneObjective& objective, const Workload& workload, std::size_t sizes)
    : workload_(workload), kind_(objective.kind), metrics_(objective.metrics), least_(sizes), sizes_(sizes) {
  for (const std::string& metric : metrics_) require_metric(metric, objective.where);
}

void Objective::require_metric(const std::string& name, const SourceLocation& where) const {
  if (name == kTime || name == kEnergyMetric || find_metric(workload_, name) != nullptr) return;
  std::vector<std::string> known = {kTime, kEnergyMetric};
  for (const MetricSpec& metric : workload_.metrics) known.push_back(metric.name);
  throw bad_input(
      "workload " + in_quotes(workload_.name) + " has no metric " + in_quotes(name) + suggestion(name, known),
      where);
}

bool Objective::needs_energy() const {
  return std::find(metrics_.begin(), metrics_.end(), kEnergyMetric) != metrics_.end() &&
         find_metric(workload_, kEnergyMetric) == nullptr;
}

std::optional<double> Objective::cost(const SizeResult& result, std::size_t metric) const {
  const auto value = value_of(result, metrics_[metric]);
  if (!may_be_measured(result.status) || !value || !(*value > 0) || !std::isfinite(*value))
    return std::nullopt;
  const MetricSpec* spec = find_metric(workload_, metrics_[metric]);
  return spec != nullptr && spec->higher_is_better ? 1 / *value : *value;
}

double Objective::combine(const std::vector<double>& costs) const {
  if (kind_ != TuneObjective::Kind::kWorst) return geometric_mean(costs);
  double worst = 0;
  for (std::size_t i = 0; i < costs.size(); ++i)
    worst = std::max(worst, reference_.empty() ? costs[i] : costs[i] / reference_[i]);
  return worst;
}

void Objective::learn(const Evaluation& evaluation) {
  std::vector<double> whole;
  for (std::size_t i = 0; i < evaluation.sizes.size(); ++i) {
    const auto value = evaluation.sizes[i].cut ? std::nullopt : cost(evaluation.sizes[i], 0);
    if (!value) return;
    whole.push_back(*value);
    least_[i] = std::min(least_[i].value_or(*value), *value);
  }
  if (reference_.empty() && whole.size() == sizes_) reference_ = std::move(whole);
}

Outcome Objective::outcome(const Evaluation& evaluation) const {
  std::vector<double> costs;
  bool cut = evaluation.sizes.size() < sizes_;
  for (const SizeResult& result : evaluation.sizes) {
    if (!may_be_measured(result.status)) return Outcome::failed(failure_kind(result.status));
    std::vector<double> own;
    for (std::size_t metric = 0; metric < metrics_.size(); ++metric) {
      const auto value = cost(result, metric);
      if (!value) return Outcome::failed(FailureKind::kFault);
      own.push_back(*value);
    }
    costs.push_back(geometric_mean(own));
    cut = cut || result.cut;
  }
  while (costs.size() < sizes_ && least_[costs.size()]) costs.push_back(*least_[costs.size()]);
  const double value = combine(costs);
  return cut ? Outcome::cut(value) : Outcome::measured(value);
}

double Objective::slowest_within(double limit, const Evaluation& so_far) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (metrics_ != std::vector<std::string>{kTime} || !std::isfinite(limit)) return kNone;
  const std::size_t next = so_far.sizes.size();
  if (kind_ == TuneObjective::Kind::kWorst) return reference_.empty() ? kNone : limit * reference_[next];
  double others = 1;
  for (const SizeResult& result : so_far.sizes) others *= result.median;
  for (std::size_t i = next + 1; i < sizes_; ++i) {
    if (!least_[i]) return kNone;
    others *= *least_[i];
  }
  return std::pow(limit, static_cast<double>(sizes_)) / others;
}

std::optional<std::vector<double>> Objective::costs(const Evaluation& evaluation) const {
  std::vector<double> means;
  for (std::size_t metric = 0; metric < metrics_.size(); ++metric) {
    std::vector<double> costs;
    for (const SizeResult& result : evaluation.sizes) {
      const auto value = result.cut ? std::nullopt : cost(result, metric);
      if (!value) return std::nullopt;
      costs.push_back(*value);
    }
    if (costs.size() < sizes_) return std::nullopt;
    means.push_back(geometric_mean(costs));
  }
  return means;
}

std::string Objective::text(double value) const {
  const bool ratio = kind_ != TuneObjective::Kind::kMean;
  return ratio ? short_number(value) : text(value, metrics_.front());
}

std::string Objective::text(double cost, const std::string& metric) const {
  const MetricSpec* spec = find_metric(workload_, metric);
  if (spec == nullptr) return metric == kTime ? format_seconds(cost) : short_number(cost) + " J";
  return short_number(spec->higher_is_better ? 1 / cost : cost) +
         (spec->unit.empty() ? "" : " " + spec->unit);
}

std::vector<std::string> Objective::metric_texts(const Evaluation& evaluation) const {
  std::vector<std::string> texts;
  const auto values = costs(evaluation);
  for (std::size_t i = 0; values && i < values->size(); ++i) texts.push_back(text((*values)[i], metrics_[i]));
  return texts;
}

MetricTarget Objective::target(const TuneTarget& target, const DeviceInfo& device) const {
  const std::string key =
      target.metric.empty() ? "tune.budget.target" : "tune.budget.target." + target.metric;
  MetricTarget found{target.metric.empty() ? metrics_.front() : target.metric, 0, false};
  require_metric(found.metric, target.value.where);
  Variables words;
  define_device_words(device, words);
  for (const std::string& name : expression_names(target.value.text, target.value.where, key)) {
    if (name != "roofline") continue;
    const auto& metrics = workload_.metrics;
    const auto rate = std::find_if(metrics.begin(), metrics.end(),
                                   [](const MetricSpec& metric) { return metric.unit == "GB/s"; });
    if (target.metric.empty() && found.metric == kTime && rate != metrics.end()) found.metric = rate->name;
    const MetricSpec* metric = find_metric(workload_, found.metric);
    if (metric == nullptr || metric->unit != "GB/s")
      throw bad_input(key + ": `roofline` is known for metrics in GB/s, which " + in_quotes(found.metric) +
                          " is not; give a number",
                      target.value.where);
    if (!(device.memory_bandwidth > 0))
      throw bad_input(key + ": the bandwidth of " + device.id + " is not known; give a number",
                      target.value.where);
    words["roofline"] = device.memory_bandwidth;
  }
  const MetricSpec* metric = find_metric(workload_, found.metric);
  found.higher_is_better = metric != nullptr && metric->higher_is_better;
  found.value = evaluate_expression(target.value.text, words, target.value.where, key);
  return found;
}

}  // namespace kiln
