#include "cache/access_record.h"

#include <cstdlib>

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr const char* kAccessFile = "accessed";

}  // namespace

void record_access(FileSystem& files, const Clock& clock, const Path& entry) noexcept {
  constexpr std::int64_t kMinuteNs = 60'000'000'000;
  try {
    const auto status = files.status(entry / kAccessFile);
    if (status && status->type != FileStatus::Type::kFile) return;
    if (status && std::abs(clock.system_ns() - status->modified_ns) < kMinuteNs) return;
    if (status)
      files.append_file(entry / kAccessFile, "+");
    else
      files.write_own_file(entry / kAccessFile, "+", false);
  } catch (const std::exception&) {
    return;  // the entry only looks older than it is
  }
}

EntryAccess read_access(FileSystem& files, const Path& entry) {
  const auto status = files.status(entry / kAccessFile);
  if (!status || status->type != FileStatus::Type::kFile) return {};
  return {status->size, status->modified_ns};
}

}  // namespace kiln
