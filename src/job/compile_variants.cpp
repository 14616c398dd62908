#include "job/compile_variants.h"

#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

#include "device/backend_kind.h"
#include "service/task_threads.h"
#include "trial/device_compare.h"
#include "trial/needs.h"

namespace kiln {

std::vector<WantedCode> code_of(const std::vector<VariantToCompile>& variants) {
  std::vector<Target> targets;
  targets.reserve(variants.size());
  for (const auto& [variant, context] : variants)
    targets.push_back(context.devices.open(variant.device)->info().target);
  std::vector<std::vector<WantedCode>> of_each(variants.size());
  for_each_task(variants.size(), [&](std::size_t i) {
    const auto& [variant, context] = variants[i];
    try {
      Compiler& compiler = context.compiler_for(targets[i].backend);
      const TraceSpan span(context.trace, TraceKind::kSpecialise, variant.label);
      const TrialNeeds needs(variant.configuration);
      for (Unit& unit : needs.units(targets[i], context.files))
        of_each[i].push_back({std::move(unit.specialization), &compiler});
      for (Specialization& comparison : comparisons_of(needs, targets[i]))
        of_each[i].push_back({std::move(comparison), &compiler});
      if (!needs.has_host_references()) return;
      const Target host = context.devices.open(host_kind().name)->info().target;
      for (Unit& unit : needs.host_units(host, context.files))
        of_each[i].push_back({std::move(unit.specialization), &context.compiler_for(host.backend)});
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
