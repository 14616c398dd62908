#include "tune/variant_identity.h"

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "cache/make_cache_key.h"
#include "config/yaml_node.h"
#include "launch/argument_values.h"
#include "specialize/params_struct.h"
#include "trial/needs.h"

namespace kiln {
namespace {

/// Keys of a workload file whose names say nothing of what the host does: they are in cache keys and launch
/// shapes, or decide nothing.
bool is_passed_over(const std::string& path) {
  constexpr std::array kSections = {"parameters", "let",         "constraints", "tune",
                                    "summary",    "description", "workload"};
  constexpr std::array kOfKernels = {"source", "entry",         "grid",          "block",   "cluster",
                                     "shared", "launch_bounds", "template_args", "defines", "options"};
  const auto is_one = [](const auto& names, const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
  };
  if (is_one(kSections, path)) return true;
  return path.starts_with("kernels.") && is_one(kOfKernels, path.substr(path.rfind('.') + 1));
}

/// Identifiers in all texts below `node`; `path` leads there from the workload.
void add_identifiers(const YamlNode& node, const std::string& path, std::set<std::string>& names) {
  if (is_passed_over(path)) return;
  if (node.is_map()) {
    for (const auto& [key, value] : node.entries())
      add_identifiers(value, path.empty() ? key : path + "." + key, names);
  } else if (node.is_sequence()) {
    for (const YamlNode& item : node.items()) add_identifiers(item, path, names);
  } else if (node.is_scalar()) {
    names.merge(identifiers_in(node.text()));
  }
}

}  // namespace

VariantIdentity::VariantIdentity(const Workload& workload) {
  const YamlNode root = YamlNode::parse(workload.text, workload.file);
  const auto in_place = root.find("workload");  // of a job that holds its workload
  add_identifiers(in_place && in_place->is_map() ? *in_place : root, "", used_by_host_);
  for (std::size_t before = 0; before != used_by_host_.size();) {
    before = used_by_host_.size();
    for (const auto& [name, value] : workload.lets) {
      if (!used_by_host_.contains(name)) continue;
      for (std::string& behind : workload.names_in(value)) used_by_host_.insert(std::move(behind));
    }
  }
}

std::string VariantIdentity::of(const Variant& variant, const JobContext& context) const {
  const Configuration& configuration = variant.configuration;
  const Target target = context.devices.open(variant.device)->info().target;
  Compiler& compiler = context.compiler_for(target.backend);
  const TrialNeeds needs(configuration);
  FieldHasher hasher;
  for (const Unit& unit : needs.units(target, context.files)) {
    hasher.field("code", make_cache_key(unit.specialization, compiler).digest);
    for (const ParamsField& field : unit.params.fields)
      hasher.field("value:" + field.name, configuration.value(field.name).to_string());
  }
  for (const NeededLaunch& needed : needs.launches()) {
    hasher.field("launch", needed.kernel->name);
    if (shape_changes(needed.configuration->workload(), *needed.kernel)) {
      for (const auto& [name, value] : needed.configuration->values())
        hasher.field("value:" + name, value.to_string());
      continue;
    }
    const LaunchShape shape = shape_of(*needed.configuration, *needed.kernel);
    for (const Dim3& extent : {shape.grid, shape.block, shape.cluster}) {
      for (const std::uint64_t one : {extent.x, extent.y, extent.z})
        hasher.field("extent", static_cast<std::int64_t>(one));
    }
    hasher.field("shared", static_cast<std::int64_t>(shape.dynamic_shared_bytes));
  }
  for (const auto& [name, value] : configuration.values()) {
    if (used_by_host_.contains(name)) hasher.field("value:" + name, value.to_string());
  }
  hasher.field("graph", configuration.graph() ? 1 : 0);
  return hasher.hex();
}

}  // namespace kiln
