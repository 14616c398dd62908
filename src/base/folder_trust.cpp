#include "base/folder_trust.h"

#include <algorithm>

namespace kiln {

bool is_trusted_owner(std::uint32_t owner) {
  return owner == 0 || owner == current_user_id();
}

std::optional<std::string> find_distrust(const FileStatus& status, const TrustedOwners& owners) {
  constexpr std::uint32_t kWritableByAnyone = 0002;
  if (owners.empty()) return std::nullopt;
  if (std::find(owners.begin(), owners.end(), status.owner) == owners.end())
    return "belongs to user " + std::to_string(status.owner);
  // The permission bits of a link have no meaning.
  if (status.type != FileStatus::Type::kSymlink && (status.mode & kWritableByAnyone) != 0)
    return "may be written to by anyone";
  return std::nullopt;
}

std::optional<std::string> find_distrust(FileSystem& files, const std::filesystem::path& folder,
                                         FolderOwners owners) {
  constexpr std::uint32_t kWritableByAnyone = 0002;
  constexpr std::uint32_t kSticky = 01000;
  auto status = files.status(folder / ".");  // follows a final link
  if (!status) {
    if (!files.status(folder)) return std::nullopt;
    status = files.status(folder / ".");  // another process may have made it meanwhile
  }
  if (!status || status->type != FileStatus::Type::kDirectory) return "it is not a directory";
  if (owners == FolderOwners::kTrusted && !is_trusted_owner(status->owner)) {
    return "it belongs to user " + std::to_string(status->owner) + " and you are user " +
           std::to_string(current_user_id());
  }
  if ((status->mode & kWritableByAnyone) != 0 && (status->mode & kSticky) == 0) {
    return "anyone may write to it";
  }
  return std::nullopt;
}

}  // namespace kiln
