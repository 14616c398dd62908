#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "kiln/kernel.h"

namespace kiln {

/// Kernels of earlier requests, by kernel, device, values and headers. Requests consult it before all other
/// stages. Beyond `most` kernels it drops the oldest, which stay alive for their owners. Thread-safe:
/// look-ups share a lock.
class KernelIndex {
 public:
  static constexpr std::size_t kMostKernels = 4096;

  explicit KernelIndex(std::size_t most = kMostKernels) : most_(most) {}

  /// Null: not here.
  [[nodiscard]] std::shared_ptr<const Kernel::Impl> find(const KernelRequest::Impl& request) const;
  /// Does nothing where equal values were added before.
  void add(const KernelRequest::Impl& request, std::shared_ptr<const Kernel::Impl> kernel);

 private:
  struct Entry;
  using Entries = std::unordered_multimap<std::uint64_t, std::shared_ptr<const Entry>>;

  [[nodiscard]] const Entry* find_entry(std::uint64_t hash, const KernelRequest::Impl& request) const;

  std::size_t most_;
  mutable std::shared_mutex mutex_;                            // of all below
  Entries entries_;                                            // by the values' hash
  std::deque<std::pair<std::uint64_t, const Entry*>> by_age_;  // hash and entry, oldest first
};

}  // namespace kiln
