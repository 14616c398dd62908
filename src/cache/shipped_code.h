#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/bundle.h"
#include "cache/entry.h"
#include "device/target.h"

namespace kiln {

/// The entry that suits the target best, of several the newest; null: none does.
[[nodiscard]] const CacheEntryInfo* best_entry(const std::vector<CacheEntryInfo>& entries,
                                               const Target& target);

/// "have", one line for each: "cg.cu axpy<double>: cuda:sm_80, cuda:sm_90". At most 20.
[[nodiscard]] std::string list_of_entries(const std::vector<CacheEntryInfo>& entries);

/// Bundles in the memory of the program, as a source of code: a program that brings its kernels along needs
/// neither a compiler nor a cache. Thread-safe.
class ShippedCode {
 public:
  /// The text must outlive this. Throws bad_input for what is not a whole bundle.
  void add(std::string_view bundle);
  [[nodiscard]] bool empty() const;
  /// The entries with this portable digest (cache/key_parts.h), of any architecture, without damaged ones.
  [[nodiscard]] std::vector<CacheEntryInfo> find(const std::string& portable) const;
  /// Verified. `nullopt`: not here, or damaged.
  [[nodiscard]] std::optional<CodeObject> read(const std::string& digest) const;
  [[nodiscard]] std::vector<CacheEntryInfo> list() const;

 private:
  using Files = std::map<std::string, std::string_view>;  // by name

  mutable std::mutex mutex_;
  std::map<std::string, Files> entries_;  // by digest
};

}  // namespace kiln
