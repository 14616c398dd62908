#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/folder_lock.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/output_lock.h"
#include "kiln/error.h"
#include "merge/merge_files.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

struct ResultMergeArguments {
  std::vector<std::string> inputs;
  std::string output;
  bool all = false, mixed = false, dry_run = false;
};

/// The folder of the result: the named one, or the only one whose shards are to be joined.
Path output_of(World& world, const ResultMergeArguments& arguments) {
  if (!arguments.output.empty()) return arguments.output;
  const auto status = world.files().target_status(arguments.inputs.front());
  const bool is_folder = status && status->type == FileStatus::Type::kDirectory;
  if (arguments.inputs.size() == 1 && (is_folder || !status)) return arguments.inputs.front();
  throw bad_input(
      "-o is missing: the folder for the joined files; of one folder alone its shards are joined in it");
}

/// A process that writes a file now would continue to write where no reader looks any more.
void require_ended(const MergeGroup& group) {
  for (const Path& input : group.inputs) {
    const std::string name = output_lock_name(ending_of(input));
    const std::string holder = FolderLock::holder(input.parent_path(), name);
    if (!holder.empty())
      throw bad_input("'" + input.string() + "' is still being written: " + holder + "; wait for its end");
  }
}

std::string counts(const MergeGroup& group, const Merged& merged) {
  const char* what = group.kind == MergeGroup::Kind::kRecords   ? " records"
                     : group.kind == MergeGroup::Kind::kJournal ? " outcomes"
                                                                : " blocks of a section and a device";
  return std::to_string(merged.kept) + what + " of " + std::to_string(group.inputs.size()) +
         (group.inputs.size() == 1 ? " file" : " files") +
         (merged.dropped == 0 ? "" : ", " + std::to_string(merged.dropped) + " superseded");
}

void merge_one(World& world, const MergeGroup& group, const Merged& merged) {
  const MergeResult result = write_merged(world.files(), group, merged.text);
  world.out() << group.output.string() << ": " << counts(group, merged)
              << (result.written ? "" : "; unchanged") << "\n";
  for (const Path& aside : result.aside)
    world.out() << "  joined, and kept as " << aside.filename().string() << "\n";
}

int merge_results(World& world, const ResultMergeArguments& arguments) {
  const std::vector<MergeGroup> groups = find_groups(
      world.files(), {arguments.inputs.begin(), arguments.inputs.end()}, output_of(world, arguments));
  // All are joined in memory before one is written: what does not belong together changes nothing.
  std::vector<Merged> merged;
  for (const MergeGroup& group : groups) {
    require_ended(group);
    merged.push_back(merge_group(world.files(), group, {arguments.all, arguments.mixed}, world.log()));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (arguments.dry_run)
      world.out() << groups[i].output.string() << ": " << counts(groups[i], merged[i]) << "\n";
    else
      merge_one(world, groups[i], merged[i]);
  }
  return kExitDone;
}

}  // namespace

Subcommand add_merge_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "merge", "Join results of shards, ranks or several machines: records, journals of searches, studies");
  const auto arguments = std::make_shared<ResultMergeArguments>();
  command
      ->add_option("RESULTS", arguments->inputs,
                   "Files, or folders with such files at any depth; shards of a single folder are joined in "
                   "that folder")
      ->required()
      ->type_name("");
  command
      ->add_option("-o,--output", arguments->output,
                   "Folder for records.jsonl, tune.jsonl and study.jsonl; existing results are joined, too")
      ->type_name("DIR");
  command->add_flag("--all", arguments->all,
                    "Keep all records that differ, instead of the newest of each variant and kind of device");
  command->add_flag("--mixed", arguments->mixed, "Also records of different sources or versions of Kiln");
  command->add_flag("--dry-run", arguments->dry_run, "Show what would be joined; write nothing");
  command->footer(
      examples({"kiln merge results/sweep", "kiln merge node1/results node2/results -o results/both"}) +
      "\n\nExit code: 0 joined; 2 the files do not belong together, or one is still being written; 3 the "
      "disk "
      "refuses.");
  return {command, [arguments](World& world) { return merge_results(world, *arguments); }};
}

}  // namespace kiln
