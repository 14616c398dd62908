#include "isolate/failure_folder.h"

#include <cctype>

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// "20261121T093500123-stencil7.cu-": sorts by time, and is a file name whatever the source is called.
std::string name_prefix(std::int64_t system_ns, const std::string& source_name) {
  std::string name;
  for (const char c : to_iso8601(system_ns)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 && c != 'Z') name += c;
  }
  name += '-';
  for (const char c : source_name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_';
    name += plain ? c : '_';
  }
  return name + "-";
}

/// For a shell.
std::string quoted(const std::string& path) {
  if (path.find_first_of(" '\"\\$&;()<>|*?`!") == std::string::npos) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

FailureFolder::FailureFolder(FileSystem& files, const Clock& clock, Log& log, Path root)
    : files_(files), clock_(clock), log_(log), root_(std::move(root)) {}

void FailureFolder::keep(const Capsule& capsule, Diagnostic& diagnostic) {
  try {
    files_.make_directories(root_, true);
    const Path folder =
        files_.make_unique_directory(std::filesystem::absolute(root_) /
                                     name_prefix(clock_.system_ns(), capsule.specialization.source_name));
    Diagnostic named = diagnostic;
    named.capsule = folder.string();
    named.command = "kiln replay " + quoted(folder.string());
    write_capsule(files_, folder, capsule);
    write_failure(files_, folder, named);
    named.summary += "; repeat it with: " + named.command;
    diagnostic = std::move(named);
    remove_old();
  } catch (const std::filesystem::filesystem_error& error) {
    log_.warn(std::string("a failed compile leaves no capsule: ") + error.what());
  }
}

void FailureFolder::remove_old() {
  constexpr std::size_t kKept = 20;
  const std::lock_guard lock(mutex_);
  const std::vector<std::string> names = files_.list(root_);
  for (std::size_t i = 0; i + kKept < names.size(); ++i) files_.remove_all(root_ / names[i]);
}

std::uint64_t remove_old_capsules(FileSystem& files, const Clock& clock, const Path& root,
                                  double older_than_seconds, bool dry_run) {
  std::uint64_t removed = 0;
  for (const std::string& name : files.list(root)) {
    const auto status = files.status(root / name);
    if (!status || static_cast<double>(clock.system_ns() - status->modified_ns) * 1e-9 < older_than_seconds)
      continue;
    ++removed;
    if (!dry_run) files.remove_all(root / name);
  }
  return removed;
}

}  // namespace kiln
