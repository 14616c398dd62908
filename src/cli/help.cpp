#include "cli/help.h"

#include "base/text.h"

namespace kiln {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
    return app->get_description() + "\n\n" + make_usage(app, name) + make_subcommands(app, mode) +
           make_positionals(app) + make_groups(app, mode) + make_footer(app);
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = "Usage: " + (app->get_parent() == nullptr ? name : full_name(app));
    if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) usage += " COMMAND";
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) usage += " " + option->get_name(true);
    }
    return usage + " [options]\n";
  }

  std::string make_footer(const CLI::App* app) const override {
    const std::string more = "\n\nOptions of every command, and the settings: kiln --help";
    return "\n" + app->get_footer() + (app->get_parent() == nullptr ? "" : more) + "\n";
  }

 private:
  /// "kiln cache list".
  static std::string full_name(const CLI::App* app) {
    const CLI::App* parent = app->get_parent();
    return parent == nullptr ? app->get_name() : full_name(parent) + " " + app->get_name();
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> make_help_formatter() {
  constexpr std::size_t kColumn = 30;
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(kColumn);
  formatter->label("OPTIONS", "options");
  return formatter;
}

std::string examples(const std::vector<std::string>& lines) {
  return "Examples:\n  " + join(lines, "\n  ");
}

}  // namespace kiln
