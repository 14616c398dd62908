#include "job/workspace.h"

#include <algorithm>

#include "job/host_fill.h"

namespace kiln {
namespace {

constexpr std::size_t kStagingBytes = std::size_t{16} << 20;

}  // namespace

std::unique_ptr<DeviceBuffer> BufferPool::take(Device& device, std::size_t bytes) {
  const auto found = free_.find(bytes);
  if (found == free_.end()) {
    // What is pooled may stand in the way of what is asked for.
    if (device.free_memory_bytes() < bytes) free_.clear();
    return device.allocate(bytes);
  }
  std::unique_ptr<DeviceBuffer> buffer = std::move(found->second);
  free_.erase(found);
  return buffer;
}

void BufferPool::give(std::unique_ptr<DeviceBuffer> buffer) {
  const std::size_t bytes = buffer->bytes();
  free_.emplace(bytes, std::move(buffer));
}

ArrayContent::ArrayContent(const Workspace& workspace, std::string buffer)
    : workspace_(&workspace), buffer_(std::move(buffer)) {
  workspace.stream().synchronize();
}

std::uint64_t ArrayContent::bytes() const {
  return workspace_ != nullptr ? workspace_->layout(buffer_).bytes : held_.size();
}

std::span<const std::byte> ArrayContent::part(std::uint64_t first, std::size_t count,
                                              std::vector<std::byte>& room) const {
  if (workspace_ != nullptr) return workspace_->part(buffer_, first, count, room);
  return std::span(held_).subspan(first, count);
}

Workspace::Workspace(Device& device, Stream& stream, const Configuration& configuration, FileSystem& files,
                     BufferPool& pool)
    : device_(device), stream_(stream), configuration_(configuration), files_(files), pool_(pool) {}

void Workspace::allocate(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (has(name)) continue;
    BufferLayout layout = layout_of(configuration_, *configuration_.workload().find_buffer(name));
    auto buffer = pool_.take(device_, layout.bytes);
    entries_.emplace(name, Entry{std::move(layout), std::move(buffer)});
  }
}

const Workspace::Entry& Workspace::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw internal_error("buffer '" + name + "' is not in the workspace");
  return found->second;
}

const BufferLayout& Workspace::layout(const std::string& name) const {
  return entry(name).layout;
}
DeviceBuffer& Workspace::buffer(const std::string& name) const {
  return *entry(name).buffer;
}

void Workspace::fill(const std::string& name) {
  const BufferLayout& layout = entry(name).layout;
  DeviceBuffer& buffer = *entry(name).buffer;
  const InitSpec& init = effective_init(configuration_, layout.spec->init);
  const InitSpec poison;
  const InitSpec& content = init.kind == InitSpec::Kind::kKernel ? poison : init;
  auto* host = static_cast<std::byte*>(buffer.host_view());
  if (host != nullptr) stream_.synchronize();
  if (content.kind == InitSpec::Kind::kFile) {
    std::vector<std::byte> staging(host != nullptr ? 0 : layout.bytes);
    const std::span<std::byte> out = host != nullptr ? std::span(host, layout.bytes) : std::span(staging);
    fill_from_file(configuration_, layout, *content.file, files_, out);
    if (host == nullptr) device_.copy_to_device(stream_, buffer.data(), staging.data(), layout.bytes);
    return;
  }
  const bool alike = content.kind == InitSpec::Kind::kConstant || content.kind == InitSpec::Kind::kPoison;
  const std::uint64_t step = std::max<std::uint64_t>(1, kStagingBytes / layout.element_bytes);
  std::vector<std::byte> staging(
      host != nullptr ? 0 : std::min<std::uint64_t>(layout.bytes, step * layout.element_bytes));
  for (std::uint64_t first = 0; first < layout.count; first += step) {
    const std::size_t bytes =
        static_cast<std::size_t>(std::min(step, layout.count - first) * layout.element_bytes);
    const std::size_t offset = static_cast<std::size_t>(first) * layout.element_bytes;
    const std::span<std::byte> out =
        host != nullptr ? std::span(host + offset, bytes) : std::span(staging.data(), bytes);
    fill_generated(configuration_, layout, content, first, out);
    if (host == nullptr) {
      device_.copy_to_device(stream_, static_cast<std::byte*>(buffer.data()) + offset, staging.data(), bytes);
      if (alike) return repeat(static_cast<std::byte*>(buffer.data()), bytes, layout.bytes);
    }
  }
}

/// Each copy is as long as all before it.
void Workspace::repeat(std::byte* data, std::uint64_t filled, std::uint64_t bytes) {
  while (filled < bytes) {
    const std::uint64_t more = std::min(filled, bytes - filled);
    device_.copy_on_device(stream_, data + filled, data, more);
    filled += more;
  }
}

void Workspace::copy_from(const std::string& name, const Workspace& other) {
  const HostContent content = other.content(name);
  device_.copy_to_device(stream_, entry(name).buffer->data(), content.bytes.data(), content.bytes.size());
}

HostContent Workspace::content(const std::string& name) const {
  stream_.synchronize();
  HostContent content;
  content.bytes = part(name, 0, entry(name).layout.bytes, content.copy);
  return content;
}

std::span<const std::byte> Workspace::part(const std::string& name, std::uint64_t first, std::size_t count,
                                           std::vector<std::byte>& room) const {
  const Entry& found = entry(name);
  if (const auto* host = static_cast<const std::byte*>(found.buffer->host_view()))
    return {host + first, count};
  room.resize(count);
  device_.copy_to_host(stream_, room.data(), static_cast<const std::byte*>(found.buffer->data()) + first,
                       count);
  return room;
}

void Workspace::release() {
  for (auto& [name, found] : entries_) pool_.give(std::move(found.buffer));
  entries_.clear();
}

}  // namespace kiln
