#include "cli/run_cli.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <future>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/file.h"
#include "base/process.h"
#include "base/resource_limit.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/batch_command.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/rank_session.h"
#include "cli/world.h"
#include "config/setting_rows.h"
#include "config/settings.h"
#include "embed/backends.h"
#include "kiln/error.h"
#include "record/failure.h"

namespace kiln {
namespace {

constexpr const char* kSummary =
    "Kiln specialises kernels with values that are known at run time, compiles and caches them, and runs, "
    "checks and "
    "measures them.";

using AddCommand = Subcommand (*)(CLI::App&);

struct KnownCommand {
  std::string_view name;
  AddCommand add;
  bool takes_trace = false;  ///< has a use for --trace
};

/// In the order of the help.
constexpr KnownCommand kCommands[] = {
    {"run", add_run_command, true},
    {"new", add_new_command},
    {"validate", add_validate_command},
    {"study", add_study_command, true},
    {"tune", add_tune_command},
    {"wisdom", add_wisdom_command},
    {"devices", add_devices_command},
    {"workloads", add_workloads_command},
    {"compile", add_compile_command, true},
    {"cache", add_cache_command},
    {"replay", add_replay_command},
    {"merge", add_merge_command},
    {"watch", add_watch_command},
    {"report", add_report_command},
    {"roofline", add_roofline_command, true},
    {"settings", add_settings_command, true},
    {"completion", add_completion_command},
    {"man", add_man_command},
};

/// The first word that is a command's name; empty if there is none.
std::string_view command_word(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    for (const KnownCommand& command : kCommands) {
      if (argv[i] == command.name) return command.name;
    }
  }
  return {};
}

/// A GPU takes two tenths of a second to start: where the command line says that a job runs on one, it starts
/// while everything else is read. The future waits for it at its end.
std::future<void> start_device_early(int argc, const char* const* argv) {
  if (command_word(argc, argv) != "run" || is_launched_as_rank()) return {};
  if (has_batch({argv + std::min(argc, 1), argv + argc})) return {};
  constexpr std::string_view kOption = "--device";
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (!word.starts_with(kOption)) continue;
    word.remove_prefix(kOption.size());
    if (word.empty() && i + 1 < argc) word = argv[i + 1];
    if (word.starts_with('=')) word.remove_prefix(1);
    const std::string name(word.substr(0, word.find(',')));
    return run_beside([name] { start_device(name); });
  }
  return {};
}

/// Refuses an option that would do nothing; the setting is for whichever command has a use for it.
void require_use_of_trace(const std::string& name, const SettingsOverrides& given) {
  if (std::none_of(given.values.begin(), given.values.end(),
                   [](const auto& value) { return value.first == "trace"; }))
    return;
  std::vector<std::string> takers;
  for (const KnownCommand& command : kCommands) {
    if (command.name == name && command.takes_trace) return;
    if (command.takes_trace) takers.emplace_back(command.name);
  }
  throw bad_input("--trace: 'kiln " + name + "' writes no trace; expected one of " + join(takers, ", "));
}

/// Asks this process to end when its standard input closes.
void end_with_input() {
  std::thread([] {
    pollfd input{STDIN_FILENO, 0, 0};
    while (::poll(&input, 1, -1) < 0) continue;
    ::kill(::getpid(), SIGTERM);
  }).detach();
}

void apply_limits(const GlobalArguments& arguments) {
  if (!arguments.memory_limit.empty()) {
    const std::uint64_t bytes = parse_option("--memory-limit", arguments.memory_limit, parse_bytes);
    // RLIMIT_DATA: GPU drivers reserve far more addresses than they use.
    if (bytes > 0 && !maps_all_of_memory()) lower_limit(RLIMIT_DATA, bytes);
  }
  if (arguments.ends_with_input) end_with_input();
}

