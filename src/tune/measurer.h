#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tune/candidate_queue.h"
#include "tune/objective.h"
#include "tune/tuner.h"

namespace kiln {

/// Throws bad_input where the device does not tell the energy that the objective needs.
void require_measurable(const Objective& objective, Device& device, const SourceLocation& where);

/// Runs candidates and keeps their records.
class Measurer {
 public:
  /// In `runner`, which need not be the task's. All of it outlives the measurer.
  Measurer(const TuneTask& task, const Objective& objective, TrialRunner& runner);

  /// At each size in turn, until one fails or the whole cannot be better than `limit`. `input_seed`: added to
  /// the seeds of random inputs.
  [[nodiscard]] Evaluation run(const Candidate& candidate,
                               double limit = std::numeric_limits<double>::infinity(),
                               std::uint64_t input_seed = 0);
  /// At all sizes, with this protocol; keeps no record.
  [[nodiscard]] Evaluation run(const Candidate& candidate, const MeasureSpec& measure);
  [[nodiscard]] double device_seconds() const { return device_seconds_; }

 private:
  [[nodiscard]] Evaluation run(const Candidate& candidate, TrialRequest request, double limit, bool keeps);
  [[nodiscard]] std::optional<Record> run(const Variant& variant, const TrialRequest& request);
  [[nodiscard]] std::optional<std::string> find_obstacle(const Variant& variant) const;
  /// Its status, where it has ended earlier processes and is not to end this one.
  [[nodiscard]] std::optional<RunStatus> ended_before(const Variant& variant) const;

  const TuneTask& task_;
  const Objective& objective_;
  TrialRunner& runner_;
  std::shared_ptr<Device> device_;
  std::map<std::string, std::vector<RunStatus>> ended_;  // by variant_identity of their records
  double device_seconds_ = 0;
};

}  // namespace kiln
