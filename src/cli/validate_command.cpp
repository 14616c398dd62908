#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/file_check.h"
#include "cli/help.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Files = std::vector<std::string>;

int run(World& world, const Files& paths) {
  if (paths.empty()) throw bad_input("a file is missing: a job, study, batch or workload file");
  int code = kExitDone;
  for (const std::string& path : paths) {
    try {
      const CheckedFile checked = check_file(path, world);
      world.out() << path << ": ok" << checked.remark << "\n";
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
  CLI::App* command = app.add_subcommand(
      "validate", "Check jobs, studies, batches and workload files without a device or a compiler");
  const auto paths = std::make_shared<Files>();
  command->add_option("FILE", *paths, "Jobs, studies, batches or workload files (YAML)")->type_name("");
  command->footer(examples(
      {"kiln validate configs/quickstart.yaml", "kiln validate kernels_src/*/*.yaml configs/*.yaml"}));
  return {command, [paths](World& world) { return run(world, *paths); }};
}

}  // namespace kiln
