#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tune/candidate_queue.h"
#include "tune/tuner.h"
#include "tune/variant_identity.h"

namespace kiln {

/// Makes the variants of points.
class CandidateMaker {
 public:
  explicit CandidateMaker(const TuneTask& task) : task_(task), identity_(task.workload) {}

  [[nodiscard]] Candidate point(std::uint64_t rank) const;
  /// The job's values without tuning, plus `extra`. A point of the space if it lies in it.
  [[nodiscard]] Candidate untuned(const std::string& label,
                                  const std::vector<std::pair<std::string, RawValue>>& extra = {}) const;
  /// The workload's `implementation: paper`; absent where there is none, or the job sets another.
  [[nodiscard]] std::optional<Candidate> paper() const;
  /// The variant that was evaluated; as it was, if it was of this search.
  [[nodiscard]] Candidate of(const Evaluation& evaluation) const;

 private:
  template <class Configure>
  void add_variants(Candidate& candidate, const Configure& configure) const;

  const TuneTask& task_;
  VariantIdentity identity_;
};

}  // namespace kiln
