#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/job_arguments.h"
#include "config/yaml_node.h"
#include "job/buffer_layout.h"
#include "job/plan.h"
#include "kiln/error.h"
#include "launch/argument_values.h"
#include "study/cases.h"
#include "workload/configuration.h"

namespace kiln {
namespace {

using Files = std::vector<std::string>;

std::string read(FileSystem& files, const std::string& path) {
  try {
    if (auto text = files.read_file(path)) return *std::move(text);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("cannot be read: " + error.code().message(), {path});
  }
  throw bad_input("no such file", {path});
}

void require_sources(const Workload& workload, FileSystem& files) {
  for (const KernelSpec& kernel : workload.kernels) {
    if (files.status(workload.directory / kernel.source)) continue;
    throw bad_input("kernels." + kernel.name + ".source: there is no file '" + kernel.source + "' in " +
                        workload.directory.string(),
                    kernel.where);
  }
}

/// What each launch of a step needs: its shape, and the extents of its buffers.
void check_launches(const Configuration& configuration) {
  const Workload& workload = configuration.workload();
  for (const std::string& name : needs_of(configuration, true).run) {
    const KernelSpec& kernel = *workload.find_kernel(name);
    static_cast<void>(shape_of(configuration, kernel));
    for (const ArgumentSpec& argument : kernel.args) {
      if (!argument.names_buffer()) continue;
      static_cast<void>(layout_of(configuration, *workload.find_buffer(argument.name)));
      if (argument.kind == ArgumentSpec::Kind::kTensorMap)
        static_cast<void>(tensor_map_layout(configuration, argument));
    }
  }
}

/// Defaults and constraints on the back end that is always there.
void check_workload(const std::string& path, World& world) {
  const auto workload = load_workload_file(world.files(), path);
  require_sources(*workload, world.files());
  const ConfigurationResult result = configure(workload, {}, assumed_devices({"cpu"}).front(), world.files());
  if (result.violated) {
    throw bad_input("the defaults violate the constraint '" + result.violated->text + "'",
                    result.violated->where);
  }
  check_launches(result.configuration);
}

void check_job(const std::string& path, World& world) {
  const JobSpec job = load_job(world.files(), path);
  const auto devices = assumed_devices(device_names(job, world.settings().values));
  const JobPlan plan = make_plan(job, world.engine().library(), world.files(), devices);
  require_sources(*plan.workload, world.files());
  for (const Variant& variant : plan.variants) check_launches(variant.configuration);
}

void check_study(const std::string& path, World& world) {
  for (const StudySpec& study : load_study(world.files(), path)) {
    const auto workload = world.engine().library().load(study.workload, study.workload_where);
    require_sources(*workload, world.files());
    for (const DeviceInfo& device : assumed_devices(device_names(job_of(study), world.settings().values))) {
      for (const Variant& variant : expand_study(study, workload, device, world.files()).plan.variants)
        check_launches(variant.configuration);
    }
  }
}

void check_file(const std::string& path, World& world) {
  const YamlNode root = YamlNode::parse(read(world.files(), path), path);
  const bool is_workload = root.is_map() && (root.find("kernels") || root.find("buffers"));
  if (is_workload) return check_workload(path, world);
  looks_like_study(root) ? check_study(path, world) : check_job(path, world);
}

int run(World& world, const Files& paths) {
  if (paths.empty()) throw bad_input("a file is missing: jobs, studies and workload files are all welcome");
  int code = kExitDone;
  for (const std::string& path : paths) {
    try {
      check_file(path, world);
      world.out() << path << ": ok\n";
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kBadInput) throw;
      world.out().flush();
      world.status_line().write("kiln: error: " + std::string(error.what()));
      code = kExitBadInput;
    }
  }
  return code;
}

}  // namespace

Subcommand add_validate_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("validate", "Check jobs, studies and workload files without a device or a compiler");
  const auto paths = std::make_shared<Files>();
  command->add_option("FILE", *paths, "Jobs, studies or workload files (YAML)")->type_name("");
  command->footer(examples(
      {"kiln validate configs/quickstart.yaml", "kiln validate kernels_src/*/*.yaml configs/*.yaml"}));
  return {command, [paths](World& world) { return run(world, *paths); }};
}

}  // namespace kiln
