#include "job/compile_variants.h"

#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

#include "job/job_runner.h"
#include "service/task_threads.h"
#include "trial/device_compare.h"
#include "trial/units.h"

namespace kiln {

std::vector<WantedCode> code_of(const std::vector<VariantToCompile>& variants) {
  std::vector<Target> targets;
  for (const auto& [variant, context] : variants)
    targets.push_back(context.devices.open(variant.device)->info().target);
  std::vector<std::vector<WantedCode>> of_each(variants.size());
  for_each_task(variants.size(), [&](std::size_t i) {
    const auto& [variant, context] = variants[i];
    const auto compiler = context.compilers.find(targets[i].backend);
    if (compiler == context.compilers.end()) return;
    try {
      const TraceSpan span(context.trace, TraceKind::kSpecialise, variant.label);
      for (Unit& unit : units_of(variant.configuration, targets[i], context.files))
        of_each[i].push_back({std::move(unit.specialization), compiler->second});
      for (Specialization& comparison : comparisons_of(variant.configuration, targets[i]))
        of_each[i].push_back({std::move(comparison), compiler->second});
    } catch (const Error&) {
      return;
    }
  });
  std::vector<WantedCode> wanted;
  for (std::vector<WantedCode>& some : of_each)
    wanted.insert(wanted.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  return wanted;
}

std::unique_ptr<CompileAhead> compile_and_wait(std::vector<WantedCode> wanted, const JobContext& context) {
  constexpr std::chrono::milliseconds kAskAgain{100};
  auto ahead = context.service.compile_ahead(std::move(wanted));
  while (!context.stopped() && !ahead->wait_for(kAskAgain)) continue;
  return ahead;
}

}  // namespace kiln
