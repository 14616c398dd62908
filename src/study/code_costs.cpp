#include "study/code_costs.h"

#include "base/scratch_folder.h"
#include "cache/disk_cache.h"
#include "job/buffer_layout.h"
#include "specialize/unit.h"

namespace kiln {
namespace {

/// The sums over a step's units.
struct Once {
  double compile = 0, load = 0, disk = 0;
};

std::optional<Once> measure_once(const std::vector<Unit>& units, Compiler& compiler,
                                 const std::shared_ptr<Device>& device, const JobContext& context,
                                 const std::filesystem::path& scratch, CaseCosts& costs) {
  const ScratchFolder folder = make_scratch_folder(context.files, scratch, "kiln-study-");
  DiskCache disk(context.files, context.clock, context.log, folder.get().path);
  Once sums;
  costs.keys.clear();
  costs.binary_bytes = 0;
  for (const Unit& unit : units) {
    KernelService first(&disk, context.clock, 1);
    const auto cold = first.get(unit.specialization, compiler, device);
    const auto* made = std::get_if<ServiceResult>(&cold);
    if (made == nullptr) return std::nullopt;
    sums.compile += made->compile_seconds;
    sums.load += made->load_seconds;
    costs.keys.push_back(made->key.digest);
    costs.binary_bytes += made->code->code().binary.size();

    KernelService second(&disk, context.clock, 1);
    const std::int64_t begin = context.clock.steady_ns();
    const auto warm = second.get(unit.specialization, compiler, device);
    sums.disk += seconds_between(begin, context.clock.steady_ns());
    const auto* found = std::get_if<ServiceResult>(&warm);
    if (found == nullptr || found->origin != Origin::kDisk)
      throw environment_error("a study needs a disk cache, and there is none in " + scratch.string() +
                              (disk.disabled_reason().empty() ? "" : ": " + disk.disabled_reason()));
  }
  return sums;
}

}  // namespace

std::optional<CaseCosts> measure_code(const Variant& variant, const JobContext& context,
                                      const std::filesystem::path& scratch, std::size_t repeats) {
  const auto device = context.devices.open(variant.device);
  const Target& target = device->info().target;
  const auto compiler = context.compilers.find(target.backend);
  if (compiler == context.compilers.end())
    throw environment_error("no compiler for '" + target.backend + "' devices");
  const VariantNeeds needs = needs_of(variant.configuration, target.backend != "cpu");
  const std::vector<Unit> units =
      make_units(variant.configuration, needs.run, Role::kStep, target, context.files);
  CaseCosts costs;
  for (std::size_t i = 0; i < repeats; ++i) {
    const auto once = measure_once(units, *compiler->second, device, context, scratch, costs);
    if (!once) return std::nullopt;
    costs.compile_seconds.push_back(once->compile);
    costs.load_seconds.push_back(once->load);
    costs.disk_seconds.push_back(once->disk);
  }
  return costs;
}

}  // namespace kiln
