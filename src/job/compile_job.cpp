#include <set>

#include "job/compile_variants.h"
#include "job/job_runner.h"
#include "service/task_threads.h"
#include "trial/needs.h"

namespace kiln {

std::vector<CompiledUnit> compile_job(const JobPlan& plan, const JobContext& context, const Target& target) {
  Compiler& compiler = context.compiler_for(target.backend);
  std::vector<CompiledUnit> results;
  std::set<std::string> seen;
  std::vector<std::vector<Unit>> all_units(plan.variants.size());
  for_each_task(plan.variants.size(), [&](std::size_t i) {
    const TraceSpan span(context.trace, TraceKind::kSpecialise, plan.variants[i].label);
    all_units[i] = TrialNeeds(plan.variants[i].configuration).units(target, context.files);
  });
  std::vector<WantedCode> wanted;
  for (const std::vector<Unit>& units : all_units) {
    for (const Unit& unit : units) wanted.push_back({unit.specialization, &compiler});
  }
  const auto ahead = compile_and_wait(std::move(wanted), context);
  for (std::size_t i = 0; i < plan.variants.size() && !context.stopped(); ++i) {
    const Variant& variant = plan.variants[i];
    for (const Unit& unit : all_units[i]) {
      const std::string digest = make_cache_key(unit.specialization, compiler).digest;
      if (!seen.insert(digest).second) continue;
      CompiledUnit compiled{
          variant.label, unit.specialization.source_name, {}, digest, Origin::kCompiled, 0, 0, {}, {}};
      for (const EntryPoint& entry : unit.specialization.entries)
        compiled.entries.push_back(entry.name_expression);
      const auto result = context.service.get(unit.specialization, compiler, nullptr);
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
