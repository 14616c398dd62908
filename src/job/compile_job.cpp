#include <set>

#include "job/compile_part.h"
#include "job/compile_variants.h"
#include "job/job_runner.h"
#include "service/task_threads.h"
#include "trial/needs.h"

namespace kiln {

namespace {

std::vector<WantedCode> code_of_part(PlanUnits& units, const JobPart& part, Compiler& compiler) {
  const std::vector<std::vector<Unit>>& by_variant = units.of(part);
  std::vector<WantedCode> wanted;
  for (std::size_t i = part.part; i < by_variant.size(); i += part.parts) {
    for (const Unit& unit : by_variant[i]) wanted.push_back({unit.specialization, &compiler});
  }
  return wanted;
}

}  // namespace

PlanUnits::PlanUnits(JobPlan plan, const JobContext& context, const Target& target)
    : plan_(std::move(plan)),
      context_(context),
      target_(target),
      units_(plan_.variants.size()),
      specialised_(plan_.variants.size()) {}

const std::vector<std::vector<Unit>>& PlanUnits::of(const JobPart& part) {
  std::vector<std::size_t> missing;
  for (std::size_t i = part.part; i < units_.size(); i += part.parts) {
    if (!specialised_[i]) missing.push_back(i);
  }
  for_each_task(missing.size(), [&](std::size_t task) {
    const Variant& variant = plan_.variants[missing[task]];
    const TraceSpan span(context_.trace, TraceKind::kSpecialise, variant.label);
    units_[missing[task]] = TrialNeeds(variant.configuration).units(target_, context_.files);
  });
  for (const std::size_t i : missing) specialised_[i] = true;
  return units_;
}

void compile_part(PlanUnits& units, const JobContext& context, const JobPart& part) {
  std::vector<WantedCode> wanted = code_of_part(units, part, context.compiler_for(units.target().backend));
  if (part.fetch) {
    for (const WantedCode& code : wanted) part.fetch(code);
  }
  static_cast<void>(compile_and_wait(std::move(wanted), context));
}

std::vector<CompiledUnit> compile_job(PlanUnits& units, const JobContext& context) {
  const JobPlan& plan = units.plan();
  Compiler& compiler = context.compiler_for(units.target().backend);
  std::vector<CompiledUnit> results;
  std::set<std::string> seen;
  const auto ahead = compile_and_wait(code_of_part(units, {}, compiler), context);
  for (std::size_t i = 0; i < plan.variants.size() && !context.stopped(); ++i) {
    const Variant& variant = plan.variants[i];
    for (const Unit& unit : units.of({})[i]) {
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
