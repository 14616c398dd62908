#include "workload/library.h"

#include <set>

#include "base/input_file.h"
#include "base/text.h"

namespace kiln {

namespace {

/// Status of the path itself, or of a link's target. A name that is too long for the disk is absent.
std::optional<FileStatus> status_of(const std::filesystem::path& path, FileSystem& files,
                                    const SourceLocation& where, const std::string& key,
                                    bool follow = false) {
  try {
    return follow ? files.target_status(path) : files.status(path);
  } catch (const std::filesystem::filesystem_error& error) {
    if (error.code() == std::errc::filename_too_long) return std::nullopt;
    throw bad_input(key + ": " + in_quotes(path.string()) + " cannot be looked up: " + error.code().message(),
                    where);
  }
}

}  // namespace

WorkloadLibrary::WorkloadLibrary(FileSystem& files, std::vector<std::filesystem::path> folders, Check check)
    : files_(files), folders_(std::move(folders)), check_(std::move(check)) {}

std::shared_ptr<const Workload> WorkloadLibrary::load_file(const std::filesystem::path& path) const {
  const std::string text = read_input(files_, path);
  const std::filesystem::path whole = std::filesystem::absolute(path);  // the current folder may change
  {
    const std::lock_guard lock(mutex_);
    if (last_ && last_path_ == whole && last_->text == text) return last_;
  }
  auto workload = parse_workload_file(text, path);
  if (check_) check_(*workload);
  const std::lock_guard lock(mutex_);
  last_path_ = whole;
  last_ = workload;
  return workload;
}

std::shared_ptr<const Workload> WorkloadLibrary::parse(const YamlNode& node, const std::string& text,
                                                       const std::filesystem::path& directory) const {
  auto workload = parse_workload(node, text, directory);
  if (check_) check_(*workload);
  return workload;
}

std::vector<std::string> WorkloadLibrary::names() const {
  std::set<std::string> found;
  for (const auto& folder : folders_) {
    for (const std::string& name : files_.list(folder)) {
      if (files_.target_status(folder / name / (name + ".yaml"))) found.insert(name);
    }
  }
  return {found.begin(), found.end()};
}

std::shared_ptr<const Workload> WorkloadLibrary::load(const std::string& name_or_path,
                                                      const SourceLocation& where,
                                                      const std::string& key) const {
  for (const auto& folder : folders_) {
    const auto path = folder / name_or_path / (name_or_path + ".yaml");
    if (name_or_path.find('/') == std::string::npos && status_of(path, files_, where, key))
      return load_file(path);
  }
  std::filesystem::path path(name_or_path);
  if (path.is_relative() && where.line > 0) path = std::filesystem::path(where.file).parent_path() / path;
  const auto status = status_of(path, files_, where, key, true);
  if (!status && status_of(path, files_, where, key)) return load_file(path);  // refuses a link to nothing
  if (status) {
    if (status->type == FileStatus::Type::kDirectory)
      path /= path.lexically_normal().filename().string() + ".yaml";
    if (status_of(path, files_, where, key)) return load_file(path);
  }
  std::vector<std::string> searched;
  for (const auto& folder : folders_) searched.push_back(folder.string());
  throw bad_input(key + ": unknown workload " + in_quotes(name_or_path) + suggestion(name_or_path, names()) +
                      " (looked in " + (searched.empty() ? "no folder" : join(searched, ", ")) + ")",
                  where);
}

}  // namespace kiln
