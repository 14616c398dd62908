#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "cache/cache_key.h"
#include "cache/entry_store.h"
#include "cache/key_difference.h"

namespace kiln {

/// The entry of a store that a key differs least from.
struct NearestEntry {
  std::string digest;
  std::filesystem::path layer;
  std::vector<KeyDifference> differences;
};

/// The stores' answer to a key.
struct KeyExplanation {
  std::filesystem::path layer;          ///< the store that has it; empty for a miss
  std::string damage;                   ///< why the entry that is there is none; a miss
  std::optional<NearestEntry> nearest;  ///< for a miss; absent if no entry has this kernel

  [[nodiscard]] bool hit() const { return !layer.empty(); }
};

/// Looks each key up in `stores`, in order, and where it is not, reads the preimage of every entry once. An
/// entry whose preimage does not give its name is passed over. Writes nothing, counts nothing.
[[nodiscard]] std::vector<KeyExplanation> explain_keys(FileSystem& files,
                                                       const std::vector<EntryStore>& stores,
                                                       const std::vector<CacheKey>& keys);

}  // namespace kiln
