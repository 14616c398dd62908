#include "cache/entry.h"

#include <map>

#include "base/hash.h"
#include "cache/entry_metadata.h"
#include "cache/key_parts.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr const char* kMetadataFile = kEntryMetadataFile;
constexpr const char* kBinaryFile = "binary";
constexpr const char* kSourceFile = "source.cu";
constexpr const char* kPreimageFile = "preimage.txt";
constexpr const char* kLogFile = "log.txt";

std::string digits(std::uint64_t number) {
  return std::to_string(number);
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
}

/// An entry's folder, and the users who may own its files.
struct EntryPlace {
  FileSystem& files;
  const Path& directory;
  const TrustedOwners& owners;
};

/// The file's content, or what is wrong. Checks its type first: a link or a pipe is not opened. The owner is
/// that of the file which is read: no other user can replace it in the folder, which has been checked.
std::variant<std::string, CacheEntryDamage> read_plain_file(const EntryPlace& place,
                                                            const std::string& name) {
  const auto& [files, directory, owners] = place;
  const auto status = files.status(directory / name);
  if (!status) return CacheEntryDamage{name + " is missing"};
  if (status->type != FileStatus::Type::kFile) return CacheEntryDamage{name + " is not a plain file"};
  if (const auto why = find_distrust(*status, owners)) return CacheEntryDamage{name + " " + *why};
  auto text = files.read_file(directory / name);
  if (!text) return CacheEntryDamage{name + " is missing"};
  return *std::move(text);
}

std::variant<EntryMetadata, CacheEntryDamage> read_metadata(const EntryPlace& place) {
  const auto status = place.files.status(place.directory);
  if (!status) return CacheEntryDamage{"it is missing"};
  if (status->type != FileStatus::Type::kDirectory) return CacheEntryDamage{"it is not a directory"};
  if (const auto why = find_distrust(*status, place.owners)) return CacheEntryDamage{"it " + *why};
  const auto text = read_plain_file(place, kMetadataFile);
  if (const auto* damage = std::get_if<CacheEntryDamage>(&text)) return *damage;
  auto metadata = parse_entry_metadata(std::get<std::string>(text));
  if (std::holds_alternative<CacheEntryDamage>(metadata)) return metadata;
  for (const auto& [name, recorded] : std::get<EntryMetadata>(metadata).files) {
    if (!is_plain_name(name)) return CacheEntryDamage{"'" + name + "' is not a name of a file"};
  }
  return metadata;
}

std::optional<CacheEntryDamage> find_damage(const std::string& name, std::string_view bytes,
                                            const RecordedFile& recorded) {
  if (bytes.size() != recorded.size) {
    return CacheEntryDamage{name + " has " + digits(bytes.size()) + " bytes, " + digits(recorded.size) +
                            " are recorded"};
  }
  if (sha256_hex(bytes) != recorded.sha256) return CacheEntryDamage{name + " has a wrong SHA-256"};
  return std::nullopt;
}

std::variant<std::string, CacheEntryDamage> read_recorded_file(const EntryPlace& place,
                                                               const std::string& name,
                                                               const RecordedFile& recorded) {
  auto text = read_plain_file(place, name);
  if (std::holds_alternative<CacheEntryDamage>(text)) return text;
  if (auto damage = find_damage(name, std::get<std::string>(text), recorded)) return *std::move(damage);
  return text;
}

/// `read_file(name, recorded)` gives the verified bytes of a file.
template <class ReadFile>
std::variant<EntryCode, CacheEntryDamage> read_code(std::variant<EntryMetadata, CacheEntryDamage> read,
                                                    const ReadFile& read_file) {
  if (const auto* damage = std::get_if<CacheEntryDamage>(&read)) return *damage;
  auto& metadata = std::get<EntryMetadata>(read);
  EntryCode entry{std::move(metadata.code), std::move(metadata.info)};
  for (const auto& [name, bytes] :
       {std::pair(kBinaryFile, &entry.code.binary), std::pair(kLogFile, &entry.code.log)}) {
    const auto recorded = metadata.files.find(name);
    if (recorded == metadata.files.end()) return CacheEntryDamage{std::string(name) + " is not recorded"};
    if (recorded->second.size == 0) continue;
    std::variant<std::string, CacheEntryDamage> text = read_file(name, recorded->second);
    if (const auto* damage = std::get_if<CacheEntryDamage>(&text)) return *damage;
    *bytes = std::get<std::string>(std::move(text));
  }
  return entry;
}

struct Verified {
  EntryMetadata metadata;
  EntryFiles contents;  ///< content of the recorded files
};

