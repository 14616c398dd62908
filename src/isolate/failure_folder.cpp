#include "isolate/failure_folder.h"

#include <algorithm>
#include <cctype>

#include "base/folder_trust.h"

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

/// Whether the name begins like a `name_prefix`.
bool begins_with_time(const std::string& name) {
  constexpr std::string_view kForm = "00000000T000000000-";
  return name.size() > kForm.size() &&
         std::equal(kForm.begin(), kForm.end(), name.begin(), [](char form, char c) {
           return form == '0' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : form == c;
         });
}

/// Names of Kiln's folders below `root`, oldest first. Other names are never removed.
std::vector<std::string> capsules_below(FileSystem& files, const Path& root) {
  std::vector<std::string> names = files.list(root);
  std::erase_if(names, [&](const std::string& name) {
    return !begins_with_time(name) || !is_capsule_folder(files, root / name);
  });
  return names;
}

/// Why another user may have a say in what lies below `root`; `nullopt` if none has, or it is not there.
std::optional<std::string> find_other_hands(FileSystem& files, const Path& root) {
  constexpr std::uint32_t kWritableByOthers = 0022;
  if (auto why = find_distrust(files, root.parent_path()))
    return "'" + root.parent_path().string() + "' is not safe, " + *std::move(why);
  const auto status = files.status(root);
  if (!status) return std::nullopt;
  if (status->type == FileStatus::Type::kSymlink) return "it is a symbolic link";
  if (status->type != FileStatus::Type::kDirectory) return "it is not a directory";
  if (status->owner != current_user_id()) return "it belongs to user " + std::to_string(status->owner);
  if ((status->mode & kWritableByOthers) != 0) return "others may write to it";
  return std::nullopt;
}

/// For a shell.
std::string quoted(const std::string& path) {
  if (path.find_first_of(" '\"\\$&;()<>|*?`!") == std::string::npos) return path;
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

FailureFolder::FailureFolder(FileSystem& files, const Clock& clock, Log& log, const Path& root,
                             Path private_prefix)
    : files_(files),
      clock_(clock),
      log_(log),
      root_(std::filesystem::absolute(root)),
      private_prefix_(std::move(private_prefix)) {}

void FailureFolder::keep(const Capsule& capsule, Diagnostic& diagnostic) {
  try {
    const Path root = own_root();
    const Path folder = files_.make_unique_directory(
        root / name_prefix(clock_.system_ns(), capsule.specialization.source_name));
    Diagnostic named = diagnostic;
    named.capsule = folder.string();
    named.command = "kiln replay " + quoted(folder.string());
    write_capsule(files_, folder, capsule);
    write_failure(files_, folder, named);
    named.summary += "; repeat it with: " + named.command;
    diagnostic = std::move(named);
    remove_old(root);
  } catch (const std::filesystem::filesystem_error& error) {
    log_.warn(std::string("a failed compile leaves no capsule: ") + error.what());
  }
}

/// Checked each time: its name may be predictable, and any user may make it at any time. Once it is found to
/// be this user's alone, no other user can replace it.
Path FailureFolder::own_root() {
  const std::lock_guard lock(mutex_);
  std::optional<std::string> why = find_other_hands(files_, root_);
  if (!why) {
    files_.make_directories(root_, true);
    why = find_other_hands(files_, root_);
  }
  if (!why) return root_;
  if (private_root_.empty()) {
    private_root_ = files_.make_unique_directory(private_prefix_);
    log_.warn("failed compiles are kept in '" + private_root_.string() + "', not in '" + root_.string() +
              "': " + *why);
  }
  return private_root_;
}

void FailureFolder::remove_old(const Path& root) {
  constexpr std::size_t kKept = 20;
  const std::lock_guard lock(mutex_);
  const std::vector<std::string> names = capsules_below(files_, root);
  for (std::size_t i = 0; i + kKept < names.size(); ++i) files_.remove_all(root / names[i]);
}

std::uint64_t remove_old_capsules(FileSystem& files, const Clock& clock, const Path& root,
                                  double older_than_seconds, bool dry_run) {
  std::uint64_t removed = 0;
  if (find_other_hands(files, root)) return removed;
  for (const std::string& name : capsules_below(files, root)) {
    const auto status = files.status(root / name);
    if (!status || static_cast<double>(clock.system_ns() - status->modified_ns) * 1e-9 < older_than_seconds)
      continue;
    ++removed;
    if (!dry_run) files.remove_all(root / name);
  }
  return removed;
}

}  // namespace kiln
