#include "cli/explain_command.h"

#include <iterator>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/read_only_files.h"
#include "cli/help.h"
#include "cli/job_arguments.h"
#include "embed/arch_names.h"
#include "job/explain_job.h"
#include "kiln/error.h"
#include "report/explanation_report.h"

namespace kiln {
namespace {

struct ExplainArguments {
  JobArguments job;
  std::string archs;
  bool json = false;
};

/// In the order in which a run looks into them, those left out that it would not use.
std::vector<EntryStore> stores_of(const Settings& settings, FileSystem& files, Log& log) {
  std::vector<EntryStore> stores;
  const auto add = [&](const EntryStore& store) {
    const auto distrust = store.distrust();
    if (!distrust) stores.push_back(store);
    if (distrust)
      log.warn("the kernel cache in '" + distrust->folder.string() + "' is not used: " + distrust->why);
  };
  add({files, settings.cache_dir, EntryStore::Owners::kSelfAndRoot});
  for (const std::string& folder : settings.cache_read_only)
    add({files, folder, EntryStore::Owners::kAlsoOfTheFolder});
  return stores;
}

/// The requested devices, or the job's.
std::vector<DeviceInfo> devices_for(const JobSpec& job, const ExplainArguments& arguments, Engine& engine) {
  std::vector<DeviceInfo> devices;
  if (arguments.archs.empty()) {
    for (const auto& device : open_devices(engine, device_names(job.devices, engine.settings())))
      devices.push_back(device->info());
    return devices;
  }
  for (const Target& target : targets_of(arguments.archs, engine.compilers(job.isolation)))
    devices.push_back(unknown_device(target));
  return devices;
}

int run(World& world, const ExplainArguments& arguments) {
  const JobSpec job = read_job(world, arguments.job);
  const Settings& settings = world.settings().values;
  ReadOnlyFiles files(world.files());
  Engine engine(settings, files, world.clock(), world.log());
  const std::vector<EntryStore> stores = stores_of(settings, files, world.log());
  const auto compilers = engine.compilers(job.isolation);
  std::vector<ExplainedUnit> all;
  for (const DeviceInfo& device : devices_for(job, arguments, engine)) {
    const Target& target = device.target;
    const auto compiler = compilers.find(target.backend);
    if (compiler == compilers.end())
      throw environment_error("no compiler for '" + target.backend + "' devices");
    const JobPlan plan = make_plan(job, engine.library(), files, {device});
    std::vector<ExplainedUnit> units = explain_job(plan, target, *compiler->second, files, stores);
    if (!arguments.json) {
      world.out() << target.to_string() << "\n\n"
                  << render_terminal(explanation_table(units), world.style()) << "\n";
    }
    std::move(units.begin(), units.end(), std::back_inserter(all));
  }
  if (arguments.json)
    world.out() << explanation_to_json(all) << "\n";
  else
    world.out() << left_out_lines(all) << explanation_summary(all)
                << (settings.cache ? "" : "; the setting 'cache' is off") << "\n";
  return kExitDone;
}

}  // namespace

Subcommand add_explain_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand(
      "explain", "Show a job's hits, and how each miss differs from the nearest entry; compile nothing");
  const auto arguments = std::make_shared<ExplainArguments>();
  add_job_options(*command, arguments->job);
  command
      ->add_option("--arch", arguments->archs,
                   "Architectures, separated by commas (default: the job's devices): native, sm_90, gfx90a")
      ->type_name("ARCH,...");
  command->add_flag("--json", arguments->json, "One array with an object for each unit");
  command->footer(examples({"kiln cache explain configs/stencil7.yaml --set block_x=512",
                            "kiln cache explain configs/stencil7.yaml --arch sm_90,gfx90a --json"}));
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
