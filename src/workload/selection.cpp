#include "workload/selection.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/text.h"
#include "config/expression.h"

namespace kiln {
namespace {

using Launches = std::vector<const LaunchSpec*>;
using Condition = std::function<bool(const ExpressionText&)>;

constexpr std::size_t kMaxChecked = 1024;
constexpr const char* kTimeSuffix = ".time";

using Visit = std::function<void(const StatementSpec&)>;

void visit_selected(const ProgramSpec& program, const Condition& holds, const Visit& visit);

/// Calls `visit` for the statement if it may run, and then for the statements of its bodies.
void visit_selected(const StatementSpec& statement, const Condition& holds, const Visit& visit) {
  if (statement.when && !holds(*statement.when)) return;
  visit(statement);
  if (const auto* repeat = std::get_if<RepeatSpec>(&statement.action))
    visit_selected(repeat->body, holds, visit);
  if (const auto* parallel = std::get_if<ParallelSpec>(&statement.action)) {
    for (const ProgramSpec& branch : parallel->branches) visit_selected(branch, holds, visit);
  }
}

void visit_selected(const ProgramSpec& program, const Condition& holds, const Visit& visit) {
  for (const StatementSpec& statement : program) visit_selected(statement, holds, visit);
}

void select(const ProgramSpec& program, const Condition& holds, Launches& result) {
  visit_selected(program, holds, [&](const StatementSpec& statement) {
    if (const auto* launch = std::get_if<LaunchSpec>(&statement.action)) result.push_back(launch);
  });
}

/// The result of `holds`, or true if the program decides while it runs.
Condition unless_variable(const Workload& workload, Condition holds) {
  return [&workload, holds = std::move(holds)](const ExpressionText& when) {
    return workload.changes(when) || holds(when);
  };
}

/// Names that the conditions of `run` use and no program variable decides, without repetition.
std::set<std::string> names_in_conditions(const Workload& workload) {
  std::set<std::string> names;
  for_each_statement(workload.run, [&](const StatementSpec& statement) {
    if (!statement.when || workload.changes(*statement.when)) return;
    for (const std::string& name : workload.names_in(*statement.when)) names.insert(name);
  });
  return names;
}

void check_names(const Launches& launches, const std::string& values) {
  std::map<std::string, std::string> kernels;
  for (const LaunchSpec* launch : launches) {
    const auto [known, added] = kernels.emplace(launch->timing, launch->kernel);
    if (added || known->second == launch->kernel) continue;
    throw bad_input("run: the kernels '" + known->second + "' and '" + launch->kernel +
                        "' are both launched as '" + launch->timing + "'" + values +
                        "; give one of them another name with `as`",
                    launch->where);
  }
}

void check_metrics(const Workload& workload, const Launches& launches, const std::string& values) {
  std::vector<std::string> timings;
  for (const LaunchSpec* launch : launches) timings.push_back(launch->timing);
  for (const MetricSpec& metric : workload.metrics) {
    const ExpressionText& text = metric.value;
    for (const std::string& name : workload.names_in(text)) {
      if (!name.ends_with(kTimeSuffix)) continue;
      const std::string timing = name.substr(0, name.size() - std::string(kTimeSuffix).size());
      if (std::find(timings.begin(), timings.end(), timing) != timings.end()) continue;
      std::string message = text.key + ": '" + name + "' is the time of a launch that is not run";
      message += values + "; what is run is " + join(timings, ", ");
      throw bad_input(message, text.where);
    }
  }
}

Launches checked_run(const Workload& workload, const Condition& holds, const std::string& values) {
  Launches launches;
  const Condition selected = unless_variable(workload, holds);
  select(workload.run, selected, launches);
  bool calls_library = false;
  visit_selected(workload.run, selected, [&](const StatementSpec& statement) {
    calls_library = calls_library || std::holds_alternative<LibrarySpec>(statement.action);
  });
  if (launches.empty() && !calls_library) {
    const std::string text = values.empty() ? " in this configuration" : values;
    throw bad_input("run: no launch is active" + text, workload.run.front().where);
  }
  check_names(launches, values);
  check_metrics(workload, launches, values);
  return launches;
}

std::string where_text(const std::vector<std::string>& values) {
  return values.empty() ? "" : " where " + join(values, ", ");
}

/// Adds the buffers whose addresses others of the list hold.
void add_pointees(const Workload& workload, NamedBuffers& buffers) {
  std::set<std::string> known;
  for (const auto& [name, where] : buffers) known.insert(name);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const BufferSpec& memory = workload.memory_of(*workload.find_buffer(buffers[i].first));
    for (const ExpressionText& pointee : memory.init.pointees()) {
      if (known.insert(pointee.text).second) buffers.emplace_back(pointee.text, pointee.where);
    }
  }
}

}  // namespace

