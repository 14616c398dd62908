#include "cache/explanation.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace kiln {
namespace {

KeyExplanation look_up(const std::vector<EntryStore>& stores, const CacheKey& key) {
  KeyExplanation explanation;
  for (const EntryStore& store : stores) {
    const EntryStore::Lookup found = store.look_up(key);
    if (const auto* damage = std::get_if<CacheEntryDamage>(&found)) {
      if (explanation.damage.empty()) explanation.damage = damage->what;
    } else if (std::holds_alternative<CodeObject>(found)) {
      explanation.layer = store.root();
      return explanation;
    }
  }
  return explanation;
}

int distance(const std::vector<KeyDifference>& differences) {
  int sum = 0;
  for (const KeyDifference& difference : differences) sum += difference.weight;
  return sum;
}

/// The key of an entry as it was hashed; `nullopt` if it is not there any more, or damaged.
std::optional<KeyParts> read_key(FileSystem& files, const EntryStore& store, const std::string& digest) {
  try {
    const std::filesystem::path file = store.directory(digest) / "preimage.txt";
    const auto status = files.status(file);
    if (!status || status->type != FileStatus::Type::kFile) return std::nullopt;
    const auto preimage = files.read_file(file);
    if (!preimage || sha256_hex(*preimage) != digest) return std::nullopt;
    return parse_preimage(*preimage);
  } catch (const std::filesystem::filesystem_error&) {
    return std::nullopt;
  }
}

struct Missed {
  KeyExplanation* explanation;
  KeyParts key;
  int nearest = 0;
};

void compare(const EntryStore& store, const std::string& digest, const KeyParts& entry, Missed& missed) {
  if (!are_related(entry, missed.key)) return;
  std::vector<KeyDifference> differences = find_differences(entry, missed.key);
  if (differences.empty()) return;  // the damaged entry itself
  const int far = distance(differences);
  if (missed.explanation->nearest && far >= missed.nearest) return;
  missed.nearest = far;
  missed.explanation->nearest = NearestEntry{digest, store.root(), std::move(differences)};
}

}  // namespace

std::vector<KeyExplanation> explain_keys(FileSystem& files, const std::vector<EntryStore>& stores,
                                         const std::vector<CacheKey>& keys) {
  std::vector<KeyExplanation> explanations;
  explanations.reserve(keys.size());
  for (const CacheKey& key : keys) explanations.push_back(look_up(stores, key));
  std::vector<Missed> missed;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (explanations[i].hit()) continue;
    if (auto parts = parse_preimage(keys[i].preimage))
      missed.push_back({&explanations[i], *std::move(parts)});
  }
  if (missed.empty()) return explanations;
  for (const EntryStore& store : stores) {
    for (const std::string& digest : store.digests()) {
      const auto entry = read_key(files, store, digest);
      if (!entry) continue;
      for (Missed& one : missed) compare(store, digest, *entry, one);
    }
  }
  return explanations;
}

}  // namespace kiln
