#include "device/installed_folders.h"

#include <algorithm>

#include "base/environment.h"
#include "base/text.h"

namespace kiln {

void add_existing(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder,
                  FileSystem& files) {
  if (std::find(folders.begin(), folders.end(), folder) != folders.end()) return;
  if (files.status(folder)) folders.push_back(folder);
}

std::vector<std::filesystem::path> entries_starting_with(const std::filesystem::path& folder,
                                                         const std::string& prefix, FileSystem& files) {
  std::vector<std::filesystem::path> found;
  for (const std::string& name : files.list(folder)) {
    if (name.starts_with(prefix)) found.push_back(folder / name);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<std::string> read_list_variable(const char* variable) {
  const auto text = read_environment(variable);
  return text ? split(*text, ':') : std::vector<std::string>();
}

std::vector<std::string> read_variables(const std::vector<const char*>& variables) {
  std::vector<std::string> values;
  for (const char* variable : variables) {
    if (auto value = read_environment(variable)) values.push_back(*std::move(value));
  }
  return values;
}

void add_system_folders(std::vector<std::filesystem::path>& folders, FileSystem& files) {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"}) {
    add_existing(folders, folder, files);
  }
}

}  // namespace kiln
