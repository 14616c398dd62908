#pragma once

#include <functional>

#include <CLI/App.hpp>

#include "cli/world.h"

namespace kiln {

/// A command of `kiln`: how it is parsed, and what it does once it was. `run` returns an exit code;
/// everything that goes wrong it throws.
struct Subcommand {
  CLI::App* app = nullptr;
  std::function<int(World&)> run;
};

[[nodiscard]] Subcommand add_run_command(CLI::App& app);
[[nodiscard]] Subcommand add_study_command(CLI::App& app);
[[nodiscard]] Subcommand add_new_command(CLI::App& app);
[[nodiscard]] Subcommand add_validate_command(CLI::App& app);
[[nodiscard]] Subcommand add_devices_command(CLI::App& app);
[[nodiscard]] Subcommand add_workloads_command(CLI::App& app);
[[nodiscard]] Subcommand add_compile_command(CLI::App& app);
[[nodiscard]] Subcommand add_cache_command(CLI::App& app);
[[nodiscard]] Subcommand add_replay_command(CLI::App& app);
[[nodiscard]] Subcommand add_merge_command(CLI::App& app);
[[nodiscard]] Subcommand add_watch_command(CLI::App& app);
[[nodiscard]] Subcommand add_report_command(CLI::App& app);
[[nodiscard]] Subcommand add_roofline_command(CLI::App& app);
[[nodiscard]] Subcommand add_tune_command(CLI::App& app);
[[nodiscard]] Subcommand add_wisdom_command(CLI::App& app);
[[nodiscard]] Subcommand add_settings_command(CLI::App& app);
[[nodiscard]] Subcommand add_completion_command(CLI::App& app);
[[nodiscard]] Subcommand add_man_command(CLI::App& app);

}  // namespace kiln
