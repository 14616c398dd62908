#include "cache/use_marks.h"

#include <algorithm>
#include <atomic>

#include "base/process_identity.h"
#include "base/text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// Several caches of one process have a file each.
std::string new_name() {
  static std::atomic<std::uint64_t> number = 0;
  return owner_prefix() + "-" + std::to_string(++number);
}

}  // namespace

void UseMark::RemoveFile::close(const Handle& handle) noexcept {
  try {
    handle.files->remove_all(handle.path);
  } catch (const std::exception&) {
    return;  // an evicting process sees that its owner has ended
  }
}

UseMark::UseMark(FileSystem& files, Path folder) : files_(files), folder_(std::move(folder)) {}

void UseMark::add(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  if (refused_ || !digests_.insert(digest).second) return;
  try {
    if (!file_) {
      files_.make_directories(folder_, true);
      file_.reset({&files_, folder_ / new_name()});
    }
    files_.append_file(file_.get().path, digest + "\n");
  } catch (const std::filesystem::filesystem_error&) {
    refused_ = true;
  }
}

UseMarks::UseMarks(FileSystem& files, const Clock& clock, Path folder)
    : files_(files), clock_(clock), folder_(std::move(folder)) {}

void UseMarks::refresh() {
  std::map<std::string, Seen> now;
  stale_.clear();
  for (const std::string& name : files_.list(folder_)) {
    const auto status = files_.status(folder_ / name);
    if (!status || status->type != FileStatus::Type::kFile) continue;
    if (is_stale(name, *status)) {
      stale_.push_back(folder_ / name);
      continue;
    }
    Seen& seen = now[name] = std::move(seen_[name]);
    if (seen.size == status->size) continue;
    const std::string text = files_.read_file(folder_ / name).value_or("");
    seen.size = text.size();
    const std::vector<std::string> lines = split(text, '\n');
    seen.digests = {lines.begin(), lines.end()};
  }
  seen_ = std::move(now);
}

bool UseMarks::contains(const std::string& digest) const {
  return std::any_of(seen_.begin(), seen_.end(),
                     [&](const auto& one) { return one.second.digests.contains(digest); });
}

std::vector<Path> UseMarks::stale() const {
  return stale_;
}

bool UseMarks::is_stale(const std::string& name, const FileStatus& status) const {
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  const OwnerState owner = owner_state(name);
  if (owner != OwnerState::kUnknown) return owner == OwnerState::kEnded;
  return clock_.system_ns() - status.modified_ns > kDayNs;
}

}  // namespace kiln
