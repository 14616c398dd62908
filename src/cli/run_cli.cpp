#include "cli/run_cli.h"

#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/file.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/world.h"
#include "config/settings.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr const char* kSummary =
    "Kiln specialises kernels with what is known at run time, compiles and caches them, and runs, checks and "
    "measures them.";

int exit_code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
      return kExitBadInput;
    case ErrorKind::kEnvironment:
      return kExitEnvironment;
    case ErrorKind::kInternal:
      break;
  }
  return kExitInternal;
}

std::vector<Subcommand> add_commands(CLI::App& app) {
  return {add_run_command(app),       add_validate_command(app), add_devices_command(app),
          add_workloads_command(app), add_compile_command(app),  add_cache_command(app),
          add_replay_command(app),    add_settings_command(app), add_completion_command(app)};
}

class CommandLine {
 public:
  CommandLine() : app_(kSummary, "kiln") {
    app_.fallthrough();
    app_.formatter(make_help_formatter());
    app_.set_help_flag("-h,--help", "This text; after a command: what it does, with examples");
    app_.require_subcommand(0, 1);
    add_global_options(app_, arguments_);
    commands_ = add_commands(app_);
    app_.footer(examples({"kiln run configs/quickstart.yaml",
                          "kiln run configs/stencil7.yaml --sweep block_x=64,128,256",
                          "kiln workloads stencil7", "kiln run --help"}));
  }

  int run(int argc, const char* const* argv, const Console& console) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return report(error, console);
    }
    for (const Subcommand& command : commands_) {
      if (command.app->parsed()) return run_command(command, console);
    }
    console.err << app_.help();
    return kExitBadInput;
  }

 private:
  int report(const CLI::ParseError& error, const Console& console) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app_.exit(error, console.out, console.err);
      return kExitDone;
    }
    const std::vector<std::string> extras = app_.remaining(true);
    throw bad_input(extras.empty() ? error.what() : unexpected_word_message(app_, extras));
  }

  int run_command(const Subcommand& command, const Console& console) {
    const std::unique_ptr<FileSystem> files = make_real_file_system();
    World world(console, resolve_settings(make_settings_world(*files), arguments_.settings),
                arguments_.quiet);
    return command.run(world);
  }

  CLI::App app_;
  GlobalArguments arguments_;
  std::vector<Subcommand> commands_;
};

int fail(const Console& console, const std::string& kind, const std::string& message, int code) {
  console.out.flush();
  console.err << "kiln: " << kind << ": " << message << std::endl;
  return code;
}

}  // namespace

int run_cli(int argc, const char* const* argv, const Console& console) {
  try {
    return CommandLine().run(argc, argv, console);
  } catch (const Error& error) {
    const bool bug = error.kind() == ErrorKind::kInternal;
    return fail(console, bug ? "internal error" : "error", error.what(), exit_code_of(error.kind()));
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(console, "error", error.what(), kExitEnvironment);
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
