#include "cache/bundle.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/hash.h"
#include "base/input_file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cache/entry.h"
#include "cache/tar.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;
using std::filesystem::filesystem_error;

constexpr std::uint64_t kLargestMember = std::uint64_t{1} << 30;
constexpr std::size_t kMostMembers = std::size_t{1} << 20;

/// A name in printable form: it may hold any bytes.
std::string shown(const std::string& name) {
  std::string text;
  for (const char c : name) text += c >= ' ' && c <= '~' ? c : '?';
  return "member '" + text + "'";
}

/// The entry and the file that a name stands for.
std::pair<std::string, std::string> split_name(const std::string& name) {
  constexpr std::size_t kParts = 4;
  const std::vector<std::string> parts = split(name, '/');
  const bool shape = parts.size() == kParts && parts[0] == kEntryFormatFolder;
  const auto digest = shape ? entry_digest(parts[1], parts[2]) : std::nullopt;
  if (!digest || parts[3].empty() || parts[3] == "." || parts[3] == "..") {
    throw bad_input(shown(name) + " is not a file of a cache entry ('v1/<2 digits>/<62 digits>/<name>')");
  }
  return {*digest, parts[3]};
}

/// Goes from header to header.
class BundleReader {
 public:
  explicit BundleReader(const BundleSource& bundle) : bundle_(bundle) {}

  /// False at the end, which must be whole and the end of the text.
  bool next(BundleMember& member) {
    const std::string block = take(kTarBlock, "the bundle");
    if (block.find_first_not_of('\0') == std::string::npos) {
      require_end();
      return false;
    }
    const auto header = parse_tar_header(block);
    if (!header) {
      throw bad_input("at byte " + std::to_string(at_ - kTarBlock) +
                      " there is no header of a member, or a damaged one");
    }
    if (header->type != '0') throw bad_input(shown(header->name) + " is not a plain file");
    if (header->size > kLargestMember) {
      throw bad_input(shown(header->name) + " is larger than " + format_bytes(kLargestMember));
    }
    std::tie(member.digest, member.name) = split_name(header->name);
    if (!seen_.insert(header->name).second) throw bad_input(shown(header->name) + " is there twice");
    if (seen_.size() > kMostMembers)
      throw bad_input("it has more than " + std::to_string(kMostMembers) + " members");
    member.at = at_;
    member.size = header->size;
    skip(header->size, shown(header->name));
    skip(tar_padding(header->size).size(), shown(header->name));
    return true;
  }

 private:
  void skip(std::uint64_t size, const std::string& what) {
    if (size > bundle_.size - at_) throw bad_input(what + " is cut off");
    at_ += size;
  }

  std::string take(std::uint64_t size, const std::string& what) {
    const std::uint64_t begin = at_;
    skip(size, what);
    std::string taken = bundle_.read(begin, size);
    if (taken.size() != size) throw bad_input(what + " is cut off");
    return taken;
  }

  void require_end() {
    const std::string rest = take(kTarBlock, "the end of the bundle");
    if (rest.find_first_not_of('\0') != std::string::npos || at_ != bundle_.size)
      throw bad_input("there is more after the end of the bundle");
  }

  const BundleSource& bundle_;
  std::uint64_t at_ = 0;
  std::set<std::string> seen_;
};

/// Calls `take` with name and bytes of each file of each sound entry that is wanted.
template <class Take>
BundleSummary for_each_file(FileSystem& files, const EntryStore& store, const EntryFilter& wanted,
                            const Take& take) {
  BundleSummary summary;
  for (const std::string& digest : store.digests()) {
    const auto info = read_cache_entry_info(files, store.directory(digest));
    if (info && !wanted(*info)) continue;
    const auto contents = store.read_files(digest);
    if (const auto* damage = std::get_if<CacheEntryDamage>(&contents)) {
      if (files.status(store.directory(digest))) summary.skipped.push_back(digest + ": " + damage->what);
      continue;
    }
    for (const auto& [name, bytes] : std::get<EntryFiles>(contents)) {
      take(digest, name, bytes);
      summary.bytes += bytes.size();
    }
    ++summary.entries;
  }
  return summary;
}

Path member_path(const std::string& digest, const std::string& name) {
  return Path(kEntryFormatFolder) / digest.substr(0, 2) / digest.substr(2) / name;
}

/// The bytes of a member of a bundle.
std::string member_bytes(const std::string& digest, const std::string& name, const std::string& bytes) {
  return tar_header(member_path(digest, name).string(), bytes.size()) + bytes + tar_padding(bytes.size());
}

/// Below `staging`, which stands for a root.
void write_member(FileSystem& files, const Path& staging, const std::string& digest, const std::string& name,
                  std::string_view bytes, bool sync = true) {
  const Path path = staging / member_path(digest, name);
  files.make_own_directories(path.parent_path());  // others may read a bundle
  files.write_own_file(path, bytes, sync);
}

void require_sound(FileSystem& files, const EntryStore& staged, const std::string& digest) {
  const Path directory = staged.directory(digest);
  const auto contents = read_entry_files(files, directory);
  if (const auto* damage = std::get_if<CacheEntryDamage>(&contents))
    throw bad_input("entry " + digest + " is damaged: " + damage->what);
  for (const std::string& name : files.list(directory)) {
    if (!std::get<EntryFiles>(contents).contains(name)) {
      throw bad_input(shown(member_path(digest, name).string()) +
                      " is not among the files that its entry.json records");
    }
  }
  const auto read = read_cache_entry(files, directory);
  if (const auto* damage = std::get_if<CacheEntryDamage>(&read))
    throw bad_input("entry " + digest + " is damaged: " + damage->what);
  if (sha256_hex(std::get<CacheEntry>(read).preimage) != digest)
    throw bad_input("entry " + digest + " is damaged: its name is not the digest of its preimage");
}

