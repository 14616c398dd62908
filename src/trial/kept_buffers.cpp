#include "trial/kept_buffers.h"

#include <algorithm>
#include <utility>

#include "kiln/error.h"

namespace kiln {

std::shared_ptr<const DeviceBuffer> KeptBuffers::find(const std::string& key) {
  const auto found = copies_.find(key);
  if (key.empty() || found == copies_.end()) return nullptr;
  found->second.turn = turn_;
  return found->second.buffer;
}

bool KeptBuffers::drop_oldest() {
  const auto oldest = std::min_element(copies_.begin(), copies_.end(), [](const auto& a, const auto& b) {
    return a.second.turn < b.second.turn;
  });
  if (oldest == copies_.end() || oldest->second.turn == turn_) return false;
  bytes_ -= oldest->second.buffer->bytes();
  copies_.erase(oldest);
  return true;
}

/// Null where there is no room. As much as a copy takes stays free beside it: for code, stacks of kernels,
/// and other processes.
std::unique_ptr<DeviceBuffer> KeptBuffers::make_room(Device& device, std::size_t bytes) {
  if (!budget_) budget_ = device.free_memory_bytes() / 2;
  if (bytes > *budget_) return nullptr;
  while (bytes_ + bytes > *budget_ || device.free_memory_bytes() / 2 < bytes) {
    if (!drop_oldest()) return nullptr;
  }
  try {
    return device.allocate(bytes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    return nullptr;
  }
}

std::shared_ptr<const DeviceBuffer> KeptBuffers::keep(const std::string& key, Device& device, Stream& stream,
                                                      const DeviceBuffer& buffer) {
  if (!enabled_ || key.empty()) return nullptr;
  if (auto found = find(key)) return found;
  auto copy = make_room(device, buffer.bytes());
  if (copy == nullptr) return nullptr;
  device.copy_on_device(stream, copy->data(), buffer.data(), buffer.bytes());
  bytes_ += copy->bytes();
  return (copies_[key] = {std::move(copy), turn_}).buffer;
}

std::shared_ptr<const DeviceBuffer> KeptBuffers::keep(const std::string& key, Device& device, Stream& stream,
                                                      std::span<const std::byte> bytes) {
  if (!enabled_ || key.empty()) return nullptr;
  if (auto found = find(key)) return found;
  auto copy = make_room(device, bytes.size());
  if (copy == nullptr) return nullptr;
  device.copy_to_device(stream, copy->data(), bytes.data(), bytes.size());
  bytes_ += copy->bytes();
  return (copies_[key] = {std::move(copy), turn_}).buffer;
}

void KeptBuffers::clear() {
  copies_.clear();
  bytes_ = 0;
}

const std::vector<std::string>* KeptBuffers::outcome(const std::string& launch_key) const {
  const auto found = outcomes_.find(launch_key);
  return found == outcomes_.end() ? nullptr : &found->second;
}

void KeptBuffers::note_outcome(const std::string& launch_key, std::vector<std::string> keys) {
  outcomes_[launch_key] = std::move(keys);
}

}  // namespace kiln