std::variant<Verified, CacheEntryDamage> read_verified(const EntryPlace& place) {
  auto read = read_metadata(place);
  if (const auto* damage = std::get_if<CacheEntryDamage>(&read)) return *damage;
  Verified verified{std::get<EntryMetadata>(std::move(read)), {}};
  for (const auto& [name, recorded] : verified.metadata.files) {
    auto text = read_recorded_file(place, name, recorded);
    if (const auto* damage = std::get_if<CacheEntryDamage>(&text)) return *damage;
    verified.contents[name] = std::get<std::string>(std::move(text));
  }
  for (const char* name : {kBinaryFile, kPreimageFile, kLogFile}) {
    if (!verified.contents.contains(name)) return CacheEntryDamage{std::string(name) + " is not recorded"};
  }
  return verified;
}

CacheEntry entry_from(Verified&& verified) {
  auto& [metadata, contents] = verified;
  CacheEntry entry{std::move(metadata.info), std::move(metadata.code), std::move(contents[kPreimageFile])};
  entry.code.binary = std::move(contents[kBinaryFile]);
  entry.code.log = std::move(contents[kLogFile]);
  return entry;
}

}  // namespace

void write_cache_entry(FileSystem& files, const Path& directory, const CacheKey& key, const CodeObject& code,
                       const CacheEntryLabel& label, std::int64_t created_ns) {
  EntryMetadata metadata;
  metadata.info = CacheEntryInfo{key.digest,
                                 label.label,
                                 label.target,
                                 label.compiler,
                                 0,
                                 created_ns,
                                 code.compile_seconds,
                                 {},
                                 0,
                                 0,
                                 portable_digest(key.preimage)};
  metadata.code.format = code.format;
  metadata.code.lowered_names = code.lowered_names;
  metadata.code.resources = code.resources;
  const std::map<std::string, const std::string*> contents = {{kBinaryFile, &code.binary},
                                                              {kSourceFile, &label.source_text},
                                                              {kPreimageFile, &key.preimage},
                                                              {kLogFile, &code.log}};
  for (const auto& [name, bytes] : contents) {
    metadata.files[name] = RecordedFile{bytes->size(), sha256_hex(*bytes)};
  }
  const std::string metadata_text = to_json_text(metadata);
  for (const auto& [name, bytes] : contents) files.write_own_file(directory / name, *bytes, false);
  files.write_own_file(directory / kMetadataFile, metadata_text, false);
}

std::variant<EntryCode, CacheEntryDamage> read_entry_code(FileSystem& files, const Path& directory,
                                                          const TrustedOwners& owners) {
  const EntryPlace place{files, directory, owners};
  try {
    return read_code(read_metadata(place), [&](const std::string& name, const RecordedFile& recorded) {
      return read_recorded_file(place, name, recorded);
    });
  } catch (const std::filesystem::filesystem_error& error) {
    return CacheEntryDamage{error.what()};
  }
}

std::variant<EntryCode, CacheEntryDamage> read_entry_code(
    const std::map<std::string, std::string_view>& contents) {
  const auto metadata = contents.find(kMetadataFile);
  if (metadata == contents.end()) return CacheEntryDamage{std::string(kMetadataFile) + " is missing"};
  return read_code(parse_entry_metadata(std::string(metadata->second)),
                   [&](const std::string& name,
                       const RecordedFile& recorded) -> std::variant<std::string, CacheEntryDamage> {
                     const auto found = contents.find(name);
                     if (found == contents.end()) return CacheEntryDamage{name + " is missing"};
                     if (auto damage = find_damage(name, found->second, recorded)) return *std::move(damage);
                     return std::string(found->second);
                   });
}

std::variant<CacheEntry, CacheEntryDamage> read_cache_entry(FileSystem& files, const Path& directory,
                                                            const TrustedOwners& owners) {
  try {
    auto read = read_verified({files, directory, owners});
    if (auto* damage = std::get_if<CacheEntryDamage>(&read)) return std::move(*damage);
    return entry_from(std::get<Verified>(std::move(read)));
  } catch (const std::filesystem::filesystem_error& error) {
    return CacheEntryDamage{error.what()};
  }
}

std::variant<EntryFiles, CacheEntryDamage> read_entry_files(FileSystem& files, const Path& directory,
                                                            const TrustedOwners& owners) {
  try {
    auto read = read_verified({files, directory, owners});
    if (auto* damage = std::get_if<CacheEntryDamage>(&read)) return std::move(*damage);
    EntryFiles contents = std::move(std::get<Verified>(read).contents);
    contents[kMetadataFile] = files.read_file(directory / kMetadataFile).value_or("");
    return contents;
  } catch (const std::filesystem::filesystem_error& error) {
    return CacheEntryDamage{error.what()};
  }
}

std::optional<CacheEntryInfo> read_cache_entry_info(FileSystem& files, const Path& directory) {
  try {
    const auto read = read_metadata({files, directory, {}});
    if (const auto* metadata = std::get_if<EntryMetadata>(&read)) return metadata->info;
  } catch (const std::filesystem::filesystem_error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace kiln
