#include "workload/input_paths.h"

#include <algorithm>

namespace kiln {
namespace {

class PathList {
 public:
  explicit PathList(const Configuration& configuration) : configuration_(configuration) {}

  void add(const std::string& text, const SourceLocation& where) {
    const auto path = configuration_.expand_path(text, where);
    if (path && std::find(paths.begin(), paths.end(), *path) == paths.end()) paths.push_back(*path);
  }
  void add(const std::optional<FileSource>& source) {
    if (source) add(source->path.text, source->path.where);
  }
  void add(const InitSpec& init) {
    add(init.file);
    if (init.otherwise) add(*init.otherwise);
  }

  std::vector<std::string> paths;

 private:
  const Configuration& configuration_;
};

}  // namespace

std::vector<std::string> input_paths(const Configuration& configuration) {
  const Workload& workload = configuration.workload();
  PathList list(configuration);
  for (const ParameterSpec& parameter : workload.parameters) {
    if (parameter.from) list.add(parameter.from->file, parameter.from->where);
  }
  for (const BufferSpec& buffer : workload.buffers) list.add(buffer.init);
  for (const CheckSpec& check : workload.checks) {
    list.add(check.file);
    list.add(check.expected_file);
  }
  return std::move(list.paths);
}

}  // namespace kiln
