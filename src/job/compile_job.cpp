#include <set>

#include "job/buffer_layout.h"
#include "job/job_runner.h"
#include "specialize/unit.h"

namespace kiln {

std::vector<CompiledUnit> compile_job(const JobPlan& plan, const JobContext& context, const Target& target) {
  const auto compiler = context.compilers.find(target.backend);
  if (compiler == context.compilers.end())
    throw environment_error("no compiler for '" + target.backend + "' devices");
  std::vector<CompiledUnit> results;
  std::set<std::string> seen;
  for (const Variant& variant : plan.variants) {
    const Configuration& configuration = variant.configuration;
    const VariantNeeds needs = needs_of(configuration, target.backend != "cpu");
    std::vector<std::string> data = needs.init_kernels;
    data.insert(data.end(), needs.verify_run.begin(), needs.verify_run.end());
    for (const CheckSpec* check : needs.checks) {
      if (!check->reference_kernel.empty()) data.push_back(check->reference_kernel);
    }
    std::vector<Unit> units = make_units(configuration, needs.run, Role::kStep, target, context.files);
    for (Unit& unit : make_units(configuration, data, Role::kData, target, context.files))
      units.push_back(std::move(unit));
    for (const Unit& unit : units) {
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
