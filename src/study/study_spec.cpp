#include "study/study_spec.h"

#include <algorithm>
#include <filesystem>

#include "base/input_file.h"
#include "base/text.h"
#include "device/backend_kind.h"

namespace kiln {
namespace {

/// Each is a separate case; equal values in different spellings are found when they are evaluated.
std::vector<RawValue> different_values(const YamlNode& node) {
  std::vector<RawValue> values = raw_values(node);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (values[j].text == values[i].text) throw node.items()[i].error(values[i].text + " is there already");
    }
  }
  return values;
}

template <class Read>
auto per_backend(const YamlNode& node, Read read) {
  PerBackend<decltype(read(node))> result;
  if (!node.is_map()) {
    result.values.emplace("otherwise", read(node));
    return result;
  }
  std::vector<std::string> known = backend_names();
  known.emplace_back("otherwise");
  node.require_keys(known);
  for (const auto& [backend, value] : node.entries()) result.values.emplace(backend, read(value));
  if (!result.values.contains("otherwise"))
    throw node.error("expected a value `otherwise`, for the back ends that are not named");
  return result;
}

/// Names that a study varies itself cannot be set.
void require_settable(const std::string& name, const SourceLocation& where) {
  const std::string own = name.starts_with("bind.") ? "constants" : name;
  if (own != name || name == "fast_math" || name == "launch_bounds") {
    throw bad_input(
        "'" + name + "' is what a study varies; say which in `" + own + "` at the top of the study", where);
  }
}

void read_set(const YamlNode& node, StudySpec& study) {
  for (const auto& [name, value] : node.entries()) {
    require_settable(name, node.key_location(name));
    study.set.emplace_back(name, per_backend(value, raw_value));
  }
}

void read_instantiate(const YamlNode& node, StudySpec& study) {
  for (const auto& [name, value] : node.entries()) {
    require_settable(name, node.key_location(name));
    study.instantiate.emplace_back(name, per_backend(value, different_values));
  }
}

std::vector<bool> read_switch(const YamlNode& node) {
  std::vector<bool> values;
  for (const YamlNode& item : node.items_or_self()) {
    const bool value = item.boolean();
    if (std::find(values.begin(), values.end(), value) != values.end())
      throw item.error(item.text() + " is there already");
    values.push_back(value);
  }
  if (values.empty()) throw node.error("expected true, false or both; found an empty list");
  return values;
}

std::size_t read_count(const YamlNode& node, const CountRange& range) {
  const std::int64_t value = node.integer();
  if (!range.holds(value)) throw node.error(range.refusal(value));
  return static_cast<std::size_t>(value);
}

void read_measure(const YamlNode& node, StudySpec& study) {
  node.require_keys({"rounds", "samples", "compiles", "cache"});
  if (const auto value = node.find("rounds")) study.rounds = read_count(*value, kRounds);
  if (const auto value = node.find("samples")) study.samples = read_count(*value, kSamples);
  if (const auto value = node.find("compiles")) study.compiles = read_count(*value, kCompiles);
  if (const auto value = node.find("cache")) study.cold = read_cold(*value);
}

/// Keys of one workload. A section of `workloads` replaces the values at the top of the file.
const std::vector<std::string> kSectionKeys = {"set",           "constants", "instantiate",  "fast_math",
                                               "launch_bounds", "factorial", "leave_one_out"};

void read_section(const YamlNode& node, StudySpec& study) {
  if (const auto set = node.find("set")) read_set(*set, study);
  if (const auto names = node.find("constants")) study.constants = raw_values(*names);
  if (const auto instances = node.find("instantiate")) read_instantiate(*instances, study);
  if (const auto values = node.find("fast_math")) study.fast_math = per_backend(*values, read_switch);
  if (const auto values = node.find("launch_bounds")) study.launch_bounds = per_backend(*values, read_switch);
  if (const auto value = node.find("factorial")) study.factorial = value->boolean();
  if (const auto value = node.find("leave_one_out")) study.leave_one_out = value->boolean();
}

