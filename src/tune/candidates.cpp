#include "tune/candidates.h"

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "trial/tolerance.h"

namespace kiln {
namespace {

constexpr const char* kImplementation = "implementation";
constexpr const char* kPaper = "paper";

}  // namespace

template <class Configure>
void CandidateMaker::add_variants(Candidate& candidate, const Configure& configure) const {
  FieldHasher hasher;
  try {
    for (std::size_t i = 0; i < task_.space.sizes().size() && candidate.problem.empty(); ++i) {
      ConfigurationResult result = configure(i);
      if (result.violated) {
        candidate.problem = "violates " + result.explanation;
        break;
      }
      require_tolerances(result.configuration);
      const std::string& size = task_.space.sizes()[i];
      Variant variant{std::move(result.configuration), candidate.label + (size.empty() ? "" : " " + size),
                      task_.device};
      hasher.field("size", identity_.of(variant, task_.context));
      candidate.variants.push_back(std::move(variant));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    candidate.problem = error.what();
  }
  if (!candidate.problem.empty()) candidate.variants.clear();
  hasher.field("problem", candidate.problem);
  candidate.identity = hasher.hex();
}

Candidate CandidateMaker::point(std::uint64_t rank) const {
  const Point point = task_.space.points().point(rank);
  Candidate candidate;
  candidate.rank = rank;
  candidate.label = task_.space.label(point);
  candidate.values = task_.space.values(point);
  add_variants(candidate, [&](std::size_t size) { return task_.space.configuration(point, size); });
  return candidate;
}

Candidate CandidateMaker::untuned(const std::string& label,
                                  const std::vector<std::pair<std::string, RawValue>>& extra) const {
  Candidate candidate;
  candidate.label = label;
  add_variants(candidate, [&](std::size_t size) { return task_.space.untuned(size, extra); });
  if (candidate.variants.empty() || !extra.empty()) return candidate;
  candidate.rank = task_.space.rank_of(candidate.variants.front().configuration);
  if (candidate.rank) candidate.values = task_.space.values(task_.space.points().point(*candidate.rank));
  return candidate;
}

std::optional<Candidate> CandidateMaker::paper() const {
  const ParameterSpec* parameter = task_.workload.find_parameter(kImplementation);
  if (parameter == nullptr || has_name(task_.job.set, kImplementation) ||
      has_name(task_.space.names(), kImplementation))
    return std::nullopt;
  const bool has_paper = std::any_of(parameter->values.begin(), parameter->values.end(),
                                     [](const ExpressionText& value) { return value.text == kPaper; });
  if (!has_paper) return std::nullopt;
  return untuned(kPaper, {{kImplementation, {kPaper, false, parameter->where}}});
}

Candidate CandidateMaker::of(const Evaluation& evaluation) const {
  if (const auto rank = task_.space.rank(evaluation.values)) return point(*rank);
  if (evaluation.label == kPaper) {
    if (auto candidate = paper()) return *std::move(candidate);
  }
  return untuned(evaluation.label);
}

}  // namespace kiln
