#include "trial/workspace.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "service/task_threads.h"
#include "trial/host_fill.h"
#include "workload/element_value.h"

namespace kiln {
namespace {

constexpr std::size_t kStagingBytes = std::size_t{64} << 20;
/// Work of a thread at a time: random numbers for a millisecond or two.
constexpr std::size_t kTaskBytes = std::size_t{1} << 20;
/// The host's part of a buffer with equal elements; the device repeats it.
constexpr std::size_t kAlikeBytes = std::size_t{64} << 10;

/// All its bytes are alike.
bool is_one_byte(const std::vector<std::byte>& element) {
  return std::all_of(element.begin(), element.end(), [&](std::byte byte) { return byte == element.front(); });
}

/// A piece of the memory of `whole`, which may be exchanged for another one and outlives it.
class BufferPart final : public DeviceBuffer {
 public:
  BufferPart(const std::unique_ptr<DeviceBuffer>& whole, std::uint64_t offset, std::uint64_t bytes)
      : whole_(whole), offset_(offset), bytes_(bytes) {}

  [[nodiscard]] void* data() const override { return static_cast<std::byte*>(whole_->data()) + offset_; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] void* host_view() const override {
    auto* host = static_cast<std::byte*>(whole_->host_view());
    return host == nullptr ? nullptr : host + offset_;
  }

