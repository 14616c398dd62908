#include "cache/entry_metadata.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/json_integer.h"
#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr std::size_t kDigestLength = 64;

template <class Value>
void put_optional(Json& object, const char* name, const std::optional<Value>& value) {
  if (value) object[name] = *value;
}

template <class Integer>
std::optional<Integer> get_optional(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? std::nullopt : std::optional(integer_from<Integer>(*found));
}

Json to_json(const std::map<std::string, ResourceUse>& resources) {
  Json all = Json::object();
  for (const auto& [name, use] : resources) {
    Json& one = all[name] = Json::object();
    put_optional(one, "registers", use.registers);
    put_optional(one, "static_shared_bytes", use.static_shared_bytes);
    put_optional(one, "local_bytes", use.local_bytes);
    put_optional(one, "max_threads_per_block", use.max_threads_per_block);
  }
  return all;
}

std::map<std::string, ResourceUse> resources_from(const Json& all) {
  std::map<std::string, ResourceUse> resources;
  for (const auto& [name, one] : all.items()) {
    resources[name] = ResourceUse{
        get_optional<int>(one, "registers"), get_optional<std::uint64_t>(one, "static_shared_bytes"),
        get_optional<std::uint64_t>(one, "local_bytes"), get_optional<int>(one, "max_threads_per_block")};
  }
  return resources;
}

Json to_json(const std::map<std::string, RecordedFile>& files) {
  Json all = Json::object();
  for (const auto& [name, file] : files) all[name] = {{"size", file.size}, {"sha256", file.sha256}};
  return all;
}

std::map<std::string, RecordedFile> files_from(const Json& all) {
  std::map<std::string, RecordedFile> files;
  for (const auto& [name, one] : all.items()) {
    files[name] =
        RecordedFile{integer_from<std::uint64_t>(one.at("size")), one.at("sha256").get<std::string>()};
  }
  return files;
}

EntryMetadata metadata_from(const Json& document) {
  EntryMetadata metadata;
  metadata.info.digest = document.at("digest").get<std::string>();
  metadata.info.label = document.at("label").get<std::string>();
  metadata.info.target = document.at("target").get<std::string>();
  metadata.info.compiler = document.at("compiler").get<std::string>();
  metadata.info.created_ns = integer_from<std::int64_t>(document.at("created_ns"));
  metadata.info.compile_seconds = document.at("compile_seconds").get<double>();
  if (document.contains("portable")) metadata.info.portable = document.at("portable").get<std::string>();
  metadata.code.format = document.at("code_format").get<std::string>();
  metadata.code.compile_seconds = metadata.info.compile_seconds;
  metadata.code.lowered_names = document.at("lowered_names").get<std::map<std::string, std::string>>();
  metadata.code.resources = resources_from(document.at("resources"));
  for (const auto& [name, use] : metadata.code.resources) {
    if (use.registers)
      metadata.info.registers = std::max(metadata.info.registers.value_or(0), *use.registers);
  }
  metadata.files = files_from(document.at("files"));
  for (const auto& [name, file] : metadata.files) metadata.info.bytes += file.size;
  return metadata;
}

/// The text with `checksum` zeroed; empty if it is not there.
std::string without_checksum(std::string text, const std::string& checksum) {
  const std::size_t at = text.find(checksum);
  if (at == std::string::npos) return "";
  return text.replace(at, checksum.size(), std::string(checksum.size(), '0'));
}

bool has_valid_checksum(const std::string& text, const Json& document) {
  const auto stored = document.find("checksum");
  if (stored == document.end() || !stored->is_string()) return false;
  const auto checksum = stored->get<std::string>();
  return checksum.size() == kDigestLength && sha256_hex(without_checksum(text, checksum)) == checksum;
}

}  // namespace

std::string to_json_text(const EntryMetadata& metadata) {
  const std::string zeros(kDigestLength, '0');
  Json document = {{"checksum", zeros},
                   {"format", kFormat},
                   {"digest", metadata.info.digest},
                   {"label", printable_line(metadata.info.label)},
                   {"target", metadata.info.target},
                   {"compiler", metadata.info.compiler},
                   {"created_ns", metadata.info.created_ns},
                   {"compile_seconds", metadata.info.compile_seconds},
                   {"code_format", metadata.code.format},
                   {"lowered_names", metadata.code.lowered_names},
                   {"resources", to_json(metadata.code.resources)},
                   {"files", to_json(metadata.files)}};
  if (!metadata.info.portable.empty()) document["portable"] = metadata.info.portable;
  constexpr int kIndent = 1;
  try {
    std::string text = document.dump(kIndent) + "\n";
    return text.replace(text.find(zeros), zeros.size(), sha256_hex(text));
  } catch (const Json::type_error& error) {
    throw bad_input(std::string("a kernel's name is not UTF-8: ") + error.what());
  }
}

std::variant<EntryMetadata, CacheEntryDamage> parse_entry_metadata(const std::string& text) {
  const Json document = Json::parse(text, nullptr, false);
  if (!document.is_object()) return CacheEntryDamage{"entry.json is not a JSON object"};
  if (!has_valid_checksum(text, document)) return CacheEntryDamage{"entry.json has a wrong checksum"};
  try {
    if (integer_from<int>(document.at("format")) != kFormat)
      return CacheEntryDamage{"its format is not known"};
    EntryMetadata metadata = metadata_from(document);
    metadata.info.bytes += text.size();
    return metadata;
  } catch (const Json::exception& error) {
    return CacheEntryDamage{std::string("entry.json is not as expected: ") + error.what()};
  } catch (const Error& error) {
    return CacheEntryDamage{std::string("entry.json is not as expected: ") + error.what()};
  }
}

}  // namespace kiln
