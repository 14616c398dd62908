#include <set>

#include "job/compile_part.h"
#include "job/compile_variants.h"
#include "job/job_runner.h"
#include "service/task_threads.h"
#include "trial/needs.h"

namespace kiln {

namespace {

/// By variant; variants of other parts have none.
std::vector<std::vector<Unit>> units_of(const JobPlan& plan, const JobContext& context, const Target& target,
                                        const JobPart& part) {
  std::vector<std::vector<Unit>> units(plan.variants.size());
  for_each_task(plan.variants.size(), [&](std::size_t i) {
    if (i % part.parts != part.part) return;
    const TraceSpan span(context.trace, TraceKind::kSpecialise, plan.variants[i].label);
    units[i] = TrialNeeds(plan.variants[i].configuration).units(target, context.files);
  });
  return units;
}

std::vector<WantedCode> code_of_units(const std::vector<std::vector<Unit>>& units, Compiler& compiler) {
  std::vector<WantedCode> wanted;
  for (const std::vector<Unit>& some : units) {
    for (const Unit& unit : some) wanted.push_back({unit.specialization, &compiler});
  }
  return wanted;
}

}  // namespace

void compile_part(const JobPlan& plan, const JobContext& context, const Target& target, const JobPart& part) {
  std::vector<WantedCode> wanted =
      code_of_units(units_of(plan, context, target, part), context.compiler_for(target.backend));
  if (part.fetch) {
    for (const WantedCode& code : wanted) part.fetch(code);
  }
  static_cast<void>(compile_and_wait(std::move(wanted), context));
}

std::vector<CompiledUnit> compile_job(const JobPlan& plan, const JobContext& context, const Target& target) {
  Compiler& compiler = context.compiler_for(target.backend);
  std::vector<CompiledUnit> results;
  std::set<std::string> seen;
  const std::vector<std::vector<Unit>> all_units = units_of(plan, context, target, {});
  const auto ahead = compile_and_wait(code_of_units(all_units, compiler), context);
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
