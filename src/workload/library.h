#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "config/yaml_node.h"
#include "workload/workload.h"

namespace kiln {

/// Finds workloads by name in a list of folders (`<folder>/<name>/<name>.yaml`), or by path.
class WorkloadLibrary {
 public:
  WorkloadLibrary(FileSystem& files, std::vector<std::filesystem::path> folders);

  /// Names found, sorted, without duplicates.
  [[nodiscard]] std::vector<std::string> names() const;
  /// By name, by path of the YAML file, or by path of its folder. Throws bad_input at `where`, listing what
  /// exists.
  [[nodiscard]] std::shared_ptr<const Workload> load(const std::string& name_or_path,
                                                     const SourceLocation& where) const;
  [[nodiscard]] const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  FileSystem& files_;
  std::vector<std::filesystem::path> folders_;
};

}  // namespace kiln
