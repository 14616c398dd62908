#include <cmath>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "kiln/error.h"
#include "report/run_summary.h"
#include "report/text_table.h"

namespace kiln {
namespace {

std::string size_text(std::uint64_t bytes) {
  return bytes == 0 ? "-" : format_bytes(bytes);
}

std::string bandwidth_text(double rate) {
  return rate == 0 ? "-" : std::to_string(std::lround(rate));
}

std::vector<TableCell> device_row(const DeviceInfo& device) {
  return {{device.id, Tone::kStrong},
          {device.name},
          {std::to_string(device.compute_units)},
          {size_text(device.memory_bytes)},
          {bandwidth_text(device.memory_bandwidth)},
          {size_text(device.l2_bytes)},
          {device.driver.empty() ? "-" : device.driver}};
}

/// The compiler, or why there is none: `kiln devices` is where people look for that.
std::string compiler_sentence(Compiler& compiler) {
  try {
    const CompilerIdentity& identity = compiler.identity();
    const std::string abilities = compiler.abilities();
    return "compiles with " + compiler_text(identity) + (abilities.empty() ? "" : " for " + abilities);
  } catch (const Error& error) {
    return error.what();
  }
}

int run(World& world) {
  const TextStyle style = world.style();
  TextTable table{{{"device"},
                   {"name"},
                   {"units", true},
                   {"memory", true},
                   {"GB/s", true},
                   {"last-level\ncache", true},
                   {"driver"}},
                  {}};
  std::string sentences;
  const std::map<std::string, Compiler*> compilers = world.engine().compilers();
  for (const auto& backend : world.engine().devices().backends()) {
    const std::string problem = backend->problem();
    if (!problem.empty()) sentences += backend->name() + ": " + problem + "\n";
    for (const DeviceInfo& device : problem.empty() ? backend->devices() : std::vector<DeviceInfo>()) {
      table.rows.push_back(device_row(device));
      sentences += device.id + ": generates code for " + device.target.arch + "\n";
    }
    const auto compiler = compilers.find(backend->name());
    if (compiler != compilers.end())
      sentences += backend->name() + ": " + compiler_sentence(*compiler->second) + "\n";
  }
  if (!table.rows.empty()) world.out() << render_terminal(table, style) << "\n";
  world.out() << sentences;
  return kExitDone;
}

}  // namespace

Subcommand add_devices_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("devices", "Show each device and its compiler, or why a back end has no device");
  command->footer(examples({"kiln devices", "KILN_CXX=clang++ kiln devices"}));
  return {command, [](World& world) { return run(world); }};
}

}  // namespace kiln
