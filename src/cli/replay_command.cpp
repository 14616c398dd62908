#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "isolate/isolated_compiler.h"

namespace kiln {
namespace {

std::string description(const Capsule& capsule) {
  const Specialization& spec = capsule.specialization;
  std::vector<std::string> entries;
  for (const EntryPoint& entry : spec.entries) entries.push_back(entry.name_expression);
  const Settings& limits = capsule.settings;
  return "kernel    " + spec.source_name + " " + join(entries, ", ") + "\n" + "target    " +
         spec.target.to_string() + "\n" + "compiler  " + capsule.compiler.name + " " +
         capsule.compiler.version + "\n" + "kiln      " + capsule.kiln_version +
         (capsule.kiln_version == build_info().version ? "" : " (this is " + build_info().version + ")") +
         "\n" + "limits    " +
         (limits.compile_time_limit > 0 ? format_seconds(limits.compile_time_limit) : "no time limit") +
         ", " +
         (limits.compile_memory_limit > 0 ? format_bytes(limits.compile_memory_limit) + " of memory"
                                          : "no limit on memory") +
         "\n";
}

int report(World& world, const CompileResult& result) {
  if (const auto* code = std::get_if<CodeObject>(&result)) {
    world.out() << "now       it compiles: " << format_bytes(code->binary.size()) << " in "
                << format_seconds(code->compile_seconds) << "\n";
    return kExitDone;
  }
  const auto& failure = std::get<Diagnostic>(result);
  world.out() << "now       " << failure.summary << "\n";
  if (!failure.log.empty()) world.out() << failure.log << (failure.log.back() == '\n' ? "" : "\n");
  return kExitFailed;
}

int replay(World& world, const std::string& folder) {
  if (folder.empty()) throw bad_input("the folder of a failure capsule is missing");
  const Capsule capsule = read_capsule(world.files(), folder);
  world.out() << description(capsule);
  const std::string before = read_failure(world.files(), folder);
  if (!before.empty()) world.out() << "before    " << before << "\n";
  world.out().flush();
  const auto processes = make_process_runner();
  return report(world, run_in_worker(capsule, temporary_folder(), *processes, world.files()));
}

}  // namespace

Subcommand add_replay_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("replay", "Repeat a compile from the capsule that its failure left");
  const auto folder = std::make_shared<std::string>();
  command->add_option("CAPSULE", *folder, "Folder of the capsule, from the message of the failure")
      ->type_name("");
  command->footer(
      examples({"kiln replay jit_cache/failures/20261121T093500123-stencil7.cu-a1B2c3"}) +
      "\n\nExit code: 0 it compiles now; 1 it fails; 2 this is no capsule; 3 the machine lacks something.");
  return {command, [folder](World& world) { return replay(world, *folder); }};
}

}  // namespace kiln