 private:
  const std::unique_ptr<DeviceBuffer>& whole_;
  std::uint64_t offset_, bytes_;
};

}  // namespace

std::unique_ptr<DeviceBuffer> BufferPool::take(Device& device, std::size_t bytes) {
  if (const auto found = free_.find(bytes); found != free_.end()) {
    std::unique_ptr<DeviceBuffer> buffer = std::move(found->second);
    free_.erase(found);
    return buffer;
  }
  // Pooled or kept buffers may occupy the requested memory.
  if (!free_.empty() && device.free_memory_bytes() < bytes) free_.clear();
  if (!kept_.empty() && device.free_memory_bytes() < bytes) kept_.clear();
  if (free_.empty() && kept_.empty()) return device.allocate(bytes);
  try {
    return device.allocate(bytes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
  }
  clear();  // enough was free, and not in one piece
  return device.allocate(bytes);
}

void BufferPool::clear() {
  free_.clear();
  kept_.clear();
}

void BufferPool::give(std::unique_ptr<DeviceBuffer> buffer) {
  const std::size_t bytes = buffer->bytes();
  free_.emplace(bytes, std::move(buffer));
}

ArrayContent::ArrayContent(const Workspace& workspace, const std::string& buffer)
    : workspace_(&workspace), buffer_(&workspace.buffer(buffer)) {
  workspace.stream().synchronize();
}

ArrayContent::ArrayContent(const Workspace& workspace, std::shared_ptr<const DeviceBuffer> copy)
    : workspace_(&workspace), copy_(std::move(copy)), buffer_(copy_.get()) {
  workspace.stream().synchronize();
}

std::uint64_t ArrayContent::bytes() const {
  return buffer_ != nullptr ? buffer_->bytes() : held_.size();
}

std::span<const std::byte> ArrayContent::part(std::uint64_t first, std::size_t count,
                                              std::vector<std::byte>& room) const {
  if (buffer_ != nullptr) return workspace_->part(*buffer_, first, count, room);
  return std::span(held_).subspan(first, count);
}

Workspace::Workspace(Device& device, Stream& stream, const Configuration& configuration, FileSystem& files,
                     BufferPool& pool)
    : device_(device), stream_(stream), configuration_(configuration), files_(files), pool_(pool) {}

void Workspace::allocate(const std::vector<std::string>& names, const TemporaryPlan& plan) {
  std::vector<BufferLayout> views;
  if (plan.bytes > 0 && !shared_) shared_ = pool_.take(device_, plan.bytes);
  for (const std::string& name : names) {
    if (has(name)) continue;
    BufferLayout layout = layout_of(configuration_, *configuration_.workload().find_buffer(name));
    if (layout.is_view()) {
      views.push_back(std::move(layout));
    } else if (const auto place = plan.offsets.find(name); place != plan.offsets.end()) {
      auto part = std::make_unique<BufferPart>(shared_, place->second, layout.bytes);
      add(std::move(layout), std::move(part), true);
    } else {
      auto buffer = pool_.take(device_, layout.bytes);
      add(std::move(layout), std::move(buffer), false);
    }
  }
  for (BufferLayout& layout : views) {
    auto part = std::make_unique<BufferPart>(entry(layout.memory->name).buffer, layout.offset, layout.bytes);
    views_.push_back(&add(std::move(layout), std::move(part), true));
  }
}

Workspace::Entry& Workspace::add(BufferLayout layout, std::unique_ptr<DeviceBuffer> buffer, bool shares) {
  void* const data = buffer->data();
  const std::string name = layout.spec->name;
  return entries_[name] = Entry{std::move(layout), std::move(buffer), data, shares};
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

/// A kernel that is to fill the buffer finds it poisoned.
const InitSpec& Workspace::content_of(const BufferLayout& layout) const {
  static const InitSpec poison;
  const InitSpec& init = effective_init(configuration_, layout.spec->init);
  return init.kind == InitSpec::Kind::kKernel ? poison : init;
}

bool Workspace::fills_alike(const std::string& name) const {
  const InitSpec::Kind kind = content_of(entry(name).layout).kind;
  return kind == InitSpec::Kind::kConstant || kind == InitSpec::Kind::kPoison ||
         kind == InitSpec::Kind::kMembers;
}

std::vector<std::byte> Workspace::beginning(const std::string& name, std::size_t bytes) const {
  const BufferLayout& layout = entry(name).layout;
  std::vector<std::byte> content(bytes);
  kiln::fill_generated(configuration_, layout, content_of(layout), 0, content, address_of());
  return content;
}

AddressOf Workspace::address_of() const {
  return [this](const std::string& name) -> const void* { return entry(name).data; };
}

bool Workspace::has_content(const std::string& name) const {
  return !entry(name).shares;
}

bool Workspace::fills_from_file(const std::string& name) const {
  return has_content(name) && content_of(entry(name).layout).kind == InitSpec::Kind::kFile;
}

void Workspace::spoil_temporaries() {
  constexpr unsigned char kEveryBit = 0xFF;  // NaN in every floating-point type
  if (shared_) device_.fill_bytes(stream_, shared_->data(), kEveryBit, shared_->bytes());
}

void Workspace::fill(const std::string& name) {
  if (!has_content(name)) return;
  const Entry& found = entry(name);
  if (found.buffer->host_view() != nullptr) stream_.synchronize();
  const InitSpec& content = content_of(found.layout);
  if (content.kind == InitSpec::Kind::kFile) return fill_from_file(found, *content.file);
  if (!fills_alike(name)) return fill_generated(found, content);
  const std::uint64_t first =
      std::min(found.layout.count, std::max<std::uint64_t>(1, kAlikeBytes / found.layout.element_bytes));
  const std::vector<std::byte> beginning =
      this->beginning(name, static_cast<std::size_t>(first) * found.layout.element_bytes);
  auto* data = static_cast<std::byte*>(found.buffer->data());
  device_.copy_to_device(stream_, data, beginning.data(), beginning.size());
  repeat(stream_, data, beginning.size(), found.layout.bytes);
}

void Workspace::fill_from_file(const Entry& entry, const FileSource& source) {
  auto* host = static_cast<std::byte*>(entry.buffer->host_view());
  const auto bytes = static_cast<std::size_t>(entry.layout.bytes);
  std::unique_ptr<std::byte[]> staging;
  if (host == nullptr) staging = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const std::span<std::byte> out(host != nullptr ? host : staging.get(), bytes);
  kiln::fill_from_file(configuration_, entry.layout, source, files_, out);
  if (host == nullptr) device_.copy_to_device(stream_, entry.buffer->data(), out.data(), out.size());
}

/// On all cores, since each element depends on its index alone.
void Workspace::fill_generated(const Entry& entry, const InitSpec& content) {
  const BufferLayout& layout = entry.layout;
  const auto make = [&](std::uint64_t first, std::span<std::byte> out) {
    const std::uint64_t task = std::max<std::uint64_t>(1, kTaskBytes / layout.element_bytes);
    const std::uint64_t count = out.size() / layout.element_bytes;
    for_each_task(static_cast<std::size_t>((count + task - 1) / task), [&](std::size_t i) {
      const std::uint64_t begin = i * task;
      const std::uint64_t elements = std::min(task, count - begin);
      kiln::fill_generated(configuration_, layout, content, first + begin,
                           out.subspan(static_cast<std::size_t>(begin) * layout.element_bytes,
                                       static_cast<std::size_t>(elements) * layout.element_bytes),
                           address_of());
    });
  };
  if (auto* host = static_cast<std::byte*>(entry.buffer->host_view())) return make(0, {host, layout.bytes});
  const std::uint64_t chunk = std::max<std::uint64_t>(1, kStagingBytes / layout.element_bytes);
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(
      static_cast<std::size_t>(std::min<std::uint64_t>(layout.bytes, chunk * layout.element_bytes)));
  for (std::uint64_t first = 0; first < layout.count; first += chunk) {
    const std::span<std::byte> out(
        staging.get(),
        static_cast<std::size_t>(std::min(chunk, layout.count - first) * layout.element_bytes));
    make(first, out);
    device_.copy_to_device(stream_,
                           static_cast<std::byte*>(entry.buffer->data()) + first * layout.element_bytes,
                           out.data(), out.size());
  }
}

/// Each copy is as long as all before it.
void Workspace::repeat(Stream& stream, std::byte* data, std::uint64_t filled, std::uint64_t bytes) {
  while (filled < bytes) {
    const std::uint64_t more = std::min(filled, bytes - filled);
    device_.copy_on_device(stream, data + filled, data, more);
    filled += more;
  }
}

std::vector<std::byte> Workspace::element_of(const Entry& entry, double value,
                                             const ExpressionText& text) const {
  return visit_scalar(entry.layout.scalar.value(), [&]<class T>() {
    const std::optional<T> number = to_element<T>(value);
    if (!number) {
      throw bad_input(text.key + ": '" + text.text + "' is " + format_number(value) +
                          ", which is no element of buffer '" + entry.layout.spec->name + "'",
                      text.where);
    }
    const auto bytes = std::as_bytes(std::span(&*number, 1));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  });
}

void Workspace::fill_with(Stream& stream, const std::string& name, double value, const ExpressionText& text) {
  const Entry& found = entry(name);
  const std::vector<std::byte> element = element_of(found, value, text);
  auto* data = static_cast<std::byte*>(found.buffer->data());
  if (is_one_byte(element)) {
    device_.fill_bytes(stream, data, std::to_integer<unsigned char>(element.front()), found.layout.bytes);
    return;
  }
  if (const auto kept = kept_values_.find(element); kept != kept_values_.end()) {
    device_.copy_on_device(stream, data, kept->second->data(), element.size());
  } else {
    device_.copy_to_device(stream, data, element.data(), element.size());
  }
  repeat(stream, data, element.size(), found.layout.bytes);
}

void Workspace::keep_value(const std::string& name, double value, const ExpressionText& text) {
  std::vector<std::byte> element = element_of(entry(name), value, text);
  if (is_one_byte(element) || kept_values_.contains(element)) return;
  auto buffer = device_.allocate(element.size());
  device_.copy_to_device(stream_, buffer->data(), element.data(), element.size());
  kept_values_.emplace(std::move(element), std::move(buffer));
}

void Workspace::copy(Stream& stream, const std::string& to, const std::string& from) {
  device_.copy_on_device(stream, entry(to).buffer->data(), entry(from).buffer->data(),
                         entry(to).layout.bytes);
}

void Workspace::swap(const std::string& first, const std::string& second) {
  Entry& a = entries_.at(first);
  Entry& b = entries_.at(second);
  std::swap(a.buffer, b.buffer);
  std::swap(a.data, b.data);
  for (Entry* view : views_) view->data = view->buffer->data();
}

std::unique_ptr<DeviceBuffer> Workspace::exchange(const std::string& name,
                                                  std::unique_ptr<DeviceBuffer> memory) {
  Entry& found = entries_.at(name);
  if (found.shares || memory->bytes() != found.layout.bytes)
    throw internal_error("buffer '" + name + "' cannot stand in other memory");
  std::swap(found.buffer, memory);
  found.data = found.buffer->data();
  for (Entry* view : views_) view->data = view->buffer->data();
  return memory;
}

double Workspace::number(const std::string& name, std::uint64_t element) const {
  const Entry& found = entry(name);
  if (found.buffer->host_view() != nullptr) stream_.synchronize();
  std::vector<std::byte> room;
  const std::size_t bytes = found.layout.element_bytes;
  const std::span<const std::byte> content = part(name, element * bytes, bytes, room);
  return visit_scalar(found.layout.scalar.value(), [&]<class T>() {
    T value{};
    std::memcpy(&value, content.data(), sizeof value);
    const auto number = static_cast<double>(value);
    if (std::is_integral_v<T> && std::abs(number) > static_cast<double>(kMaxExactInteger)) {
      throw bad_input("element " + std::to_string(element) + " of buffer '" + name + "' is " +
                      std::to_string(value) + "; expressions are exact up to 2^53");
    }
    return number;
  });
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

std::span<const std::byte> Workspace::part(const DeviceBuffer& buffer, std::uint64_t first, std::size_t count,
                                           std::vector<std::byte>& room) const {
  if (const auto* host = static_cast<const std::byte*>(buffer.host_view())) return {host + first, count};
  room.resize(count);
  device_.copy_to_host(stream_, room.data(), static_cast<const std::byte*>(buffer.data()) + first, count);
  return room;
}

void Workspace::release() {
  kept_values_.clear();
  for (auto& [name, found] : entries_) {
    if (!found.shares) pool_.give(std::move(found.buffer));
  }
  if (shared_) pool_.give(std::move(shared_));
  views_.clear();
  entries_.clear();
}

}  // namespace kiln
