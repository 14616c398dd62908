#include "workload/tune_spec.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "device/backend_kind.h"
#include "workload/field_reader.h"
#include "workload/workload.h"

namespace kiln {
namespace {

constexpr const char* kOtherwise = "otherwise";

/// A list, or lists by back end; `[]`: not varied.
std::map<std::string, std::vector<RawValue>> read_lists(const YamlNode& node) {
  const auto read = [](const YamlNode& list) {
    std::vector<RawValue> values;
    for (const YamlNode& item : list.items()) values.push_back(raw_value(item));
    return values;
  };
  if (!node.is_map()) return {{kOtherwise, read(node)}};
  std::vector<std::string> known = backend_names();
  known.emplace_back(kOtherwise);
  node.require_keys(known);
  static_cast<void>(node.at(kOtherwise));
  std::map<std::string, std::vector<RawValue>> lists;
  for (const auto& [backend, list] : node.entries()) lists[backend] = read(list);
  return lists;
}

std::vector<std::string> parameter_names(const Workload& workload) {
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : workload.parameters) names.push_back(parameter.name);
  return names;
}

/// Parameters that expressions depend on, also through `let`.
class NamesBehind {
 public:
  explicit NamesBehind(const Workload& workload) : workload_(workload) {}
  void add(const std::vector<ExpressionText>& texts) {
    for (const ExpressionText& text : texts) add(text);
  }
  [[nodiscard]] bool contains(const std::string& name) const { return seen_.contains(name); }

 private:
  void add(const ExpressionText& text) {
    for (const std::string& name : workload_.names_in(text)) {
      if (!seen_.insert(name).second) continue;
      if (const ExpressionText* let = workload_.find_let(name)) add(*let);
    }
  }

  const Workload& workload_;
  std::set<std::string> seen_;
};

bool is_whole_number(const ParameterSpec& parameter) {
  const auto type = parse_scalar_type(parameter.scalar_type);
  return parameter.kind == ParameterKind::kScalar && type && !is_real(*type) && *type != ScalarType::kBool;
}

}  // namespace

TuneSpec read_tune(const YamlNode& node) {
  node.require_keys({"sizes_by", "values", "constraints"});
  TuneSpec tune;
  if (const auto sizes = node.find("sizes_by")) {
    for (const YamlNode& item : sizes->items_or_self()) tune.sizes_by.push_back(item.text());
  }
  if (const auto values = node.find("values")) {
    for (const auto& [name, lists] : values->entries()) tune.values.emplace_back(name, read_lists(lists));
  }
  if (const auto constraints = node.find("constraints")) tune.constraints = read_expressions(*constraints);
  return tune;
}

void check_tune(const Workload& workload, const YamlNode& node) {
  const std::vector<std::string> parameters = parameter_names(workload);
  std::vector<std::string> known = parameters;
  for (const std::string& name : parameters) known.push_back("bind." + name);
  known.insert(known.end(), {"launch_bounds", "graph"});
  const auto require = [&](const std::string& name, const std::vector<std::string>& names,
                           const SourceLocation& where) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    throw bad_input("workload " + in_quotes(workload.name) + " has no parameter " + in_quotes(name) +
                        suggestion(name, names),
                    where);
  };
  if (const auto sizes = node.find("sizes_by")) {
    for (const YamlNode& item : sizes->items_or_self()) {
      require(item.text(), parameters, item.where());
      if (!is_whole_number(*workload.find_parameter(item.text())))
        throw item.error(in_quotes(item.text()) +
                         " is not an integer parameter; expected a parameter that defines a size");
    }
  }
  if (const auto values = node.find("values")) {
    for (const auto& [name, lists] : values->entries()) require(name, known, values->key_location(name));
  }
}

ValueLists tuned_values(const Workload& workload, const std::string& backend) {
  ValueLists tuned;
  for (const auto& [name, lists] : workload.tune.values) {
    const auto own = lists.find(backend);
    const auto& list = own != lists.end() ? own->second : lists.at(kOtherwise);
    if (!list.empty()) tuned.emplace_back(name, list);
  }
  if (!workload.tune.values.empty()) return tuned;
  for (const ParameterSpec& parameter : workload.parameters) {
    const bool knob = parameter.kind == ParameterKind::kScalar || parameter.kind == ParameterKind::kChoice;
    if (!knob || parameter.values.empty() || parameter.name == "implementation") continue;
    std::vector<RawValue> values;
    for (const ExpressionText& text : parameter.values) values.push_back({text.text, false, text.where});
    tuned.emplace_back(parameter.name, std::move(values));
  }
  return tuned;
}

std::vector<std::string> size_parameters(const Workload& workload) {
  NamesBehind sizes(workload), blocks(workload);
  for (const BufferSpec& buffer : workload.buffers) sizes.add(buffer.shape);
  for (const KernelSpec& kernel : workload.kernels) {
    sizes.add(kernel.grid);
    blocks.add(kernel.block);
  }
  std::vector<std::string> names;
  for (const ParameterSpec& parameter : workload.parameters) {
    const auto& by = workload.tune.sizes_by;
    const bool said = std::find(by.begin(), by.end(), parameter.name) != by.end();
    const bool found = is_whole_number(parameter) && parameter.values.empty() &&
                       sizes.contains(parameter.name) && !blocks.contains(parameter.name);
    if (by.empty() ? found : said) names.push_back(parameter.name);
  }
  return names;
}

}  // namespace kiln
