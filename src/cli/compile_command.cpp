#include <algorithm>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/job_arguments.h"
#include "cli/job_guard.h"
#include "cli/rank_session.h"
#include "embed/arch_names.h"
#include "job/plan.h"
#include "kiln/error.h"
#include "report/statistics_report.h"
#include "report/text_table.h"
#include "workload/device_words.h"

namespace kiln {
namespace {

struct CompileArguments {
  JobArguments job;
  std::string archs, ranks;
  bool ahead = false;
};

TableCell result_cell(const CompiledUnit& unit) {
  if (unit.failure) return {"failed", Tone::kBad};
  if (unit.origin != Origin::kCompiled) return {to_string(unit.origin), Tone::kGood};
  return {"compiled " + format_seconds(unit.compile_seconds), Tone::kGood};
}

/// The compiler's log, under Kiln's own sentence if that has more information.
std::string failure_text(const Diagnostic& failure) {
  const bool said = failure.log.find(failure.summary) != std::string::npos;
  return (said ? "" : failure.summary + "\n") + failure.log + "\n";
}

/// "36, 12, 8": one number for each entry.
template <class Number>
TableCell use_cell(const CompiledUnit& unit, Number ResourceUse::*number) {
  std::vector<std::string> numbers;
  for (const std::string& entry : unit.entries) {
    const auto use = unit.resources.find(entry);
    const bool known = use != unit.resources.end() && (use->second.*number).has_value();
    numbers.push_back(known ? std::to_string(*(use->second.*number)) : "-");
  }
  return {unit.failure ? "-" : join(numbers, ", ")};
}

/// The kernels' use of a multiprocessor, as the compiler reports it; NVRTC and the host's compiler report
/// nothing.
void add_resource_use(const std::vector<CompiledUnit>& units, TextTable& table) {
  const bool told =
      std::any_of(units.begin(), units.end(), [](const auto& unit) { return !unit.resources.empty(); });
  if (!told) return;
  table.columns.insert(table.columns.end(), {{"registers"}, {"shared\nbytes"}, {"local\nbytes"}});
  for (std::size_t i = 0; i < units.size(); ++i) {
    table.rows[i].push_back(use_cell(units[i], &ResourceUse::registers));
    table.rows[i].push_back(use_cell(units[i], &ResourceUse::static_shared_bytes));
    table.rows[i].push_back(use_cell(units[i], &ResourceUse::local_bytes));
  }
}

/// Prints the target, with the compiler's note on it, a table of the units, the logs of the failed units, and
/// the summary.
int print_units(const std::vector<CompiledUnit>& units, const Target& target, const std::string& note,
                World& world) {
  constexpr std::size_t kDigestShown = 12;
  TextTable table{{{"variant"}, {"unit"}, {"entries"}, {"code"}, {"size", true}, {"key"}}, {}};
  std::string failures;
  std::size_t compiled = 0;
  std::size_t failed = 0;
  for (const CompiledUnit& unit : units) {
    table.rows.push_back({{unit.label.empty() ? "-" : unit.label},
                          {unit.source},
                          {join(unit.entries, ", ")},
                          result_cell(unit),
                          {unit.failure ? "-" : format_bytes(unit.binary_bytes)},
                          {unit.key.substr(0, kDigestShown)}});
    if (unit.failure) {
      ++failed;
      failures += failure_text(*unit.failure);
    } else if (unit.origin == Origin::kCompiled) {
      ++compiled;
    }
  }
  add_resource_use(units, table);
  world.out() << target.to_string() << "\n"
              << note << (note.empty() ? "\n" : "\n\n") << render_terminal(table, world.style()) << "\n"
              << failures;
  const std::vector<std::string> parts = {std::to_string(compiled) + " compiled",
                                          std::to_string(units.size() - compiled - failed) + " in the cache",
                                          std::to_string(failed) + " failed"};
  world.out() << join(parts, ", ") << "\n";
  return failed == 0 ? kExitDone : kExitFailed;
}

Compiler& ahead_compiler(Engine& engine, const std::string& backend) {
  const AheadCompiler found = engine.ahead_compiler(backend);
  if (found.compiler == nullptr) throw environment_error("--ahead: " + found.problem);
  return *found.compiler;
}

/// Parameters whose default depends on the device: the code compiled here may differ from the code that a
/// device requests.
std::string note_on_defaults(const JobPlan& plan, const std::string& backend) {
  std::vector<std::string> open;
  for (const std::string& name : defaults_by_device(*plan.workload, backend)) {
    if (!has_name(plan.job.set, name) && !has_name(plan.job.sweep, name)) open.push_back(name);
  }
  if (open.empty()) return "";
  return "chosen by the device, which is not known here: " + join(open, ", ") +
         " (--set or --sweep what it will choose)";
}

/// `session`: null if this process is not a rank.
int compile(World& world, const CompileArguments& arguments, RankSession* session) {
  const JobSpec job = read_job(world, arguments.job);
  const Interrupt interrupt;
  JobContext context = world.job_context(job.isolation);
  context.stop = [session] { return Interrupt::requested() || (session != nullptr && session->ended()); };
  const JobGuard guard(world, {}, nullptr);
  const std::vector<Target> targets = targets_of(arguments.archs, context.compilers);
  for (const Target& target : targets) {
    if (arguments.ahead) context.compilers[target.backend] = &ahead_compiler(world.engine(), target.backend);
  }
  std::vector<std::unique_ptr<PlanUnits>> units(targets.size());  // by target
  const auto units_for = [&](std::size_t i) -> PlanUnits& {
    if (!units[i])
      units[i] = std::make_unique<PlanUnits>(
          make_plan(job, world.engine().library(), world.files(), {unknown_device(targets[i])}), context,
          targets[i]);
    return *units[i];
  };
  const auto compile_own = [&](const JobPart& part) {
    for (std::size_t i = 0; i < targets.size(); ++i) compile_part(units_for(i), context, part);
  };
  RankCrew* crew = session != nullptr && session->leads() ? &session->crew() : nullptr;
  if (session != nullptr && crew == nullptr) {
    session->serve_parts({context, world.engine().cache(), "", "", [&](const JobPart& part) {
                            compile_own(part);
                            return std::string();
                          }});
    return kExitDone;
  }
  if (crew != nullptr) static_cast<void>(crew->compile_parts(compile_own, context));
  int code = kExitDone;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    PlanUnits& own = units_for(i);
    std::vector<std::string> notes = {context.compilers.at(targets[i].backend)->note_on(targets[i]),
                                      note_on_defaults(own.plan(), targets[i].backend)};
    std::erase(notes, "");
    code = std::max(code, print_units(compile_job(own, context), targets[i], join(notes, "\n"), world));
    units[i].reset();
  }
  StoredStatistics all{.counters = world.engine().service().counters()};
  if (crew != nullptr) add_statistics(all, {.counters = crew->counters(context.stop)});
  world.out() << statistics_line(all.counters) << "\n";
  if (!Interrupt::requested()) return code;
  world.status_line().write("interrupted: what was compiled is in the cache");
  return Interrupt::exit_code();
}

int run(World& world, const CompileArguments& arguments) {
  const auto session = RankSession::join(world, arguments.ranks);
  if (!session || session->leads()) return compile(world, arguments, session.get());
  return session->follow([&] { static_cast<void>(compile(world, arguments, session.get())); });
}

}  // namespace

Subcommand add_compile_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compile", "Compile every variant of a job into the cache, with no device");
  const auto arguments = std::make_shared<CompileArguments>();
  add_job_options(*command, arguments->job);
  command->add_option("--arch", arguments->archs, "Architectures, separated by commas: native, sm_90, gfx90a")
      ->default_str("native")
      ->type_name("ARCH,...");
  arguments->archs = "native";
  command->add_flag(
      "--ahead", arguments->ahead,
      "Use the compiler that builds programs ahead of time: nvcc, hipcc, or the C++ compiler for any CPU");
  add_ranks_option(*command, arguments->ranks);
  command->footer(examples({"kiln compile configs/quickstart.yaml",
                            "kiln compile configs/stencil7.yaml --arch native --sweep block_x=64,128",
                            "kiln compile configs/quickstart.yaml --arch sm_90,gfx90a",
                            "kiln compile configs/quickstart.yaml --arch sm_90 --ahead"}));
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
