#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "config/setting_rows.h"
#include "report/text_table.h"

namespace kiln {
namespace {

int show_settings(World& world, const std::string& format) {
  require_word("--format", format, {"table", "markdown"});
  if (format == "markdown") {
    world.out() << settings_page();
    return kExitDone;
  }
  const ResolvedSettings& settings = world.settings();
  TextTable table{{{"setting"}, {"value"}, {"from"}}, {}};
  for (const SettingRow& row : setting_rows()) {
    const SettingSource& source = settings.sources.at(row.name);
    const std::string value = setting_text(settings.values, row);
    table.rows.push_back(
        {{row.name, Tone::kStrong},
         {value.empty() ? row.default_text : value},
         {source.to_string(), source.kind == SettingSource::Kind::kDefault ? Tone::kDim : Tone::kPlain}});
  }
  world.out() << render_terminal(table, world.style());
  world.out() << "\nSettings file: " << (settings.file.empty() ? "none" : settings.file) << "\n";
  return kExitDone;
}

}  // namespace

Subcommand add_settings_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("settings", "Show each setting, its value and its source");
  const auto format = std::make_shared<std::string>("table");
  command->add_option("--format", *format, "table, or markdown: the page of all settings with their meaning")
      ->type_name("FORMAT");
  command->footer(examples(
      {"kiln settings", "KILN_CACHE_DIR=/scratch/kiln kiln settings", "kiln settings --format markdown"}));
  return {command, [format](World& world) { return show_settings(world, *format); }};
}

}  // namespace kiln
