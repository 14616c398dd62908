#include "report/problem_split.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "config/scalar_type.h"

namespace kiln {
namespace {

constexpr const char* kBind = "bind.";
constexpr const char* kBindAll = "bind.all";

/// The settings in which two records of a workload can differ, as name and text: parameters, bindings,
/// switches.
ProblemSplit::Values settings_of(const Record& record) {
  ProblemSplit::Values settings;
  for (const BoundParameter& parameter : record.parameters)
    settings.emplace_back(parameter.name, parameter.value);
  for (const BoundParameter& parameter : record.parameters)
    settings.emplace_back(kBind + parameter.name, parameter.compile_time ? "compile" : "run");
  settings.emplace_back("fast_math", record.fast_math ? "true" : "false");
  settings.emplace_back("launch_bounds", record.launch_bounds ? "true" : "false");
  settings.emplace_back("graph", record.graph ? "true" : "false");
  return settings;
}

/// "ppwi" for "ppwi=4"; empty for a word without "=".
std::string key_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == std::string::npos ? std::string() : word.substr(0, equals);
}

/// The keys of a label, in its order.
std::vector<std::string> keys_of(const Record& record) {
  std::vector<std::string> keys;
  for (const std::string& word : split(record.label, ' ')) {
    if (std::string key = key_of(word); !key.empty()) keys.push_back(std::move(key));
  }
  return keys;
}

bool is_type(const BoundParameter& parameter) {
  return parameter.quoted && parse_scalar_type(parameter.value).has_value();
}

/// For each setting its values, in groups: `group` returns the group of a record.
template <class Group>
std::map<std::string, std::map<std::string, std::set<std::string>>> values_by(
    const std::vector<const Record*>& records, Group group) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> values;
  for (const Record* record : records) {
    for (const auto& [key, value] : settings_of(*record)) values[key][group(*record)].insert(value);
  }
  return values;
}

bool one_value_in_each(const std::map<std::string, std::set<std::string>>& groups) {
  return std::all_of(groups.begin(), groups.end(),
                     [](const auto& group) { return group.second.size() == 1; });
}

bool same_in_all(const std::map<std::string, std::set<std::string>>& groups) {
  return std::all_of(groups.begin(), groups.end(),
                     [&](const auto& group) { return group.second == groups.begin()->second; });
}

/// Sorts the words: the workload's parameters in their order, then bindings, then switches.
void put_in_order(std::vector<std::string>& words, const Record& record) {
  std::map<std::string, std::size_t> places;
  for (const auto& [key, value] : settings_of(record)) {
    places.emplace(key, places.size() + 1);
    if (key.starts_with(kBind)) places.emplace(kBindAll, places.size());
  }
  std::stable_sort(words.begin(), words.end(), [&](const std::string& left, const std::string& right) {
    return places[key_of(left)] < places[key_of(right)];
  });
}

}  // namespace

ProblemSplit::ProblemSplit(const std::vector<const Record*>& records,
                           const std::vector<std::string>& chosen) {
  std::set<std::string> swept;
  std::set<std::vector<std::string>> orders;
  for (const Record* record : records) {
    std::vector<std::string> keys = keys_of(*record);
    swept.insert(keys.begin(), keys.end());
    orders.insert(std::move(keys));
  }
  several_orders_ = orders.size() > 1;
  const auto by_backend =
      values_by(records, [](const Record& record) { return record.device.target.backend; });
  const auto by_device = values_by(records, [](const Record& record) { return record.device.name; });
  const auto run_of = [](const Record& record) { return record.run_id + " " + record.device.id; };
  const auto by_run = values_by(records, run_of);
  const auto by_point =
      values_by(records, [&](const Record& record) { return run_of(record) + " " + record.label; });
  for (const Record* record : records) {
    for (const BoundParameter& parameter : record->parameters) {
      const std::string& name = parameter.name;
      const auto& groups = by_backend.at(name);
      if (is_type(parameter) || std::find(chosen.begin(), chosen.end(), name) != chosen.end()) {
        problem_.insert(name);
      } else if (chosen.empty() && !swept.contains(name)) {
        const bool computed = !one_value_in_each(by_run.at(name)) && one_value_in_each(by_point.at(name));
        const bool defaults = one_value_in_each(groups) && !same_in_all(groups);
        (computed ? computed_ : defaults ? by_backend_ : problem_).insert(name);
      }
      if (is_type(parameter)) told_.insert(name);
    }
  }
  for (const auto& [key, devices] : by_device) {
    const bool varies = !one_value_in_each(devices);
    if (varies || !same_in_all(devices)) told_.insert(key);
    if (varies && !problem_.contains(key) && !computed_.contains(key)) varying_.insert(key);
  }
}

ProblemSplit::Values ProblemSplit::problem(const Record& record) const {
  Values values;
  for (const BoundParameter& parameter : record.parameters) {
    if (problem_.contains(parameter.name)) values.emplace_back(parameter.name, parameter.value);
  }
  return values;
}

std::string ProblemSplit::problem_text(const Record& record) const {
  std::vector<std::string> words;
  for (const auto& [name, value] : problem(record)) {
    if (told_.contains(name)) words.push_back(assignment(name, value));
  }
  return join(words, " ");
}

std::string ProblemSplit::variant(const Record& record) const {
  std::vector<std::string> words;
  const std::vector<std::string> keys = keys_of(record);
  const std::set<std::string> named(keys.begin(), keys.end());
  for (const std::string& word : split(record.label, ' ')) {
    if (!word.empty() && !problem_.contains(key_of(word))) words.push_back(word);
  }
  // Another job may have varied a setting that this label does not name.
  ProblemSplit::Values bindings;
  for (const auto& [key, value] : settings_of(record)) {
    if (!varying_.contains(key) || named.contains(key)) continue;
    if (!key.starts_with(kBind))
      words.push_back(assignment(key, value));
    else if (!named.contains(kBindAll))
      bindings.emplace_back(key, value);
  }
  const bool alike = std::all_of(bindings.begin(), bindings.end(), [&](const auto& binding) {
    return binding.second == bindings.front().second;
  });
  if (bindings.size() > 1 && alike) bindings = {{kBindAll, bindings.front().second}};
  for (const auto& [key, value] : bindings) words.push_back(assignment(key, value));
  if (several_orders_) put_in_order(words, record);
  return words.empty() ? record.workload : join(words, " ");
}

}  // namespace kiln
