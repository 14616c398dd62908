#include "config/job_spec.h"

#include "base/input_file.h"
#include "base/text.h"

namespace kiln {
namespace {

void read_set(const YamlNode& node, JobSpec& job) {
  for (const auto& [name, value] : node.entries()) job.set.emplace_back(name, raw_value(value));
}

/// `implementation: paper` at the top is short for `set: {implementation: paper}`.
void read_implementation(const YamlNode& node, JobSpec& job) {
  if (has_name(job.set, "implementation")) throw node.error("is also in `set`; keep one");
  job.set.emplace_back("implementation", raw_value(node));
}

/// `graph: true` at the top is short for `set: {graph: true}`.
void read_graph(const YamlNode& node, JobSpec& job) {
  static_cast<void>(node.boolean());
  if (has_name(job.set, "graph")) throw node.error("is also in `set`; keep one");
  job.set.emplace_back("graph", raw_value(node));
}

void read_sweep(const YamlNode& node, JobSpec& job) {
  for (const auto& [name, value] : node.entries()) {
    if (has_name(job.set, name))
      throw bad_input(std::string("sweep.").append(name).append(name == "implementation" || name == "graph"
                                                                    ? ": is also set; keep one"
                                                                    : ": is also in `set`; keep one"),
                      node.key_location(name));
    std::vector<RawValue> values = raw_values(value);
    require_distinct(std::string("sweep.").append(name).append(": "), values);
    job.sweep.emplace_back(name, std::move(values));
  }
}

std::size_t read_count(const YamlNode& node) {
  const std::int64_t value = node.integer();
  if (value < 1 || value > 10'000'000)
    throw node.error("expected a count from 1 to 10000000; found " + node.text());
  return static_cast<std::size_t>(value);
}

MeasureSpec read_measure(const YamlNode& node) {
  MeasureSpec measure;
  if (node.is_scalar()) {
    measure.enabled = node.boolean();
    return measure;
  }
  node.require_keys({"min_time", "max_time", "min_samples", "max_samples", "cache", "energy"});
  if (const auto value = node.find("min_time")) measure.min_time = value->duration();
  if (const auto value = node.find("max_time")) measure.max_time = value->duration();
  if (const auto value = node.find("min_samples")) measure.min_samples = read_count(*value);
  if (const auto value = node.find("max_samples")) measure.max_samples = read_count(*value);
  if (const auto value = node.find("cache")) measure.cold = read_cold(*value);
  if (const auto value = node.find("energy")) measure.energy = value->boolean();
  if (measure.energy && measure.cold)
    throw node.error("energy is measured over consecutive steps: not with `cache: cold`");
  if (measure.max_time < measure.min_time) throw node.error("max_time is less than min_time");
  if (measure.max_samples < measure.min_samples) throw node.error("max_samples is less than min_samples");
  return measure;
}

void read_wisdom(const YamlNode& node, JobSpec& job) {
  if (node.text() == "true" || node.text() == "false") {
    job.wisdom = node.boolean();
    return;
  }
  if (node.text().empty()) throw node.error("expected true, false, a file or a folder; found ''");
  job.wisdom = true;
  job.wisdom_from = node.text();
  job.wisdom_where = node.where();
}

JobSpec job_of_workload_file(const std::string& file) {
  JobSpec job;
  job.file = file;
  // A path, relative to the working directory; a name would be that of a workload in the library.
  job.workload = file.find('/') != std::string::npos ? file : "./" + file;
  job.workload_where = {file, 0, 0};
  return job;
}

JobSpec read_job(const YamlNode& root, const std::string& file) {
  if (is_workload_file(root)) return job_of_workload_file(file);
  root.require_keys({"workload", "implementation", "device", "spread", "set", "sweep", "measure", "graph",
                     "output", "keep", "isolation", "require_checks", "wisdom", "tune"});
  JobSpec job;
  job.file = file;
  const YamlNode workload = root.at("workload");
  job.workload_where = workload.where();
  if (workload.is_map()) {
    job.inline_workload = workload;
  } else {
    job.workload = workload.text();
  }
  if (const auto node = root.find("device")) job.devices = read_devices(*node);
  if (const auto node = root.find("spread")) job.spread = node->boolean();
  if (const auto node = root.find("set")) read_set(*node, job);
  if (const auto node = root.find("implementation")) read_implementation(*node, job);
  if (const auto node = root.find("graph")) read_graph(*node, job);
  if (const auto node = root.find("sweep")) read_sweep(*node, job);
  if (const auto node = root.find("measure")) job.measure = read_measure(*node);
  if (const auto node = root.find("output")) job.output = node->text();
  if (const auto node = root.find("keep")) {
    for (const auto& [name, value] : node->entries()) job.keep.emplace_back(name, raw_value(value));
  }
  if (const auto node = root.find("isolation")) job.isolation = read_isolation(*node);
  if (const auto node = root.find("wisdom")) read_wisdom(*node, job);
  if (const auto node = root.find("require_checks")) job.require_checks = node->boolean();
  if (const auto node = root.find("tune")) job.tune = read_tune_section(*node);
  return job;
}

void forget(JobSpec& job, const std::string& name) {
  std::erase_if(job.set, [&](const auto& entry) { return entry.first == name; });
  std::erase_if(job.sweep, [&](const auto& entry) { return entry.first == name; });
  std::erase_if(job.tune.space, [&](const TunedName& tuned) { return tuned.name == name; });
}

}  // namespace

bool is_workload_file(const YamlNode& root) {
  return root.is_map() && (root.find("kernels") || root.find("buffers"));
}

JobSpec parse_job(const std::string& text, const std::string& name) {
  JobSpec job = read_job(YamlNode::parse(text, name), name);
  job.text = text;
  return job;
}

JobSpec load_job(FileSystem& files, const std::string& path) {
  return parse_job(read_input(files, path, kJobInput), path);
}

void apply_set(JobSpec& job, const std::string& assignment) {
  auto [name, value] = split_assignment("--set", assignment);
  forget(job, name);
  job.set.emplace_back(name, RawValue{value, false, {"--set " + name, 0, 0}});
}

void apply_keep(JobSpec& job, const std::string& assignment) {
  auto [name, file] = split_assignment("--keep", assignment);
  std::erase_if(job.keep, [&buffer = name](const auto& entry) { return entry.first == buffer; });
  job.keep.emplace_back(name, RawValue{file, false, {"--keep " + name, 0, 0}});
}

void apply_sweep(JobSpec& job, const std::string& assignment) {
  const std::string name = split_assignment("--sweep", assignment).first;
  std::vector<RawValue> values = listed_values("--sweep", assignment);
  forget(job, name);
  job.sweep.emplace_back(name, std::move(values));
}

}  // namespace kiln
