#include "cli/completion.h"

#include <algorithm>
#include <map>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"
#include "cli/run_reporter.h"
#include "config/setting_rows.h"
#include "device/backend_kind.h"

namespace kiln {
namespace {

/// The completions for one command: the words after the command's name.
struct Completion {
  std::string command;
  std::string help;
  std::vector<std::string> options;
  std::vector<std::string> words;  ///< commands below it
};

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::vector<Completion> completions(const CLI::App& app) {
  const std::vector<std::string> global = option_names(app);
  std::vector<Completion> all;
  for (const CLI::App* command : commands_of(app)) {
    Completion one{command->get_name(), command->get_description(), option_names(*command), {}};
    one.options.insert(one.options.end(), global.begin(), global.end());
    for (const CLI::App* below : commands_of(*command)) {
      one.words.push_back(below->get_name());
      for (const std::string& name : option_names(*below)) add_once(one.options, name);
    }
    if (one.command == "completion") one.words = completion_shells();
    all.push_back(std::move(one));
  }
  return all;
}

/// The words that an option takes.
std::map<std::string, std::vector<std::string>> option_words() {
  std::vector<std::string> devices = backend_names();
  devices.insert(devices.begin(), "auto");
  std::map<std::string, std::vector<std::string>> words = {
      {"--format", run_formats()}, {"--device", devices}, {"--arch", {"native"}}};
  for (const SettingRow& row : setting_rows()) {
    if (row.option.empty()) continue;
    if (row.kind == SettingKind::kSwitch) words[row.option] = {"on", "off"};
    if (!row.words.empty()) words[row.option] = row.words;
  }
  return words;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Replaces each "@NAME@" of a script's text.
std::string fill(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

constexpr const char* kBashScript = R"sh(# bash completion of kiln: source <(kiln completion bash)
_kiln() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
  local command='' word words more
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " @NAMES@ " in *" $word "*) command="$word"; break ;; esac
  done
  case "$previous" in
@VALUES@    --output|--cache-dir|--workload-path) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --settings) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$command" in
    '') words='@OPTIONS@'; more='@NAMES@' ;;
@CASES@  esac
  [[ "$command" == workloads ]] && more="$(kiln workloads --names 2>/dev/null)"
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ -n "$more" ]]; then
    COMPREPLY=($(compgen -W "$more" -- "$current"))
  else
    compopt -o filenames
    COMPREPLY=($(compgen -f -X '!*.yaml' -- "$current") $(compgen -d -- "$current"))
  fi
}
complete -F _kiln kiln
)sh";

std::string bash_script(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const Completion& one : completions(app)) {
    names.push_back(one.command);
    cases += "    " + one.command + ") words=" + quoted(join(one.options, " ")) +
             "; more=" + quoted(join(one.words, " ")) + " ;;\n";
  }
  std::string values;
  for (const auto& [option, words] : option_words()) {
    values += "    " + option + ") COMPREPLY=($(compgen -W " + quoted(join(words, " ")) +
              " -- \"$current\")); return ;;\n";
  }
  return fill(kBashScript, {{"NAMES", join(names, " ")},
                            {"OPTIONS", join(option_names(app), " ")},
                            {"CASES", cases},
                            {"VALUES", values}});
}

constexpr const char* kZshScript = R"sh(#compdef kiln
# zsh completion of kiln: source <(kiln completion zsh)
_kiln() {
  local -a commands
  commands=(
@COMMANDS@  )
  case $words[CURRENT-1] in
@VALUES@    --output|--cache-dir|--workload-path) _files -/; return ;;
    --settings) _files; return ;;
  esac
  local command=${words[2,CURRENT-1][(r)[a-z]*]}
  case $command in
    '') if [[ $PREFIX == -* ]]; then compadd -- @OPTIONS@; else _describe 'command' commands; fi ;;
@CASES@  esac
}
compdef _kiln kiln
)sh";

std::string zsh_words(const Completion& one) {
  if (one.command == "workloads") return "compadd -- ${(f)\"$(kiln workloads --names 2>/dev/null)\"}";
  return one.words.empty() ? "_files -g '*.yaml'" : "compadd -- " + join(one.words, " ");
}

std::string zsh_script(const CLI::App& app) {
  std::string commands;
  std::string cases;
  for (const Completion& one : completions(app)) {
    commands += "    " + quoted(one.command + ":" + one.help) + "\n";
    cases += "    " + one.command + ") if [[ $PREFIX == -* ]]; then compadd -- " + join(one.options, " ") +
             "; else " + zsh_words(one) + "; fi ;;\n";
  }
  std::string values;
  for (const auto& [option, words] : option_words()) {
    values += "    " + option + ") compadd -- " + join(words, " ") + "; return ;;\n";
  }
  return fill(kZshScript, {{"COMMANDS", commands},
                           {"OPTIONS", join(option_names(app), " ")},
                           {"CASES", cases},
                           {"VALUES", values}});
}

std::string fish_script(const CLI::App& app) {
  std::string script = "# fish completion of kiln: kiln completion fish | source\ncomplete -c kiln -f\n";
  const auto words = option_words();
  const auto option_line = [&](const std::string& condition, const std::string& name) {
    const auto found = words.find(name);
    std::string line = "complete -c kiln" + condition + " -l " + name.substr(2);
    if (found != words.end()) line += " -x -a " + quoted(join(found->second, " "));
    const bool path = name == "--output" || name == "--settings" || name == "--cache-dir";
    if (path) line += " -r -F";
    return line + "\n";
  };
  for (const std::string& name : option_names(app)) script += option_line("", name);
  for (const CLI::App* command : commands_of(app)) {
    const std::string name = command->get_name();
    const std::string inside = " -n '__fish_seen_subcommand_from " + name + "'";
    script += "complete -c kiln -n __fish_use_subcommand -a " + name + " -d " +
              quoted(command->get_description()) + "\n";
    for (const std::string& option : option_names(*command)) script += option_line(inside, option);
    for (const CLI::App* below : commands_of(*command))
      script += "complete -c kiln" + inside + " -a " + below->get_name() + "\n";
  }
  script += "complete -c kiln -n '__fish_seen_subcommand_from run validate compile' -F\n";
  script +=
      "complete -c kiln -n '__fish_seen_subcommand_from workloads' -a '(kiln workloads --names "
      "2>/dev/null)'\n";
  script += "complete -c kiln -n '__fish_seen_subcommand_from completion' -a " +
            quoted(join(completion_shells(), " ")) + "\n";
  return script;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> names = {"bash", "zsh", "fish"};
  return names;
}

std::string completion_script(const std::string& shell, const CLI::App& app) {
  if (shell == "bash") return bash_script(app);
  return shell == "zsh" ? zsh_script(app) : fish_script(app);
}

}  // namespace kiln
