#include <chrono>
#include <set>

#include "job/job_runner.h"
#include "service/task_threads.h"
#include "trial/units.h"

namespace kiln {

std::vector<CompiledUnit> compile_job(const JobPlan& plan, const JobContext& context, const Target& target) {
  const auto compiler = context.compilers.find(target.backend);
  if (compiler == context.compilers.end())
    throw environment_error("no compiler for '" + target.backend + "' devices");
  std::vector<CompiledUnit> results;
  std::set<std::string> seen;
  std::vector<std::vector<Unit>> all_units(plan.variants.size());
  for_each_task(plan.variants.size(), [&](std::size_t i) {
    const TraceSpan span(context.trace, TraceKind::kSpecialise, plan.variants[i].label);
    all_units[i] = units_of(plan.variants[i].configuration, target, context.files);
  });
  std::vector<WantedCode> wanted;
  for (const std::vector<Unit>& units : all_units) {
    for (const Unit& unit : units) wanted.push_back({unit.specialization, compiler->second});
  }
  constexpr std::chrono::milliseconds kAskAgain{100};
  const auto ahead = context.service.compile_ahead(std::move(wanted));
  while (!context.stopped() && !ahead->wait_for(kAskAgain)) continue;
  for (std::size_t i = 0; i < plan.variants.size() && !context.stopped(); ++i) {
    const Variant& variant = plan.variants[i];
    for (const Unit& unit : all_units[i]) {
      const std::string digest = make_cache_key(unit.specialization, *compiler->second).digest;
      if (!seen.insert(digest).second) continue;
      CompiledUnit compiled{
          variant.label, unit.specialization.source_name, {}, digest, Origin::kCompiled, 0, 0, {}, {}};
      for (const EntryPoint& entry : unit.specialization.entries)
        compiled.entries.push_back(entry.name_expression);
      const auto result = context.service.get(unit.specialization, *compiler->second, nullptr);
      if (const auto* code = std::get_if<ServiceResult>(&result)) {
        compiled.origin = code->origin;
        compiled.compile_seconds = code->compile_seconds;
        compiled.binary_bytes = code->code->code().binary.size();
        compiled.resources = code->code->code().resources;
      } else {
        compiled.failure = std::get<Diagnostic>(result);
      }
      results.push_back(std::move(compiled));
    }
  }
  return results;
}

}  // namespace kiln
