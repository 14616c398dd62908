#include "workload/device_table.h"

#include <algorithm>

#include "base/text.h"
#include "device/backend_kind.h"
#include "kiln/error.h"
#include "workload/device_words.h"
#include "workload/field_reader.h"

namespace kiln {
namespace {

constexpr const char* kEnding = ".devices.yaml";

ParameterSpec& parameter_of(Workload& workload, const std::string& name, const SourceLocation& where) {
  auto& parameters = workload.parameters;
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const ParameterSpec& parameter) { return parameter.name == name; });
  if (found == parameters.end()) {
    std::vector<std::string> names;
    for (const ParameterSpec& parameter : parameters) names.push_back(parameter.name);
    throw bad_input("workload " + in_quotes(workload.name) + " has no parameter " + in_quotes(name) +
                        suggestion(name, names),
                    where);
  }
  if (found->kind != ParameterKind::kScalar && found->kind != ParameterKind::kChoice) {
    throw bad_input(in_quotes(name) + " is a type or a path; expected a number or a choice", where);
  }
  return *found;
}

ExpressionText read_condition(const YamlNode& node, const Workload& workload) {
  ExpressionText when = read_expression(node);
  for (const std::string& name : workload.names_in(when)) {
    if (is_device_word(name)) continue;
    throw bad_input(when.key + ": " + in_quotes(name) + " does not stand for the device" +
                        suggestion(name, device_words()),
                    when.where);
  }
  return when;
}

void add_device(const YamlNode& node, Workload& workload) {
  node.require_keys({"name", "backend", "when", "defaults"});
  static_cast<void>(node.at("name").text());  // for people
  const std::string backend = read_one_of(node.at("backend"), backend_names());
  const ExpressionText when = read_condition(node.at("when"), workload);
  const YamlNode defaults = node.at("defaults");
  for (const auto& [name, value] : defaults.entries()) {
    ParameterSpec& parameter = parameter_of(workload, name, defaults.key_location(name));
    parameter.device_defaults.push_back({backend, when, read_expression(value)});
  }
}

}  // namespace

std::filesystem::path device_table_of(const std::filesystem::path& workload) {
  return std::filesystem::path(workload).replace_extension(kEnding);
}

std::filesystem::path workload_of_device_table(const std::filesystem::path& table) {
  const std::string name = table.string();
  if (!name.ends_with(kEnding)) return {};
  return name.substr(0, name.size() - std::string_view(kEnding).size()) + ".yaml";
}

void add_device_table(const YamlNode& table, Workload& workload) {
  table.require_keys({"devices"});
  for (const YamlNode& device : table.at("devices").items()) add_device(device, workload);
}

}  // namespace kiln
