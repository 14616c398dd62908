#include "base/scratch_folder.h"

#include <functional>
#include <string_view>

#include "base/environment.h"
#include "base/process_identity.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr std::string_view kPrefix = "kiln-";

/// Removes the shared scratch folders of this user for which `goes` holds, by the name without its prefix and
/// the time of its last change.
std::size_t remove_if(FileSystem& files, const Path& below, bool dry_run,
                      const std::function<bool(const std::string&, std::int64_t)>& goes) noexcept {
  std::size_t count = 0;
  try {
    for (const std::string& name : files.list(below)) {
      if (!name.starts_with(kPrefix)) continue;
      const auto status = files.status(below / name);
      if (!status || status->type != FileStatus::Type::kDirectory || status->owner != current_user_id())
        continue;
      if (!goes(name.substr(kPrefix.size()), status->modified_ns)) continue;
      if (!dry_run) files.remove_all(below / name);
      ++count;
    }
  } catch (const std::exception&) {
    return count;  // leftovers are harmless, and the next process tries again
  }
  return count;
}

/// Whether a name has the form of owner_prefix() with more text after it.
bool names_owner(const std::string& name) {
  constexpr std::size_t kDigits = 12;
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  return name.size() > kDigits && name[kDigits] == '-' && name.find_first_not_of(kHexadecimal) == kDigits &&
         name.find_first_of("0123456789", kDigits) == kDigits + 1;
}

}  // namespace

Path temporary_folder() {
  return read_environment("TMPDIR").value_or("/tmp");
}

Error temporary_folder_error(const Path& below, const std::filesystem::filesystem_error& cause) {
  return environment_error("no temporary files can be made in '" + below.string() +
                           "': " + cause.code().message() + "; set TMPDIR to a folder that you may write to");
}

ScratchFolder make_shared_scratch(FileSystem& files, const Path& below, const std::string& purpose) {
  try {
    const std::string prefix = std::string(kPrefix) + owner_prefix() + "-" + purpose + "-";
    return ScratchFolder({&files, files.make_unique_directory(std::filesystem::absolute(below) / prefix)});
  } catch (const std::filesystem::filesystem_error& error) {
    throw temporary_folder_error(below, error);
  }
}

std::size_t collect_scratch(FileSystem& files, const Path& below, std::int64_t now_ns,
                            bool dry_run) noexcept {
  constexpr std::int64_t kDayNs = 86'400'000'000'000;
  return remove_if(files, below, dry_run, [&](const std::string& name, std::int64_t modified_ns) {
    const OwnerState owner = owner_state(name);
    return owner == OwnerState::kEnded ||
           (owner == OwnerState::kUnknown && names_owner(name) && now_ns - modified_ns > kDayNs);
  });
}

void remove_own_scratch(FileSystem& files, const Path& below) noexcept {
  remove_if(files, below, false, [own = owner_prefix() + "-"](const std::string& name, std::int64_t) {
    return name.starts_with(own);
  });
}

}  // namespace kiln
