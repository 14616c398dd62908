#include "job/output_plan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/text.h"
#include "trial/needs.h"
#include "trial/output_files.h"
#include "workload/input_paths.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// The value of {name} in a variant.
std::string value_of(const std::string& name, const JobPlan& plan, std::size_t variant,
                     const SourceLocation& where) {
  if (name == "variant") return std::to_string(variant + 1);
  if (name == "device" && plan.spread.empty()) return plan.variants[variant].device;
  std::vector<std::string> known{"variant"};
  if (plan.spread.empty()) known.emplace_back("device");
  for (const auto& [candidate, value] : plan.variants[variant].configuration.values()) {
    if (value.kind == ParameterKind::kPath) continue;  // more than a name
    if (candidate == name) return value.to_string();
    known.push_back(candidate);
  }
  throw bad_input("'{" + name + "}' cannot stand in the name of a file" + suggestion(name, known), where);
}

std::string expand(const RawValue& name, const JobPlan& plan, std::size_t variant) {
  std::string result;
  std::size_t position = 0;
  while (true) {
    const std::size_t open = name.text.find('{', position);
    result += name.text.substr(position, open - position);
    if (open == std::string::npos) return result;
    const std::size_t close = name.text.find('}', open);
    if (close == std::string::npos) throw bad_input("'{' without '}' in '" + name.text + "'", name.where);
    result += value_of(name.text.substr(open + 1, close - open - 1), plan, variant, name.where);
    position = close + 1;
  }
}

/// Files as the disk knows them: by their place, with links followed, and one that is there by its inode,
/// too.
class KnownFiles {
 public:
  explicit KnownFiles(FileSystem& files) : files_(files) {}

  void add(const Path& path, const std::string& role) {
    for (std::string& name : names_of(path)) roles_.emplace(std::move(name), role);
  }
  /// The role with which the file was added; empty if it was not.
  [[nodiscard]] std::string role_of(const Path& path) const {
    for (const std::string& name : names_of(path)) {
      if (const auto found = roles_.find(name); found != roles_.end()) return found->second;
    }
    return "";
  }

 private:
  [[nodiscard]] std::vector<std::string> names_of(const Path& path) const {
    const Path absolute = std::filesystem::absolute(path).lexically_normal();
    std::vector<std::string> names{absolute.string()};
    if (const auto status = files_.target_status(path))
      names.push_back("inode " + std::to_string(status->device) + " " + std::to_string(status->inode));
    // The folder of a new file is identified by its inode.
    const auto folder = files_.target_status(absolute.parent_path());
    if (folder && names.size() == 1)
      names.push_back("below " + std::to_string(folder->device) + " " + std::to_string(folder->inode) + " " +
                      absolute.filename().string());
    return names;
  }

  FileSystem& files_;
  std::map<std::string, std::string> roles_;
};

/// Adds the files that the variant reads.
void add_inputs(const Configuration& configuration, KnownFiles& known) {
  const Workload& workload = configuration.workload();
  for (const KernelSpec& kernel : workload.kernels) {
    known.add(workload.directory / kernel.source, "a kernel text");
    for (const std::string& more : kernel.more_sources) known.add(workload.directory / more, "a kernel text");
  }
  for (const std::string& path : input_paths(configuration)) known.add(path, "an input of the job");
  for (const auto& [name, value] : configuration.values()) {
    if (value.kind == ParameterKind::kPath && !value.to_string().empty())
      known.add(value.to_string(), "the value of '" + name + "'");
  }
}

/// The buffer's specification in the workload, if this variant has the buffer.
const BufferSpec& require_buffer(const Variant& variant, const std::string& name, const RawValue& file) {
  const Workload& workload = variant.configuration.workload();
  const BufferSpec* buffer = workload.find_buffer(name);
  if (buffer == nullptr) {
    std::vector<std::string> known;
    for (const BufferSpec& candidate : workload.buffers) known.push_back(candidate.name);
    throw bad_input("keep." + name + ": there is no buffer '" + name + "'" + suggestion(name, known),
                    file.where);
  }
  if (workload.memory_of(*buffer).temporary)
    throw bad_input("keep." + name + ": the buffer is temporary: it has no content after a step", file.where);
  const TrialNeeds needs(variant.configuration);
  if (std::find(needs.buffers().begin(), needs.buffers().end(), name) == needs.buffers().end())
    throw bad_input("keep." + name + ": no kernel of " +
                        (variant.label.empty() ? "this job" : "'" + variant.label + "'") + " uses buffer '" +
                        name + "' on the device",
                    file.where);
  return *buffer;
}

/// It is for others to make: a mistyped path must not become a folder.
void require_folder(const std::string& subject, const std::string& path, const SourceLocation& where,
                    FileSystem& files) {
  const Path folder = std::filesystem::absolute(path).parent_path();
  const auto status = files.target_status(folder);
  if (status && status->type == FileStatus::Type::kDirectory) return;
  throw bad_input(subject + "cannot be written: there is no folder '" + folder.string() + "'", where);
}

}  // namespace

void plan_outputs(JobPlan& plan, FileSystem& files) {
  if (plan.job.keep.empty()) return;
  KnownFiles inputs(files);
  if (!plan.job.file.empty()) inputs.add(plan.job.file, "the job");
  if (!plan.workload->file.empty()) inputs.add(plan.workload->file, "the workload");
  for (const Variant& variant : plan.variants) add_inputs(variant.configuration, inputs);
  KnownFiles outputs(files);
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    Variant& variant = plan.variants[i];
    for (const auto& [name, file] : plan.job.keep) {
      const BufferSpec& buffer = require_buffer(variant, name, file);
      const std::string path = expand(file, plan, i);
      require_output_format(layout_of(variant.configuration, buffer), path, file.where);
      require_folder("keep." + name + ": '" + path + "' ", path, file.where, files);
      if (const std::string role = inputs.role_of(path); !role.empty())
        throw bad_input("keep." + name + ": '" + path + "' is " + role + "; expected another file",
                        file.where);
      if (const std::string other = outputs.role_of(path); !other.empty()) {
        throw bad_input(
            "keep." + name + ": '" + path + "' is written by " + other + ", too" +
                (plan.variants.size() > 1 ? "; in the name {variant} or {parameter} stands for the "
                                            "variant's number or value"
                                          : ""),
            file.where);
      }
      outputs.add(path, plan.variants.size() > 1 ? "the variant '" + variant.label + "'" : "keep." + name);
      variant.keep.push_back({name, path});
    }
  }
}

}  // namespace kiln
