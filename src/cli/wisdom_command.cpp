#include <cmath>
#include <filesystem>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/output_file.h"
#include "cli/wisdom_commands.h"
#include "config/job_fields.h"
#include "embed/wisdom_lookup.h"
#include "report/text_table.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

struct WisdomListArguments {
  std::vector<std::string> names;
  std::string format = "table";
};

bool is_wisdom_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(kWisdomEnding);
}

/// Records of files, and of workloads by name; without names, of all workloads with wisdom.
std::vector<WisdomRecord> records_of(World& world, std::vector<std::string> names) {
  const WorkloadLibrary& library = world.engine().library();
  if (names.empty()) names = library.names();
  std::vector<WisdomRecord> records;
  const auto take = [&](std::vector<WisdomRecord> more) {
    std::move(more.begin(), more.end(), std::back_inserter(records));
  };
  for (const std::string& name : names) {
    if (is_wisdom_file(name)) {
      take(read_wisdom_file(world.files(), name));
      continue;
    }
    const auto workload = library.load(name, {});
    const WisdomBook book(world.files(), usual_wisdom(world.settings().values, *workload, "x.yaml"),
                          workload->name, world.log());
    for (std::size_t i = 0; i < book.keys().size(); ++i) take(book.records(i));
  }
  return merge_wisdom(std::move(records));
}

std::string words(const NamedTexts& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) parts.push_back(assignment(name, value));
  return join(parts, " ");
}

std::string words(const NamedSizes& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, size] : sizes) parts.push_back(assignment(name, std::to_string(size)));
  return join(parts, " ");
}

/// "1.16x", of the default's time.
std::string gain_text(const WisdomResult& result) {
  if (!result.default_time) return "";
  constexpr double kHundred = 100;
  return format_number(std::round(*result.default_time / result.time.front() * kHundred) / kHundred) + "x";
}

TextTable table_of(const std::vector<WisdomRecord>& records) {
  TextTable table{{{"key", true},
                   {"workload"},
                   {"device"},
                   {"types"},
                   {"size"},
                   {"rank", true},
                   {"values"},
                   {"time", true},
                   {"against\ndefault", true},
                   {"measured"}},
                  {}};
  std::string before;
  int number = 0;
  for (const WisdomRecord& record : records) {
    const std::string key = wisdom_key_text(record.key);
    const bool is_new = key != before;
    if (is_new) ++number;
    before = key;
    std::string what = record.key.workload;
    if (record.key.objective != "time") what += " (" + record.key.objective + ")";
    table.rows.push_back({{std::to_string(number)},
                          {what},
                          {record.key.device.name},
                          {words(record.key.types)},
                          {words(record.key.size)},
                          {std::to_string(record.result.rank)},
                          {words(record.values)},
                          {format_seconds(record.result.time.front())},
                          {gain_text(record.result)},
                          {record.made.date}});
  }
  return table;
}

int list(World& world, const WisdomListArguments& arguments) {
  require_word("--format", arguments.format, {"table", "markdown", "yaml"});
  const std::vector<WisdomRecord> records = records_of(world, arguments.names);
  if (arguments.format == "yaml")
    world.out() << wisdom_text(records);
  else if (records.empty())
    world.out() << "no wisdom\n";
  else if (arguments.format == "markdown")
    world.out() << render_markdown(table_of(records));
  else
    world.out() << render_terminal(table_of(records), world.style());
  return kExitDone;
}

struct MergeArguments {
  std::vector<std::string> files;
  std::string output;
};

int merge(World& world, const MergeArguments& arguments) {
  require_output(world, arguments.output);
  std::vector<WisdomRecord> records;
  for (const std::string& file : arguments.files) {
    for (WisdomRecord& record : read_wisdom_file(world.files(), file)) records.push_back(std::move(record));
  }
  write_output(world, arguments.output, wisdom_text(merge_wisdom(std::move(records))));
  return kExitDone;
}

Subcommand add_list_command(CLI::App& wisdom) {
  CLI::App* command = wisdom.add_subcommand("list", "Show points that were found to be fast");
  const auto arguments = std::make_shared<WisdomListArguments>();
  command->add_option("NAME", arguments->names, "Workloads, or files; default all workloads")->type_name("");
  command->add_option("--format", arguments->format, "table, markdown or yaml")->type_name("FORMAT");
  command->footer(examples({"kiln wisdom list", "kiln wisdom list stencil7 --format yaml"}));
  return {command, [arguments](World& world) { return list(world, *arguments); }};
}

Subcommand add_wisdom_merge_command(CLI::App& wisdom) {
  CLI::App* command =
      wisdom.add_subcommand("merge", "Join wisdom files: keep the best five points of each key");
  const auto arguments = std::make_shared<MergeArguments>();
  command->add_option("FILES", arguments->files, "Files of wisdom")->required()->type_name("");
  command->add_option("-o,--output", arguments->output, "File to write, instead of standard output")
      ->type_name("FILE");
  command->footer(examples({"kiln wisdom merge a.wisdom.yaml b.wisdom.yaml -o minibude.wisdom.yaml"}));
  return {command, [arguments](World& world) { return merge(world, *arguments); }};
}

}  // namespace

std::map<std::string, std::string> name_map(const std::vector<std::string>& assignments) {
  std::map<std::string, std::string> names;
  for (const std::string& one : assignments) names.insert(split_assignment("--map", one));
  return names;
}

NamedTexts renamed(const NamedTexts& values, const std::map<std::string, std::string>& names) {
  NamedTexts result;
  for (const auto& [name, value] : values) {
    const auto found = names.find(name);
    const std::string& wanted = found == names.end() ? name : found->second;
    if (!wanted.empty()) result.emplace_back(wanted, value);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string own_wisdom_file(World& world, const std::string& workload) {
  const std::string& folder = world.settings().values.wisdom_dir;
  if (folder.empty())
    throw bad_input("there is no folder for wisdom: name a file with --output, or set wisdom_dir");
  return (std::filesystem::path(folder) / wisdom_file_name(workload)).string();
}

Subcommand add_wisdom_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("wisdom", "Show, measure again, join or exchange points that were found to be fast");
  command->require_subcommand(0, 1);
  const std::vector<Subcommand> actions = {
      add_list_command(*command), add_wisdom_check_command(*command), add_wisdom_merge_command(*command),
      add_wisdom_import_command(*command), add_wisdom_export_command(*command)};
  command->footer(examples({"kiln wisdom list", "kiln wisdom check configs/stencil7.yaml",
                            "kiln wisdom import job.yaml gemm.json.gz --map MWG=tile_m"}));
  const auto run = [actions](World& world) {
    for (const Subcommand& action : actions) {
      if (action.app->parsed()) return action.run(world);
    }
    throw bad_input("name a wisdom command: list, check, merge, import, export");
  };
  return {command, run};
}

}  // namespace kiln
