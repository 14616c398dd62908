#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "cache/collector.h"

namespace kiln {

/// Keeps a cache folder near a size without a walk through it at each publish. The file `usage` holds the
/// bytes of the last walk and of what was published since; processes that publish at once may lose a part of
/// each other's, and so it counts for ten minutes only. A process writes it at its first publish, then when a
/// second has passed or a thousandth of the cap has come together, and at the end. Each walk also removes
/// what dead processes left. Above the cap, a tenth of it is made free. What running processes use is not
/// evicted and may exceed the cap. Thread-safe.
class SizeCap {
 public:
  /// `max_bytes` 0: no cap.
  SizeCap(FileSystem& files, const Clock& clock, std::filesystem::path root, std::uint64_t max_bytes);

  /// After `bytes` were published. Throws filesystem_error.
  void published(std::uint64_t bytes, Collector& collector);
  /// Adds what this process has not written yet. A disk that refuses is no error: the next walk counts it.
  void finish() noexcept;

 private:
  struct Usage {
    std::uint64_t bytes = 0;
    std::int64_t walked_ns = 0;
  };
  /// Bytes to add to the file now; 0: nothing yet.
  [[nodiscard]] std::uint64_t take_due(std::uint64_t published);
  /// With `published`; `nullopt` if there is none that counts.
  [[nodiscard]] std::optional<Usage> read(std::uint64_t published);
  [[nodiscard]] Usage walk(Collector& collector);
  void write(const Usage& usage);
  [[nodiscard]] bool may_collect(std::int64_t now_ns);

  FileSystem& files_;
  const Clock& clock_;
  std::filesystem::path root_;
  std::uint64_t max_bytes_;
  std::mutex mutex_;  // of what follows
  std::int64_t not_before_ns_ = std::numeric_limits<std::int64_t>::min();
  std::uint64_t pending_ = 0;               // bytes
  std::optional<std::int64_t> written_ns_;  // time of the steady clock
};

}  // namespace kiln
