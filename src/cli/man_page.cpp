#include "cli/man_page.h"

#include <vector>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"
#include "base/version.h"

namespace kiln {
namespace {

/// Text in which roff sees no request, no escape and no hyphen where a minus is meant.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  return result;
}

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> options_in(const CLI::App& app, const std::string& group) {
  return app.get_options([&group](const CLI::Option* option) {
    return option->get_group() == group && option->nonpositional();
  });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// "kiln cache list".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name() : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string entry(const CLI::Option& option, bool is_positional) {
  const CLI::Formatter formatter;
  const std::string values = formatter.make_option_opts(&option);
  const std::string name = formatter.make_option_name(&option, is_positional);
  return ".TP\n\\fB" + escaped(name) + "\\fR" + escaped(values) + "\n" +
         escaped(formatter.make_option_desc(&option)) + "\n";
}

std::string entries(const CLI::App& app, const std::string& group) {
  std::string text;
  for (const CLI::Option* option : options_in(app, group)) text += entry(*option, false);
  return text;
}

std::string synopsis(const CLI::App& app) {
  std::string text = "\\fB" + escaped(full_name(app)) + "\\fR";
  if (!commands_below(app).empty()) text += " \\fICOMMAND\\fR";
  for (const CLI::Option* option : positionals_of(app)) {
    text += " \\fI" + escaped(option->get_name(true)) + "\\fR";
  }
  return text + " [options]\n";
}

/// The lines under "Examples:" as they are.
std::string examples_of(const CLI::App& app) {
  const std::vector<std::string> lines = split(app.get_footer(), '\n');
  std::string text;
  for (std::size_t i = 1; i < lines.size(); ++i) text += escaped(std::string(trim(lines[i]))) + "\n";
  return text.empty() ? text : ".nf\n" + text + ".fi\n";
}

std::string options_of(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : positionals_of(app)) text += entry(*option, true);
  for (const std::string& group : app.get_groups()) {
    if (!group.empty()) text += entries(app, group);
  }
  return text;
}

/// A command below the page's own, with those below it.
std::string subsection(const CLI::App& app) {
  std::string text = ".SS \"" + escaped(full_name(app)) + "\"\n" + synopsis(app) + ".PP\n" +
                     escaped(app.get_description()) + "\n" + options_of(app);
  if (const std::string lines = examples_of(app); !lines.empty()) text += ".PP\nExamples:\n.PP\n" + lines;
  for (const CLI::App* command : commands_below(app)) text += subsection(*command);
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

constexpr const char* kExitStatus =
    ".SH \"EXIT STATUS\"\n"
    ".TP\n\\fB0\\fR\nDone, and no result is wrong.\n"
    ".TP\n\\fB1\\fR\nA variant failed, was wrong or, with \\fB\\-\\-require\\-checks\\fR, was compared by no "
    "check; the others are complete.\n"
    ".TP\n\\fB2\\fR\nBad input.\n"
    ".TP\n\\fB3\\fR\nThe machine lacks something.\n"
    ".TP\n\\fB130\\fR, \\fB143\\fR, \\fB129\\fR\nInterrupted by SIGINT, SIGTERM or SIGHUP; finished results "
    "are kept.\n";

}  // namespace

std::string man_page_name(const CLI::App& app) {
  std::string name = full_name(app);
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

std::string man_page(const CLI::App& app) {
  const bool is_program = app.get_parent() == nullptr;
  const std::string name = man_page_name(app);
  std::string text = ".TH \"" + upper(escaped(name)) + "\" \"1\" \"\" \"Kiln " + build_info().version +
                     "\" \"User commands\"\n.SH NAME\n" + escaped(name) + " \\- " +
                     escaped(app.get_description()) + "\n.SH SYNOPSIS\n" + synopsis(app);
  if (const std::string options = options_of(app); !options.empty()) text += ".SH OPTIONS\n" + options;
  if (const auto commands = commands_below(app); !commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* command : commands) {
      text += is_program ? ".TP\n\\fB" + escaped(man_page_name(*command)) + "\\fR(1)\n" +
                               escaped(command->get_description()) + "\n"
                         : subsection(*command);
    }
  }
  if (const std::string lines = examples_of(app); !lines.empty()) text += ".SH EXAMPLES\n" + lines;
  text += kExitStatus;
  if (!is_program)
    text += ".SH \"SEE ALSO\"\n\\fBkiln\\fR(1), for the options of every command and the settings\n";
  return text;
}

}  // namespace kiln
