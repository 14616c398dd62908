#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/tune_section.h"
#include "device/device_info.h"
#include "tune/evaluation.h"
#include "workload/workload.h"

namespace kiln {

/// A metric that is good enough from a value on.
struct MetricTarget {
  std::string metric;
  double value = 0;
  bool higher_is_better = false;
  /// Whether the point is that good at each of its sizes.
  [[nodiscard]] bool reached(const Evaluation& evaluation) const;
};

/// Makes one positive number, to be made small, of what was measured of a point at each size. Of a metric
/// that is better when higher it takes the inverse. It remembers the least at each size, to know when a point
/// cannot become the best any more.
class Objective {
 public:
  /// Throws bad_input for a metric that the workload does not have.
  Objective(const TuneObjective& objective, const Workload& workload, std::size_t sizes = 1);

  /// Notes what was measured; the first point that was measured at all sizes is what `worst` compares with.
  void learn(const Evaluation& evaluation);
  /// Value, bound or failure. Sizes that were not measured count as their least so far.
  [[nodiscard]] Outcome outcome(const Evaluation& evaluation) const;
  /// Seconds of a step at the next size from which on the value exceeds `limit`, whatever the sizes after it
  /// give. Infinite where time is not the objective.
  [[nodiscard]] double slowest_within(double limit, const Evaluation& so_far) const;

  [[nodiscard]] const std::vector<std::string>& metrics() const { return metrics_; }
  /// Whether energy is one of them, and no metric of the workload's own.
  [[nodiscard]] bool needs_energy() const;
  [[nodiscard]] bool is_pareto() const { return kind_ == TuneObjective::Kind::kPareto; }
  /// Cost of one metric at one size, to be minimised. Absent if it has no positive value.
  [[nodiscard]] std::optional<double> cost(const SizeResult& result, std::size_t metric) const;
  /// Cost of each metric: the geometric mean over sizes, to be minimised. Absent if one is missing.
  [[nodiscard]] std::optional<std::vector<double>> costs(const Evaluation& evaluation) const;
  /// A value as people read it: "4.31 ms", "812 GB/s", or a ratio.
  [[nodiscard]] std::string text(double value) const;
  /// text() of each metric, for a measured point.
  [[nodiscard]] std::vector<std::string> metric_texts(const Evaluation& evaluation) const;

  /// Throws bad_input for a metric or word that is not known. `roofline` is the device's bandwidth, for a
  /// metric in GB/s.
  [[nodiscard]] MetricTarget target(const TuneTarget& target, const DeviceInfo& device) const;

 private:
  [[nodiscard]] double combine(const std::vector<double>& costs) const;
  [[nodiscard]] std::string text(double cost, const std::string& metric) const;
  void require_metric(const std::string& name, const SourceLocation& where) const;

  const Workload& workload_;
  TuneObjective::Kind kind_;
  std::vector<std::string> metrics_;
  std::vector<std::optional<double>> least_;  // by size
  std::vector<double> reference_;             // for `worst`, by size; empty until it is known
  std::size_t sizes_;
};

}  // namespace kiln