/// Reads the keys that all workloads of a file share.
void read_common(const YamlNode& root, StudySpec& study) {
  if (const auto node = root.find("device")) study.devices = read_devices(*node);
  if (const auto node = root.find("measure")) read_measure(*node, study);
  if (const auto node = root.find("order_seed")) {
    if (node->integer() < 0) throw node->error("expected 0 or more; found " + node->text());
    study.seed = static_cast<std::uint64_t>(node->integer());
  }
  if (const auto node = root.find("output")) study.output = node->text();
  if (const auto node = root.find("isolation")) study.isolation = read_isolation(*node);
  if (const auto node = root.find("require_checks")) study.require_checks = node->boolean();
}

void read_workload(const YamlNode& node, StudySpec& study) {
  study.workload = node.text();
  study.workload_where = node.where();
  study.section = std::filesystem::path(study.workload).stem().string();
}

/// An item of `workloads`: a name, or a map.
void read_listed(const YamlNode& item, StudySpec& study) {
  if (!item.is_map()) {
    read_workload(item, study);
    return;
  }
  std::vector<std::string> keys = {"workload", "name"};
  keys.insert(keys.end(), kSectionKeys.begin(), kSectionKeys.end());
  item.require_keys(keys);
  read_workload(item.at("workload"), study);
  if (item.find("set")) study.set.clear();
  if (item.find("instantiate")) study.instantiate.clear();
  read_section(item, study);
  if (const auto name = item.find("name")) study.section = name->text();
  if (study.section.empty()) throw item.error("expected a `name` of at least one letter");
}

}  // namespace

std::string CountRange::refusal(std::int64_t found) const {
  return "expected " + std::to_string(least) + " to " + std::to_string(most) + "; found " +
         std::to_string(found);
}

bool looks_like_study(const YamlNode& root) {
  if (!root.is_map()) return false;
  const auto has_any = [](const YamlNode& node, const std::vector<std::string>& keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const auto& key) { return node.find(key).has_value(); });
  };
  if (has_any(root, {"workloads", "constants", "instantiate", "fast_math", "launch_bounds", "factorial",
                     "leave_one_out", "order_seed"}))
    return true;
  const auto measure = root.find("measure");
  return measure && measure->is_map() && has_any(*measure, {"rounds", "samples", "compiles"});
}

std::vector<StudySpec> parse_study(const std::string& text, const std::string& name) {
  const YamlNode root = YamlNode::parse(text, name);
  std::vector<std::string> keys = {"workload",   "workloads", "device",    "measure",
                                   "order_seed", "output",    "isolation", "require_checks"};
  keys.insert(keys.end(), kSectionKeys.begin(), kSectionKeys.end());
  root.require_keys(keys);
  StudySpec common;
  common.file = name;
  common.text = text;
  read_common(root, common);
  read_section(root, common);
  const auto workloads = root.find("workloads");
  if (!workloads) {
    read_workload(root.at("workload"), common);
    return {common};
  }
  if (const auto one = root.find("workload"))
    throw one->error("expected either `workload` or `workloads`, not both");
  std::vector<StudySpec> sections;
  for (const YamlNode& item : workloads->items()) {
    StudySpec section = common;
    read_listed(item, section);
    const auto same = [&](const StudySpec& other) { return other.section == section.section; };
    if (std::any_of(sections.begin(), sections.end(), same)) {
      throw item.error("there is a '" + section.section +
                       "' already; give one of them another name with `name`");
    }
    sections.push_back(std::move(section));
  }
  if (sections.empty()) throw workloads->error("expected at least one workload; found an empty list");
  return sections;
}

std::vector<StudySpec> load_study(FileSystem& files, const std::string& path) {
  return parse_study(read_input(files, path, kJobInput), path);
}

void apply_set(StudySpec& study, const std::string& assignment) {
  const auto [name, value] = split_assignment("--set", assignment);
  const SourceLocation where{"--set " + name, 0, 0};
  require_settable(name, where);
  std::erase_if(study.set, [&name = name](const auto& entry) { return entry.first == name; });
  study.set.push_back({name, {{{"otherwise", RawValue{value, false, where}}}}});
}

}  // namespace kiln
