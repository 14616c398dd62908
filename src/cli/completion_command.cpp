#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "kiln/error.h"

namespace kiln {

Subcommand add_completion_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completion", "Print a completion script for a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->type_name("");
  command->footer(examples({"source <(kiln completion bash)", "kiln completion zsh > ~/.zfunc/_kiln",
                            "kiln completion fish > ~/.config/fish/completions/kiln.fish"}));
  return {command, [shell, &app](World& world) {
            if (shell->empty()) throw bad_input("name the shell: " + join(completion_shells(), ", "));
            require_word("SHELL", *shell, completion_shells());
            world.out() << completion_script(*shell, app);
            return static_cast<int>(kExitDone);
          }};
}

}  // namespace kiln
