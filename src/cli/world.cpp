#include "cli/world.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <random>

#include "base/process.h"
#include "base/version.h"
#include "cli/backends.h"

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

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

/// Made on first use; what comes later uses what comes earlier.
struct World::Parts {
  std::unique_ptr<ProcessRunner> processes;
  std::optional<WorkloadLibrary> library;
  std::optional<Backends> backends;
  std::optional<DeviceRegistry> devices;
  std::optional<DiskCache> cache;
  std::optional<KernelService> service;
};

World::World(const Console& console, ResolvedSettings settings, bool quiet)
    : console_(console),
      settings_(std::move(settings)),
      quiet_(quiet),
      status_line_(console),
      log_(status_line_, level_of(settings_.values, quiet),
           make_style(console, console.err_is_terminal, settings_.values.color)),
      files_(make_real_file_system()),
      clock_(make_system_clock()),
      start_ns_(clock_->steady_ns()),
      parts_(std::make_unique<Parts>()) {}

World::~World() = default;

TextStyle World::style() const {
  return make_style(console_, console_.out_is_terminal, settings_.values.color);
}

const WorkloadLibrary& World::library() {
  if (!parts_->library) parts_->library.emplace(*files_, paths_of(settings_.values.workload_path));
  return *parts_->library;
}

DeviceRegistry& World::devices() {
  make_backends_once();
  if (!parts_->devices) parts_->devices.emplace(std::move(parts_->backends->devices));
  return *parts_->devices;
}

std::map<std::string, Compiler*> World::compilers() {
  make_backends_once();
  std::map<std::string, Compiler*> compilers;
  for (const auto& [backend, compiler] : parts_->backends->compilers) compilers[backend] = compiler.get();
  return compilers;
}

void World::make_backends_once() {
  if (parts_->backends) return;
  parts_->processes = make_process_runner();
  parts_->backends = make_backends(settings_.values, *parts_->processes, *files_, log_);
}

DiskCache& World::cache() {
  if (!parts_->cache) parts_->cache.emplace(*files_, *clock_, log_, settings_.values.cache_dir);
  return *parts_->cache;
}

KernelService& World::service() {
  if (!parts_->service) parts_->service.emplace(settings_.values.cache ? &cache() : nullptr, *clock_);
  return *parts_->service;
}

JobContext World::job_context() {
  const BuildInfo build = build_info();
  return {devices(), compilers(),  service(),     *files_,        *clock_,
          log_,      new_run_id(), build.version, build.revision, start_ns_};
}

TextStyle make_style(const Console& console, bool is_terminal, const std::string& color) {
  return {console.width, console.utf8, color == "always" || (color == "auto" && is_terminal)};
}

}  // namespace kiln