bool is_selected(const Configuration& configuration, const StatementSpec& statement) {
  return !statement.when || configuration.workload().changes(*statement.when) ||
         configuration.evaluate_condition(*statement.when);
}

NamedBuffers buffers_of(const StatementSpec& statement) {
  NamedBuffers buffers;
  const auto add = [&](const std::string& name) { buffers.emplace_back(name, statement.where); };
  const auto add_read = [&](const std::vector<ReadItem>& items) {
    for (const ReadItem& item : items) add(item.buffer);
  };
  if (const auto* launch = std::get_if<LaunchSpec>(&statement.action)) {
    for (const ArgumentSpec& argument : launch->configured->args) {
      if (argument.names_buffer()) buffers.emplace_back(argument.name, argument.where);
    }
    for (const auto* symbols : {&launch->configured->symbols, &launch->configured->read_symbols})
      for (const auto& [symbol, buffer] : *symbols) buffers.emplace_back(buffer, launch->configured->where);
  }
  if (const auto* swap = std::get_if<SwapSpec>(&statement.action)) {
    add(swap->first);
    add(swap->second);
  }
  if (const auto* copy = std::get_if<CopySpec>(&statement.action)) {
    add(copy->from);
    add(copy->to);
  }
  if (const auto* fill = std::get_if<FillSpec>(&statement.action)) add(fill->buffer);
  if (const auto* library = std::get_if<LibrarySpec>(&statement.action)) {
    for (const LibraryArgument& argument : library->args) {
      if (argument.buffer) add(argument.value.text);
    }
  }
  if (const auto* read = std::get_if<ReadSpec>(&statement.action)) add_read(read->items);
  if (const auto* repeat = std::get_if<RepeatSpec>(&statement.action)) add_read(repeat->read);
  return buffers;
}

Launches selected_launches(const Configuration& configuration, const ProgramSpec& program) {
  Launches launches;
  select(program,
         unless_variable(configuration.workload(),
                         [&](const ExpressionText& when) { return configuration.evaluate_condition(when); }),
         launches);
  return launches;
}

NamedBuffers buffers_taken(const Configuration& configuration, const StatementSpec& statement) {
  NamedBuffers taken;
  const auto holds = [&](const ExpressionText& when) { return configuration.evaluate_condition(when); };
  visit_selected(statement, unless_variable(configuration.workload(), holds), [&](const StatementSpec& part) {
    for (auto& buffer : buffers_of(part)) taken.push_back(std::move(buffer));
  });
  add_pointees(configuration.workload(), taken);
  return taken;
}

NamedBuffers buffers_taken(const Configuration& configuration, const ProgramSpec& program) {
  NamedBuffers taken;
  for (const StatementSpec& statement : program) {
    for (auto& buffer : buffers_taken(configuration, statement)) taken.push_back(std::move(buffer));
  }
  return taken;
}

Launches selected_run(const Configuration& configuration) {
  const Workload& workload = configuration.workload();
  std::vector<std::string> values;
  for (const std::string& name : names_in_conditions(workload)) {
    if (workload.find_parameter(name)) values.push_back(name + " = " + configuration.value(name).to_string());
  }
  return checked_run(
      workload, [&](const ExpressionText& when) { return configuration.evaluate_condition(when); },
      where_text(values));
}

void check_every_selection(const Workload& workload) {
  Variables variables;
  double id = -1;
  for (const ParameterSpec& parameter : workload.parameters) {
    if (parameter.kind != ParameterKind::kChoice) continue;
    for (const ExpressionText& word : parameter.values) {
      if (variables.emplace(word.text, id).second) --id;
    }
  }
  std::vector<const ParameterSpec*> choices;
  std::size_t combinations = 1;
  for (const std::string& name : names_in_conditions(workload)) {
    const ParameterSpec* parameter = workload.find_parameter(name);
    if (parameter == nullptr && variables.contains(name)) continue;
    if (parameter == nullptr || parameter->kind != ParameterKind::kChoice) return;
    choices.push_back(parameter);
    combinations *= parameter->values.size();
    if (combinations > kMaxChecked) return;
  }
  const auto holds = [&](const ExpressionText& when) {
    return workload.expressions->evaluate(when.text, {}, variables, when.where, when.key) != 0;
  };
  for (std::size_t index = 0; index < combinations; ++index) {
    std::vector<std::string> values;
    std::size_t rest = index;
    for (const ParameterSpec* choice : choices) {
      const std::string& word = choice->values[rest % choice->values.size()].text;
      rest /= choice->values.size();
      variables[choice->name] = variables.at(word);
      values.push_back(choice->name + " = " + word);
    }
    static_cast<void>(checked_run(workload, holds, where_text(values)));
  }
}

}  // namespace kiln
