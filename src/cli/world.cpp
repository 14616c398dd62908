#include "cli/world.h"

#include <array>
#include <cstdio>
#include <random>

#include "base/version.h"

namespace kiln {
namespace {

std::string new_run_id() {
  std::random_device random;
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x", random(), random());
  return text.data();
}

LogLevel level_of(const Settings& settings, bool quiet) {
  const LogLevel level = parse_log_level(settings.log_level);
  return quiet && level < LogLevel::kError ? LogLevel::kError : level;
}

}  // namespace

World::World(const Console& console, ResolvedSettings settings, bool quiet,
             std::vector<std::string> arguments, std::int64_t start_ns)
    : console_(console),
      settings_(std::move(settings)),
      out_(console.out, style().color),
      quiet_(quiet),
      arguments_(std::move(arguments)),
      status_line_(console),
      log_(status_line_, level_of(settings_.values, quiet),
           make_style(console, console.err_is_terminal, settings_.values.color)),
      files_(make_real_file_system()),
      clock_(make_system_clock()),
      start_ns_(start_ns),
      engine_(settings_.values, *files_, *clock_, log_) {}

TextStyle World::style() const {
  return make_style(console_, console_.out_is_terminal, settings_.values.color);
}

JobContext World::job_context(const std::string& isolation) {
  const BuildInfo build = build_info();
  return {.devices = engine_.devices(),
          .compilers = engine_.compilers(isolation),
          .service = engine_.service(),
          .files = *files_,
          .clock = *clock_,
          .log = log_,
          .run_id = new_run_id(),
          .kiln_version = build.version,
          .kiln_revision = build.revision,
          .start_ns = start_ns_,
          .trace = engine_.trace()};
}

TextStyle make_style(const Console& console, bool is_terminal, const std::string& color) {
  return {console.width, console.utf8, color == "always" || (color == "auto" && is_terminal)};
}

}  // namespace kiln
