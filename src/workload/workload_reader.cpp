#include <filesystem>

#include "base/input_file.h"
#include "device/backend_kind.h"
#include "workload/buffer_reader.h"
#include "workload/field_reader.h"
#include "workload/kernel_reader.h"
#include "workload/parameter_reader.h"
#include "workload/program_reader.h"
#include "workload/workload.h"
#include "workload/workload_check.h"

namespace kiln {
namespace {

CheckSpec read_check(const YamlNode& node) {
  node.require_keys({"name", "buffer", "variable", "expected", "file", "reference", "region", "reduce",
                     "rtol", "atol", "skip_below", "when"});
  CheckSpec check;
  check.where = node.where();
  read_optional(node, "variable", check.variable, read_name);
  if (check.variable.empty()) check.buffer = node.at("buffer").text();
  check.name = check.variable.empty() ? check.buffer : check.variable;
  read_optional(node, "name", check.name, read_text);
  if (const auto expected = node.find("expected")) {
    if (expected->is_map()) {
      expected->require_keys({"file"});
      check.expected_file = read_file_source(expected->at("file"));
    } else {
      check.expected = read_expression(*expected);
    }
  }
  read_optional(node, "file", check.file, read_file_source);
  if (const auto reference = node.find("reference")) {
    reference->require_keys({"kernel", "buffer", "on"});
    check.reference_kernel = reference->at("kernel").text();
    check.reference_buffer = reference->at("buffer").text();
    if (const auto on = reference->find("on")) {
      check.reference_on_host = read_one_of(*on, {host_kind().name, "device"}) == host_kind().name;
    }
  }
  const bool scalar = check.expected || check.expected_file;
  const bool array = check.file || !check.reference_kernel.empty();
  if (scalar == array) throw node.error("expected one of `expected`, `file`, `reference` to compare with");
  if (const auto region = node.find("region")) {
    for (const YamlNode& range : region->items()) {
      auto ends = read_two_expressions(range);
      check.region.emplace_back(ends[0], ends[1]);
    }
  }
  if (const auto reduce = node.find("reduce")) {
    if (reduce->text() != "sum") throw reduce->error("expected sum");
    check.reduce_sum = true;
  }
  if (check.reduce_sum && check.file) throw node.error("`reduce: sum` goes with `expected` or `reference`");
  if (!check.variable.empty()) {
    for (const char* key : {"buffer", "file", "reference", "region", "reduce"}) {
      if (const auto found = node.find(key))
        throw found->error("does not go with `variable`, which is one number");
    }
  }
  read_optional(node, "rtol", check.rtol, read_expression);
  read_optional(node, "atol", check.atol, read_expression);
  read_optional(node, "skip_below", check.skip_below, read_expression);
  read_optional(node, "when", check.when, read_expression);
  return check;
}

MetricSpec read_metric(const std::string& name, const YamlNode& node) {
  node.require_keys({"unit", "value", "higher_is"});
  MetricSpec metric;
  metric.name = name;
  read_optional(node, "unit", metric.unit, read_text);
  metric.value = read_expression(node.at("value"));
  if (const auto better = node.find("higher_is")) {
    if (better->text() != "better" && better->text() != "worse")
      throw better->error("expected better or worse");
    metric.higher_is_better = better->text() == "better";
  }
  return metric;
}

void read_verify(const YamlNode& node, Workload& workload) {
  node.require_keys({"steps", "run", "checks"});
  read_optional(node, "steps", workload.verify_steps, read_expression);
  read_optional(node, "run", workload.verify_run, read_program);
  for (const YamlNode& item : node.at("checks").items()) workload.checks.push_back(read_check(item));
}

/// Calls `read(name, node)` for each member of the map under `key`.
template <class Read>
void read_members(const YamlNode& node, const char* key, Read read) {
  const auto found = node.find(key);
  if (!found) return;
  for (const auto& [name, value] : found->entries()) {
    require_identifier(*found, name);
    read(name, value);
  }
}

}  // namespace

std::shared_ptr<const Workload> parse_workload(const YamlNode& node, const std::string& text,
                                               const std::filesystem::path& directory) {
  node.require_keys({"workload", "summary", "description", "parameters", "let", "types", "constraints",
                     "buffers", "inputs", "outputs", "kernels", "run", "verify", "metrics", "measure",
                     "tune"});
  auto workload = std::make_shared<Workload>();
  workload->name = node.at("workload").text();
  workload->file = node.where().file;
  // Absolute, for a compiler may run elsewhere.
  workload->directory = std::filesystem::absolute(directory.empty() ? "." : directory).lexically_normal();
  workload->text = text;
  read_optional(node, "summary", workload->summary, read_text);
  read_optional(node, "description", workload->description, read_text);
  read_members(node, "parameters", [&](const std::string& name, const YamlNode& value) {
    workload->parameters.push_back(read_parameter(name, value));
  });
  if (!workload->find_parameter("seed")) workload->parameters.push_back(seed_parameter());
  read_members(node, "let", [&](const std::string& name, const YamlNode& value) {
    workload->lets.emplace_back(name, read_expression(value));
  });
  read_members(node, "types", [&](const std::string& name, const YamlNode& value) {
    workload->types.push_back(read_type(name, value, workload->types));
  });
  read_optional(node, "constraints", workload->constraints, read_expressions);
  read_members(node, "buffers", [&](const std::string& name, const YamlNode& value) {
    workload->buffers.push_back(read_buffer(name, value));
  });
  read_optional(node, "inputs", workload->inputs_of_step, read_expressions);
  read_optional(node, "outputs", workload->outputs_of_step, read_expressions);
  read_members(node, "kernels", [&](const std::string& name, const YamlNode& value) {
    workload->kernels.push_back(read_kernel(name, value));
  });
  workload->run = read_program(node.at("run"));
  if (const auto verify = node.find("verify")) read_verify(*verify, *workload);
  if (const auto metrics = node.find("metrics")) {
    for (const auto& [name, value] : metrics->entries())
      workload->metrics.push_back(read_metric(name, value));
  }
  if (const auto measure = node.find("measure")) {
    measure->require_keys({"refresh"});
    read_optional(*measure, "refresh", workload->refresh, read_expression);
  }
  read_optional(node, "tune", workload->tune, read_tune);
  resolve_and_check(*workload, node);
  return workload;
}

std::shared_ptr<const Workload> parse_workload_file(const std::string& text,
                                                    const std::filesystem::path& path) {
  return parse_workload(YamlNode::parse(text, path.string()), text, path.parent_path());
}

std::shared_ptr<const Workload> load_workload_file(FileSystem& files, const std::filesystem::path& path) {
  return parse_workload_file(read_input(files, path), path);
}

}  // namespace kiln