#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/device.h"

namespace kiln {

/// Contents of buffers that one variant has made, kept on the device for the next ones, by the keys of
/// trial/content_key.h. Copies take at most half of the memory that was free when the first was made, give
/// way to newer ones, oldest first, and all go when a buffer needs their room: then contents are made again.
/// For one device and one thread.
class KeptBuffers {
 public:
  /// Copies made and reused since the start.
  struct Counts {
    std::uint64_t filled = 0, copied = 0;  ///< buffers that Kiln fills
    std::uint64_t run = 0, spared = 0;     ///< kernels that make inputs and references
  };

  /// A variant begins: what the ones before have made may give way to what this one makes. Nothing is kept
  /// unless `enabled`.
  void begin_variant(bool enabled) {
    ++turn_;
    enabled_ = enabled;
  }
  [[nodiscard]] bool enabled() const { return enabled_; }

  /// Null where there is no such copy.
  [[nodiscard]] std::shared_ptr<const DeviceBuffer> find(const std::string& key);
  /// Copies the content of `buffer`, or `bytes` from the host. Where memory does not allow that, nothing is
  /// kept, and the result is null. Does not wait for a copy on the device.
  std::shared_ptr<const DeviceBuffer> keep(const std::string& key, Device& device, Stream& stream,
                                           const DeviceBuffer& buffer);
  std::shared_ptr<const DeviceBuffer> keep(const std::string& key, Device& device, Stream& stream,
                                           std::span<const std::byte> bytes);
  /// Frees all copies.
  void clear();
  [[nodiscard]] bool empty() const { return copies_.empty(); }

  /// The keys of a launch's buffers after it, as an earlier launch with this key has left them; null if there
  /// was none.
  [[nodiscard]] const std::vector<std::string>* outcome(const std::string& launch_key) const;
  void note_outcome(const std::string& launch_key, std::vector<std::string> keys);

  /// Whether the code with a digest may keep state; determined once for each digest.
  [[nodiscard]] std::map<std::string, bool>& stateful_code() { return stateful_code_; }
  [[nodiscard]] Counts& counts() { return counts_; }

 private:
  struct Copy {
    std::shared_ptr<const DeviceBuffer> buffer;
    std::uint64_t turn = 0;  ///< the turn of its last use
  };
  [[nodiscard]] std::unique_ptr<DeviceBuffer> make_room(Device& device, std::size_t bytes);
  /// False if all copies are of this turn.
  bool drop_oldest();

  std::map<std::string, Copy> copies_;
  std::map<std::string, std::vector<std::string>> outcomes_;
  std::map<std::string, bool> stateful_code_;
  std::optional<std::uint64_t> budget_;  ///< bytes that all copies may take
  std::uint64_t bytes_ = 0;
  std::uint64_t turn_ = 0;
  bool enabled_ = false;
  Counts counts_;
};

}  // namespace kiln
