#include <algorithm>
#include <filesystem>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/output_file.h"
#include "kiln/error.h"

namespace kiln {
namespace {

std::vector<const CLI::App*> pages_of(const CLI::App& app) {
  std::vector<const CLI::App*> pages = app.get_subcommands([](const CLI::App*) { return true; });
  pages.insert(pages.begin(), &app);
  return pages;
}

}  // namespace

Subcommand add_man_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("man", "Print a manual page, or write all of them");
  const auto name = std::make_shared<std::string>();
  const auto folder = std::make_shared<std::string>();
  command->add_option("COMMAND", *name, "a command of kiln; without it kiln(1)")->type_name("");
  command->add_option("--output", *folder, "Folder for all pages: kiln.1, kiln-run.1, ...")->type_name("DIR");
  command->footer(examples({"kiln man run | man -l -", "kiln man --output ~/.local/share/man/man1"}));
  return {command, [name, folder, &app](World& world) {
            const std::vector<const CLI::App*> pages = pages_of(app);
            if (!folder->empty()) {
              if (!name->empty())
                throw bad_input("--output writes the pages of all commands; leave out '" + *name + "'");
              try {
                world.files().make_directories(*folder, false);
              } catch (const std::filesystem::filesystem_error& error) {
                throw bad_input("--output: '" + *folder + "' cannot be made: " + error.code().message());
              }
              for (const CLI::App* page : pages) {
                write_output(world, *folder + "/" + man_page_name(*page) + ".1", man_page(*page));
              }
              return static_cast<int>(kExitDone);
            }
            std::vector<std::string> names;
            names.reserve(pages.size());
            for (const CLI::App* page : pages) names.push_back(page->get_name());
            const std::string wanted = name->empty() ? app.get_name() : *name;
            require_word("COMMAND", wanted, names);
            const auto at = std::find(names.begin(), names.end(), wanted) - names.begin();
            world.out() << man_page(*pages[static_cast<std::size_t>(at)]);
            return static_cast<int>(kExitDone);
          }};
}

}  // namespace kiln
