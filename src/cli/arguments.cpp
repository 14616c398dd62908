#include "cli/arguments.h"

#include <algorithm>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"
#include "base/version.h"
#include "kiln/error.h"

namespace kiln {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

void add_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

const CLI::App& parsed_command(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : parsed_command(*parsed.front());
}

/// "kiln cache gc".
std::string command_words(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : command_words(*parent) + " ") + command.get_name();
}

}  // namespace

void add_global_options(CLI::App& app, GlobalArguments& arguments) {
  app.add_flag("-q,--quiet", arguments.quiet, "No progress and no messages below errors")
      ->group("Global options");
  app.add_option("--settings", arguments.settings.file,
                 "Settings file, instead of ./kiln.yaml [KILN_SETTINGS]")
      ->type_name("FILE")
      ->group("Global options");
  app.add_option(
         "--memory-limit", arguments.memory_limit,
         "Limit of data memory for this process and each that it starts, such as 8 GiB; default: no limit")
      ->type_name("SIZE")
      ->group("Global options");
  app.add_flag(kEndsWithInput, arguments.ends_with_input)->group("");
  for (const SettingRow& row : setting_rows()) {
    if (row.option.empty()) continue;
    const auto take = [&arguments, name = row.name](const std::string& text) {
      arguments.settings.values.emplace_back(name, text);
    };
    app.add_option_function<std::string>(row.option, take, row.help + " [" + row.variable + "]")
        ->type_name("VALUE")
        ->group("Settings");
  }
  app.set_version_flag("--version", version_text(), "Version and facts of this build");
}

std::string unexpected_word_message(const CLI::App& app, const std::vector<std::string>& extras) {
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word.starts_with("-"); };
  const CLI::App& command = parsed_command(app);
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  const std::string place = &command == &app ? "" : " of '" + command_words(command) + "'";
  if (option != extras.end()) {
    std::vector<std::string> names;
    add_option_names(command, names);
    if (&command != &app) add_option_names(app, names);
    const std::string word = option->substr(0, option->find('='));
    const auto nearest = nearest_name(word, names);
    return in_quotes(word) + " is not an option" + place +
           (nearest ? "; did you mean '" + *nearest + "'?" : "");
  }
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty()) return in_quotes(extras.front()) + " is one argument too many" + place;
  return in_quotes(extras.front()) + " is not a command" + place + suggestion(extras.front(), commands);
}

void require_word(const std::string& option, const std::string& text, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), text) != words.end()) return;
  throw bad_input(option + ": " + in_quotes(text) + " is not known" + suggestion(text, words));
}

std::string version_text() {
  const BuildInfo build = build_info();
  return "kiln " + build.version + "\nrevision    " + build.revision + "\ncompiler    " + build.compiler +
         "\nbuild type  " + build.build_type;
}

}  // namespace kiln
