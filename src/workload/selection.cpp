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

Launches select(const std::vector<LaunchSpec>& launches, const Condition& holds) {
  Launches result;
  for (const LaunchSpec& launch : launches) {
    if (!launch.when || holds(*launch.when)) result.push_back(&launch);
  }
  return result;
}

/// Names that the conditions of `run` use, without repetition.
std::set<std::string> names_in_conditions(const Workload& workload) {
  std::set<std::string> names;
  for (const LaunchSpec& launch : workload.run) {
    if (!launch.when) continue;
    for (const std::string& name : workload.names_in(*launch.when)) {
      names.insert(name);
    }
  }
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
  Launches launches = select(workload.run, holds);
  if (launches.empty()) {
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

}  // namespace

Launches selected_launches(const Configuration& configuration, const std::vector<LaunchSpec>& launches) {
  return select(launches, [&](const ExpressionText& when) { return configuration.evaluate_condition(when); });
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
    return evaluate_expression(when.text, variables, when.where, when.key) != 0;
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
