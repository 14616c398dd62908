#include "job/compile_variants.h"

#include <chrono>
#include <utility>

#include "job/job_runner.h"
#include "job/units.h"

namespace kiln {

std::vector<WantedCode> code_of(const std::vector<VariantToCompile>& variants) {
  std::vector<WantedCode> wanted;
  for (const auto& [variant, context] : variants) {
    const Target target = context.devices.open(variant.device)->info().target;
    const auto compiler = context.compilers.find(target.backend);
    if (compiler == context.compilers.end()) continue;
    try {
      const TraceSpan span(context.trace, TraceKind::kSpecialise, variant.label);
      for (Unit& unit : units_of(variant.configuration, target, context.files))
        wanted.push_back({std::move(unit.specialization), compiler->second});
    } catch (const Error&) {
      continue;
    }
  }
  return wanted;
}

std::unique_ptr<CompileAhead> compile_and_wait(std::vector<WantedCode> wanted, const JobContext& context) {
  constexpr std::chrono::milliseconds kAskAgain{100};
  auto ahead = context.service.compile_ahead(std::move(wanted));
  while (!context.stopped() && !ahead->wait_for(kAskAgain)) continue;
  return ahead;
}

}  // namespace kiln
