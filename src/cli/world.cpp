#include "cli/world.h"

#include "embed/job_setup.h"

namespace kiln {
namespace {

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
      engine_(std::in_place, settings_.values, *files_, *clock_, log_) {}

void World::take_share(int threads, bool traces) {
  const auto take = [&](const char* name, int& value, const char* option) {
    const auto source = settings_.sources.find(name);
    if (source != settings_.sources.end() && source->second.kind != SettingSource::Kind::kDefault) return;
    value = threads;
    arguments_.insert(arguments_.end(), {option, std::to_string(threads)});
  };
  take("cpu_threads", settings_.values.cpu_threads, "--cpu-threads");
  take("compile_jobs", settings_.values.compile_jobs, "--compile-jobs");
  if (!traces) settings_.values.trace.clear();
  engine_.emplace(settings_.values, *files_, *clock_, log_);
}

TextStyle World::style() const {
  return make_style(console_, console_.out_is_terminal, settings_.values.color);
}

JobContext World::job_context(const std::string& isolation) {
  return make_job_context(*engine_, *files_, *clock_, log_, isolation, start_ns_);
}

TextStyle make_style(const Console& console, bool is_terminal, const std::string& color) {
  return {console.width, console.utf8, color == "always" || (color == "auto" && is_terminal)};
}

}  // namespace kiln