/// The files written so far; all are removed again unless they are kept.
class Placement {
 public:
  Placement(FileSystem& files, const EntryStore& from, const EntryStore& to)
      : files_(files), from_(from), to_(to) {}

  /// An entry that is there already, and sound, stays.
  void put(const std::string& digest) {
    const Path target = to_.directory(digest);
    files_.make_own_directories(target.parent_path());
    if (files_.status(target)) {
      const auto there = to_.read(digest);
      if (std::holds_alternative<CacheEntry>(there)) return;
      if (files_.status(target)->type != FileStatus::Type::kDirectory) files_.remove_all(target);
      static_cast<void>(set_aside(files_, to_, digest));
    }
    if (files_.rename(from_.directory(digest), target)) put_.push_back(digest);
  }

  void take_back() {
    for (const std::string& digest : put_) static_cast<void>(set_aside(files_, to_, digest));
  }

 private:
  FileSystem& files_;
  const EntryStore& from_;
  const EntryStore& to_;
  std::vector<std::string> put_;
};

/// Into a folder that has no entries yet: by one rename.
void place_all(FileSystem& files, const EntryStore& staged, const EntryStore& target,
               const std::set<std::string>& digests) {
  const Path entries = target.root() / kEntryFormatFolder;
  if (digests.empty()) return;
  if (!files.status(entries) && files.rename(staged.root() / kEntryFormatFolder, entries)) return;
  Placement placement(files, staged, target);
  try {
    for (const std::string& digest : digests) placement.put(digest);
  } catch (const filesystem_error&) {
    placement.take_back();
    throw;
  }
}

}  // namespace

BundleSource bundle_in_text(std::string_view text) {
  return {text.size(), [text](std::uint64_t at, std::uint64_t count) {
            return std::string(text.substr(std::min<std::uint64_t>(at, text.size()), count));
          }};
}

BundleSource bundle_in_file(FileSystem& files, const Path& file) {
  return {input_status(files, file).size, [&files, file](std::uint64_t at, std::uint64_t count) {
            return files.read(file, {at, count}).value_or("");
          }};
}

std::vector<BundleMember> parse_bundle(const BundleSource& bundle) {
  BundleReader reader(bundle);
  std::vector<BundleMember> members;
  for (BundleMember member; reader.next(member);) members.push_back(member);
  return members;
}

std::optional<std::string> pack_entry(FileSystem& files, const EntryStore& store, const std::string& digest) {
  if (!files.status(store.directory(digest))) return std::nullopt;
  const auto contents = store.read_files(digest);
  if (std::holds_alternative<CacheEntryDamage>(contents)) return std::nullopt;
  std::string bundle;
  for (const auto& [name, bytes] : std::get<EntryFiles>(contents))
    bundle += member_bytes(digest, name, bytes);
  return bundle + tar_end();
}

BundleSummary pack_bundle(FileSystem& files, const EntryStore& store, const EntryFilter& wanted,
                          const Path& file) {
  OutputFile output(files, file);
  const Path& fresh = output.draft();
  files.write_file(fresh, "", false);
  BundleSummary summary =
      for_each_file(files, store, wanted,
                    [&](const std::string& digest, const std::string& name, const std::string& bytes) {
                      files.append_file(fresh, member_bytes(digest, name, bytes));
                    });
  files.append_file(fresh, tar_end());
  output.finish();
  return summary;
}

BundleSummary pack_folder(FileSystem& files, const EntryStore& store, const EntryFilter& wanted,
                          const Path& folder) {
  if (!files.list(folder).empty())
    throw bad_input("folder '" + folder.string() + "' is not empty; a bundle needs one of its own");
  files.make_own_directories(folder);
  const ScratchFolder staging = make_scratch_folder(files, folder, ".kiln-pack-");
  BundleSummary summary =
      for_each_file(files, store, wanted,
                    [&](const std::string& digest, const std::string& name, const std::string& bytes) {
                      write_member(files, staging.get().path, digest, name, bytes);
                    });
  if (summary.entries > 0)
    (void)files.rename(staging.get().path / kEntryFormatFolder, folder / kEntryFormatFolder);
  return summary;
}

BundleSummary unpack_bundle(FileSystem& files, const BundleSource& bundle, const Path& root, bool sync) {
  const std::vector<BundleMember> members = parse_bundle(bundle);
  files.make_own_directories(root);
  const ScratchFolder scratch = make_temporary(files, root, "unpack");
  const EntryStore staged(files, scratch.get().path, EntryStore::Owners::kSelfAndRoot);
  const EntryStore target(files, root, EntryStore::Owners::kSelfAndRoot);
  BundleSummary summary;
  std::set<std::string> digests;
  for (const BundleMember& member : members) {
    write_member(files, scratch.get().path, member.digest, member.name, bundle.read(member.at, member.size),
                 sync);
    digests.insert(member.digest);
    summary.bytes += member.size;
  }
  for (const std::string& digest : digests) require_sound(files, staged, digest);
  summary.entries = digests.size();
  place_all(files, staged, target, digests);
  return summary;
}

}  // namespace kiln
