#include <memory>
#include <set>
#include <string>
#include <vector>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "job/plan.h"
#include "kiln/error.h"
#include "report/text_table.h"
#include "trial/needs.h"

namespace kiln {
namespace {

struct WorkloadsArguments {
  std::string name;
  bool names_only = false;
};

std::string default_text(const ParameterSpec& parameter) {
  if (parameter.from) return "from " + parameter.from->file;
  std::vector<std::string> parts;
  for (const auto& [backend, value] : parameter.defaults) {
    const bool only = parameter.defaults.size() == 1 && backend == "otherwise";
    parts.push_back(only ? value.text : backend + ": " + value.text);
  }
  return join(parts, ", ");
}

std::string allowed_text(const ParameterSpec& parameter) {
  std::vector<std::string> values;
  for (const ExpressionText& value : parameter.values) values.push_back(value.text);
  if (!values.empty()) return join(values, ", ");
  if (parameter.min && parameter.max) return parameter.min->text + " to " + parameter.max->text;
  if (parameter.min) return "at least " + parameter.min->text;
  return parameter.max ? "at most " + parameter.max->text : "";
}

std::string type_text(const ParameterSpec& parameter) {
  switch (parameter.kind) {
    case ParameterKind::kScalar:
      return parameter.scalar_type;
    case ParameterKind::kType:
      return "type";
    case ParameterKind::kChoice:
      return "choice";
    case ParameterKind::kPath:
      return "path";
  }
  return "";
}

std::string binding_text(const ParameterSpec& parameter) {
  if (parameter.kind == ParameterKind::kPath) return "-";
  if (parameter.kind == ParameterKind::kType) return "compile";
  if (!parameter.fixed_binding) return "compile or run";
  return *parameter.fixed_binding == Binding::kCompile ? "compile" : "run";
}

std::string help_text(const ParameterSpec& parameter) {
  if (parameter.unit.empty()) return parameter.help;
  return parameter.help + (parameter.help.empty() ? "in " : ", in ") + parameter.unit;
}

TextTable parameter_table(const Workload& workload) {
  TextTable table{{{"parameter"}, {"type"}, {"default"}, {"allowed"}, {"bound at"}, {"meaning"}}, {}};
  for (const ParameterSpec& parameter : workload.parameters) {
    table.rows.push_back({{parameter.name, Tone::kStrong},
                          {type_text(parameter)},
                          {default_text(parameter)},
                          {allowed_text(parameter)},
                          {binding_text(parameter)},
                          {help_text(parameter)}});
  }
  return table;
}

TextTable metric_table(const Workload& workload) {
  TextTable table{{{"metric"}, {"unit"}, {"better is"}, {"value"}}, {}};
  for (const MetricSpec& metric : workload.metrics) {
    table.rows.push_back({{metric.name, Tone::kStrong},
                          {metric.unit},
                          {metric.higher_is_better ? "higher" : "lower"},
                          {metric.value.text}});
  }
  return table;
}

template <class Items, class Name>
std::string names_of(const Items& items, Name name) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(name(item));
  return join(names, ", ");
}

/// "copy_paper as copy (implementation == paper)".
std::string launch_text(const StatementSpec& statement, const LaunchSpec& launch) {
  std::string text = launch.kernel;
  if (launch.timing != launch.kernel) text += " as " + launch.timing;
  if (statement.when) text += " (" + statement.when->text + ")";
  return text;
}

std::string launches_text(const ProgramSpec& program) {
  std::vector<std::string> texts;
  for_each_statement(program, [&](const StatementSpec& statement) {
    if (const auto* launch = std::get_if<LaunchSpec>(&statement.action))
      texts.push_back(launch_text(statement, *launch));
  });
  return join(texts, ", ");
}

/// Kernels of the default point that run as fibers on the cpu, and why: "dot: a barrier in a lambda
/// (dot.cu:12)".
std::vector<std::string> fibers_of(const std::shared_ptr<const Workload>& workload, World& world) {
  Engine& engine = world.engine();
  const auto compilers = engine.compilers("");
  const auto compiler = compilers.find("cpu");
  if (compiler == compilers.end()) return {};
  const DeviceInfo cpu = engine.devices().open("cpu")->info();
  std::set<std::string> lines;
  for (const Variant& variant : make_plan({}, workload, world.files(), {cpu}).variants) {
    for (const Unit& unit : TrialNeeds(variant.configuration).units(cpu.target, world.files())) {
      for (const auto& [kernel, reason] : compiler->second->slow_kernels(unit.specialization))
        lines.insert(std::string(kernel).append(": ").append(reason));
    }
  }
  return {lines.begin(), lines.end()};
}

/// Nothing where the default point cannot be specialised here: it may need a file, or a compiler.
void print_fibers(const std::shared_ptr<const Workload>& workload, World& world) {
  std::vector<std::string> lines;
  try {
    lines = fibers_of(workload, world);
  } catch (const Error& error) {
    world.log().debug("which kernels run as fibers on the cpu is not known: " + error.message());
    return;
  }
  for (const std::string& line : lines)
    world.out() << "On the cpu runs as fibers, which is slow: " << line << "\n";
}

void print_workload(const std::shared_ptr<const Workload>& shared, World& world) {
  const Workload& workload = *shared;
  const TextStyle style = world.style();
  std::ostream& out = world.out();
  out << paint(workload.name, Tone::kStrong, style) << ": " << workload.summary << "\n"
      << workload.file << "\n\n";
  if (!workload.description.empty()) out << trim(workload.description) << "\n\n";
  out << render_terminal(parameter_table(workload), style) << "\n";
  out << "Every workload also has the switches fast_math (default false), launch_bounds (default true),\n"
         "lineinfo and graph (default false).\n";
  if (!workload.constraints.empty()) {
    out << "Constraints: "
        << names_of(workload.constraints, [](const ExpressionText& text) { return text.text; }) << "\n";
  }
  out << "One step launches: " << launches_text(workload.run) << "\n";
  if (!workload.checks.empty()) {
    out << "Checks: " << names_of(workload.checks, [](const CheckSpec& check) { return check.name; }) << "\n";
  }
  print_fibers(shared, world);
  if (!workload.metrics.empty()) out << "\n" << render_terminal(metric_table(workload), style);
}

/// A file that cannot be read stands in the list with its problem: the others are not hidden by it.
TableCell summary_cell(const WorkloadLibrary& library, const std::string& name) {
  try {
    return {library.load(name, {})->summary};
  } catch (const Error& error) {
    return {error.what(), Tone::kBad};
  }
}

void print_list(World& world) {
  const WorkloadLibrary& library = world.engine().library();
  TextTable table{{{"workload"}, {"what it computes"}}, {}};
  for (const std::string& name : library.names()) {
    table.rows.push_back({{name, Tone::kStrong}, summary_cell(library, name)});
  }
  if (table.rows.empty()) {
    throw bad_input("no workload in " + join(world.settings().values.workload_path, ", ") +
                    "; set KILN_WORKLOAD_PATH to the folder that holds them");
  }
  world.out() << render_terminal(table, world.style());
  if (!world.quiet())
    world.out() << "\nMore of one: kiln workloads " << table.rows.front().front().text << "\n";
}

int run(World& world, const WorkloadsArguments& arguments) {
  if (arguments.names_only) {
    for (const std::string& name : world.engine().library().names()) world.out() << name << "\n";
  } else if (arguments.name.empty()) {
    print_list(world);
  } else {
    print_workload(world.engine().library().load(arguments.name, {}), world);
  }
  return kExitDone;
}

}  // namespace

Subcommand add_workloads_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "workloads", "List the workloads, or show what one computes, its parameters and its metrics");
  const auto arguments = std::make_shared<WorkloadsArguments>();
  command->add_option("NAME", arguments->name, "A workload's name, folder or file")->type_name("");
  command->add_flag("--names", arguments->names_only, "Names only, one a line");
  command->footer(
      examples({"kiln workloads", "kiln workloads stencil7", "kiln workloads path/to/my_workload.yaml"}));
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
