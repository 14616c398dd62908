#include "job/explain_job.h"

#include <set>

#include "service/kernel_service.h"
#include "trial/needs.h"

namespace kiln {

std::vector<ExplainedUnit> explain_job(const JobPlan& plan, const Target& target, Compiler& compiler,
                                       FileSystem& files, const std::vector<EntryStore>& stores) {
  std::vector<ExplainedUnit> units;
  std::vector<CacheKey> keys;
  std::set<std::string> seen;
  for (const Variant& variant : plan.variants) {
    for (const Unit& unit : TrialNeeds(variant.configuration).units(target, files)) {
      const Specialization& specialization = unit.specialization;
      CacheKey key = make_cache_key(specialization, compiler);
      if (!seen.insert(key.digest).second) continue;
      ExplainedUnit& added = units.emplace_back();
      added.label = variant.label;
      added.target = target.to_string();
      added.source = specialization.source_name;
      for (const EntryPoint& entry : specialization.entries) added.entries.push_back(entry.name_expression);
      added.key = key.digest;
      added.unknown_input = compiler.unknown_input(specialization);
      added.left_out = specialization.left_out;
      keys.push_back(std::move(key));
    }
  }
  std::vector<KeyExplanation> explanations = explain_keys(files, stores, keys);
  for (std::size_t i = 0; i < units.size(); ++i) units[i].explanation = std::move(explanations[i]);
  return units;
}

}  // namespace kiln
