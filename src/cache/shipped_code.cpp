#include "cache/shipped_code.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/text.h"
#include "cache/entry_metadata.h"

namespace kiln {
namespace {

std::optional<CacheEntryInfo> info_of(std::string_view metadata) {
  auto parsed = parse_entry_metadata(std::string(metadata));
  auto* sound = std::get_if<EntryMetadata>(&parsed);
  return sound != nullptr ? std::optional(std::move(sound->info)) : std::nullopt;
}

}  // namespace

const CacheEntryInfo* best_entry(const std::vector<CacheEntryInfo>& entries, const Target& target) {
  const CacheEntryInfo* best = nullptr;
  std::optional<std::pair<int, std::int64_t>> best_rank;
  for (const CacheEntryInfo& entry : entries) {
    const auto suits = target.suits(entry.target);
    if (!suits) continue;
    const std::pair rank{*suits, entry.created_ns};
    if (best_rank && rank <= *best_rank) continue;
    best = &entry;
    best_rank = rank;
  }
  return best;
}

std::string list_of_entries(const std::vector<CacheEntryInfo>& entries) {
  constexpr std::size_t kMost = 20;
  std::map<std::string, std::vector<std::string>> targets;
  for (const CacheEntryInfo& entry : entries) {
    auto& known = targets[entry.label];
    if (std::find(known.begin(), known.end(), entry.target) == known.end()) known.push_back(entry.target);
  }
  std::string text;
  std::size_t count = 0;
  for (auto& [label, known] : targets) {
    if (count++ == kMost) return text + "\n  and " + std::to_string(targets.size() - kMost) + " more";
    std::sort(known.begin(), known.end());
    text.append("\n  ").append(label).append(": ").append(join(known, ", "));
  }
  return text;
}

void ShippedCode::add(std::string_view bundle) {
  std::map<std::string, Files> entries;
  for (const BundleMember& member : parse_bundle(bundle_in_text(bundle)))
    entries[member.digest][member.name] = bundle.substr(member.at, member.size);
  const std::lock_guard lock(mutex_);
  entries_.merge(entries);
}

bool ShippedCode::empty() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty();
}

std::vector<CacheEntryInfo> ShippedCode::find(const std::string& portable) const {
  std::vector<CacheEntryInfo> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [digest, files] : entries_) {
    const auto metadata = files.find(kEntryMetadataFile);
    // Most entries are others; reading them would take longer than the driver takes to load this one.
    if (metadata == files.end() || metadata->second.find(portable) == std::string_view::npos) continue;
    auto info = info_of(metadata->second);
    if (info && info->portable == portable && info->digest == digest) found.push_back(*std::move(info));
  }
  return found;
}

std::optional<CodeObject> ShippedCode::read(const std::string& digest) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(digest);
  if (found == entries_.end()) return std::nullopt;
  auto entry = read_entry_code(found->second);
  auto* sound = std::get_if<EntryCode>(&entry);
  return sound != nullptr ? std::optional(std::move(sound->code)) : std::nullopt;
}

std::vector<CacheEntryInfo> ShippedCode::list() const {
  std::vector<CacheEntryInfo> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [digest, files] : entries_) {
    const auto metadata = files.find(kEntryMetadataFile);
    if (metadata == files.end()) continue;
    if (auto info = info_of(metadata->second)) all.push_back(*std::move(info));
  }
  return all;
}

}  // namespace kiln