class CommandLine {
 public:
  /// With the command `only`; with all where that is empty.
  explicit CommandLine(std::string_view only) : app_(kSummary, "kiln") {
    app_.fallthrough();
    app_.formatter(make_help_formatter());
    app_.set_help_flag("-h,--help", "This text; after a command: its options, with examples");
    app_.require_subcommand(0, 1);
    add_global_options(app_, arguments_);
    for (const KnownCommand& command : kCommands) {
      if (only.empty() || command.name == only) commands_.push_back(command.add(app_));
    }
    app_.footer(examples({"kiln run configs/quickstart.yaml",
                          "kiln run configs/stencil7.yaml --sweep block_x=64,128,256",
                          "kiln workloads stencil7", "kiln run --help"}));
  }

  /// Parses and runs; what does not parse is reported.
  int run(int argc, const char* const* argv, const Console& console, std::int64_t start_ns) {
    words_.assign(argv + std::min(argc, 1), argv + argc);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return report(error, console);
    }
    if (const auto code = run_parsed(console, start_ns)) return *code;
    console.err << app_.help();
    return kExitBadInput;
  }

  /// Runs the command line; empty, without effect, if it does not parse.
  std::optional<int> try_run(int argc, const char* const* argv, const Console& console,
                             std::int64_t start_ns) {
    words_.assign(argv + std::min(argc, 1), argv + argc);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError&) {
      return std::nullopt;
    }
    return run_parsed(console, start_ns);
  }

 private:
  /// Empty if the words name no command.
  std::optional<int> run_parsed(const Console& console, std::int64_t start_ns) {
    for (const Subcommand& command : commands_) {
      if (command.app->parsed()) return run_command(command, console, start_ns);
    }
    return std::nullopt;
  }

  int report(const CLI::ParseError& error, const Console& console) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app_.exit(error, console.out, console.err);
      return kExitDone;
    }
    const std::vector<std::string> extras = app_.remaining(true);
    throw bad_input(extras.empty() ? error.what() : unexpected_word_message(app_, extras));
  }

  int run_command(const Subcommand& command, const Console& console, std::int64_t start_ns) {
    require_use_of_trace(command.app->get_name(), arguments_.settings);
    apply_limits(arguments_);
    const std::unique_ptr<FileSystem> files = make_real_file_system();
    World world(console, resolve_settings(make_settings_world(*files), arguments_.settings), arguments_.quiet,
                words_, start_ns);
    for (const std::string& warning : world.settings().warnings) world.log().warn(warning);
    const int code = command.run(world);
    world.engine().finish_trace();
    return code;
  }

  CLI::App app_;
  GlobalArguments arguments_;
  std::vector<std::string> words_;  // the command line without the program's name
  std::vector<Subcommand> commands_;
};

int fail(const Console& console, const std::string& kind, const std::string& message, int code) {
  console.out.flush();
  console.err << "kiln: " << kind << ": " << printable(message) << std::endl;
  return code;
}

}  // namespace

int run_cli(int argc, const char* const* argv, const Console& console) {
  try {
    const std::int64_t start_ns = make_system_clock()->steady_ns();
    const std::future<void> device = start_device_early(argc, argv);
    // All commands are needed only for help, for completion scripts, for manual pages and for what a wrong
    // one might have meant.
    const std::string_view only = command_word(argc, argv);
    if (!only.empty() && only != "completion" && only != "man") {
      if (const auto code = CommandLine(only).try_run(argc, argv, console, start_ns)) return *code;
    }
    return CommandLine({}).run(argc, argv, console, start_ns);
  } catch (const Error& error) {
    const bool bug = error.kind() == ErrorKind::kInternal;
    return fail(console, bug ? "internal error" : "error", error.what(), failure_of(error.kind()).exit_code);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(console, "error", error.what(), kExitEnvironment);
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) {
      return fail(console, "internal error", error.what(), kExitInternal);
    }
    return fail(console, "error",
                std::string("the system gives this process no further thread or process (") + kProcessLimit +
                    "): " + error.code().message(),
                kExitEnvironment);
  } catch (const std::bad_alloc&) {
    return fail(console, "error", "this process has no memory left", kExitEnvironment);
  } catch (const std::exception& error) {
    return fail(console, "internal error", error.what(), kExitInternal);
  } catch (...) {
    return fail(console, "internal error", "an exception of unknown type", kExitInternal);
  }
}

int run_cli(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  return run_cli(argc, argv, Console{out, err});
}

}  // namespace kiln
