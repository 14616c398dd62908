#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"
#include "config/yaml_node.h"
#include "workload/workload.h"

namespace kiln {

/// Finds workloads by name in a list of folders (`<folder>/<name>/<name>.yaml`), or by path. A file that is
/// asked for twice in a row is read twice and parsed once. Thread-safe.
class WorkloadLibrary {
 public:
  /// `check` throws for a workload that this build cannot take: compilers have rules of their own
  /// (compile/option_check.h).
  using Check = std::function<void(const Workload&)>;
  WorkloadLibrary(FileSystem& files, std::vector<std::filesystem::path> folders, Check check = {});

  /// Names found, sorted, without duplicates.
  [[nodiscard]] std::vector<std::string> names() const;
  /// By name, by path of the YAML file, or by path of its folder. Throws bad_input at `where`, for the `key`
  /// that names it, listing what exists.
  [[nodiscard]] std::shared_ptr<const Workload> load(const std::string& name_or_path,
                                                     const SourceLocation& where,
                                                     const std::string& key = "workload") const;
  /// A workload that stands in another file, such as a job; `directory` is where its sources are.
  [[nodiscard]] std::shared_ptr<const Workload> parse(const YamlNode& node, const std::string& text,
                                                      const std::filesystem::path& directory) const;
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  [[nodiscard]] std::shared_ptr<const Workload> load_file(const std::filesystem::path& path) const;

  FileSystem& files_;
  std::vector<std::filesystem::path> folders_;
  Check check_;
  mutable std::mutex mutex_;  // of what follows
  mutable std::filesystem::path last_path_;
  mutable std::shared_ptr<const Workload> last_;  // of a file
};

}  // namespace kiln
