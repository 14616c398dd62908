#include "cache/entry_store.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/folder_trust.h"
#include "base/process_identity.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using std::filesystem::filesystem_error;

constexpr std::size_t kPrefixDigits = 2;
constexpr std::size_t kDigestDigits = 64;

bool is_hexadecimal(const std::string& text, std::size_t length) {
  return text.size() == length && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isxdigit(c) != 0 && std::isupper(c) == 0;
         });
}

}  // namespace

EntryStore::EntryStore(FileSystem& files, Path root, Owners owners)
    : files_(files), root_(std::move(root)), owners_(owners) {}

EntryStore::Lookup EntryStore::look_up(const CacheKey& key) const {
  const Path path = directory(key.digest);
  try {
    if (!files_.status(path)) return Absent{};
    const TrustedOwners owners = trusted_owners();
    if (auto why = prefix_problem(key.digest, owners)) return CacheEntryDamage{*std::move(why)};
    auto read = read_entry_code(files_, path, owners);
    if (auto* damage = std::get_if<CacheEntryDamage>(&read)) {
      if (!files_.status(path)) return Absent{};  // removed while it was read
      return std::move(*damage);
    }
    auto& entry = std::get<EntryCode>(read);
    if (entry.info.digest != key.digest) return CacheEntryDamage{"it is the entry of another key"};
    return std::move(entry.code);
  } catch (const filesystem_error& error) {
    return CacheEntryDamage{explain(error)};
  }
}

std::variant<CacheEntry, CacheEntryDamage> EntryStore::read(const std::string& digest) const {
  try {
    const TrustedOwners owners = trusted_owners();
    if (auto why = prefix_problem(digest, owners)) return CacheEntryDamage{*std::move(why)};
    return read_cache_entry(files_, directory(digest), owners);
  } catch (const filesystem_error& error) {
    return CacheEntryDamage{explain(error)};
  }
}

std::variant<EntryFiles, CacheEntryDamage> EntryStore::read_files(const std::string& digest) const {
  try {
    const TrustedOwners owners = trusted_owners();
    if (auto why = prefix_problem(digest, owners)) return CacheEntryDamage{*std::move(why)};
    return read_entry_files(files_, directory(digest), owners);
  } catch (const filesystem_error& error) {
    return CacheEntryDamage{explain(error)};
  }
}

bool EntryStore::has_sound_prefix(const std::string& digest) const {
  return !prefix_problem(digest, trusted_owners());
}

std::optional<std::string> EntryStore::prefix_problem(const std::string& digest,
                                                      const TrustedOwners& owners) const {
  const Path prefix = directory(digest).parent_path();
  const auto status = files_.status(prefix);
  if (!status) return std::nullopt;
  const std::string name = std::string(kEntryFormatFolder) + "/" + prefix.filename().string();
  if (status->type != FileStatus::Type::kDirectory) return name + " is not a directory";
  const auto why = find_distrust(*status, owners);
  return why ? std::optional(name + " " + *why) : std::nullopt;
}

std::optional<EntryStore::Distrust> EntryStore::distrust() const {
  const FolderOwners owners =
      owners_ == Owners::kAlsoOfTheFolder ? FolderOwners::kAny : FolderOwners::kTrusted;
  Path folder = root_;
  try {
    if (auto why = find_distrust(files_, folder, owners)) return Distrust{folder, *std::move(why)};
    folder = root_ / kEntryFormatFolder;
    if (auto why = find_distrust(files_, folder, owners)) return Distrust{folder, *std::move(why)};
    if (owners_ == Owners::kSelfAndRoot) return std::nullopt;
    const auto status = files_.status(folder / ".");
    if (!status) return std::nullopt;
    if (const auto why = find_distrust(*status, trusted_owners())) return Distrust{folder, "it " + *why};
    return std::nullopt;
  } catch (const filesystem_error& error) {
    return Distrust{folder, "it cannot be examined: " + error.code().message()};
  }
}

std::optional<std::string> EntryStore::problem() const {
  if (auto found = distrust()) return std::move(found->why);
  try {
    if (!files_.status(root_ / ".")) return "there is no such folder";
  } catch (const filesystem_error& error) {
    return "it cannot be examined: " + error.code().message();
  }
  return std::nullopt;
}

Path EntryStore::directory(const std::string& digest) const {
  if (!is_hexadecimal(digest, kDigestDigits))
    throw internal_error("'" + digest + "' is not a SHA-256 digest");
  return root_ / kEntryFormatFolder / digest.substr(0, kPrefixDigits) / digest.substr(kPrefixDigits);
}

std::vector<std::string> EntryStore::digests() const {
  std::vector<std::string> digests;
  const Path top = root_ / kEntryFormatFolder;
  for (const std::string& prefix : files_.list(top)) {
    if (!is_hexadecimal(prefix, kPrefixDigits)) continue;
    for (const std::string& rest : files_.list(top / prefix)) {
      if (const auto digest = entry_digest(prefix, rest)) digests.push_back(*digest);
    }
  }
  return digests;
}

TrustedOwners EntryStore::trusted_owners() const {
  TrustedOwners owners = {0, current_user_id()};
  if (owners_ == Owners::kSelfAndRoot) return owners;
  if (const auto folder = files_.status(root_ / ".")) owners.push_back(folder->owner);
  return owners;
}

std::optional<std::string> entry_digest(const std::string& prefix, const std::string& rest) {
  if (!is_hexadecimal(prefix, kPrefixDigits) || !is_hexadecimal(rest, kDigestDigits - kPrefixDigits))
    return std::nullopt;
  return prefix + rest;
}

ScratchFolder make_temporary(FileSystem& files, const Path& root, const std::string& purpose) {
  return make_scratch_folder(files, root / "tmp", owner_prefix() + "-" + purpose + "-");
}

std::optional<ScratchFolder> set_aside(FileSystem& files, const EntryStore& store,
                                       const std::string& digest) {
  ScratchFolder aside = make_temporary(files, store.root(), "removed");
  try {
    (void)files.rename(store.directory(digest), aside.get().path / "entry");
  } catch (const filesystem_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) throw;
    return std::nullopt;
  }
  return aside;
}

std::string explain(const filesystem_error& error) {
  return error.path1().string() + ": " + error.code().message();
}

}  // namespace kiln
