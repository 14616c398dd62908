#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "device/device.h"
#include "trial/buffer_layout.h"
#include "trial/init_values.h"
#include "trial/kept_buffers.h"
#include "trial/temporaries.h"

namespace kiln {

/// Buffers of an earlier variant, kept so that the next one need not allocate (and fault in) the same memory
/// again, and contents that it made. All of it gives way to what a variant allocates.
class BufferPool {
 public:
  /// A buffer of exactly `bytes`, from the pool or fresh.
  [[nodiscard]] std::unique_ptr<DeviceBuffer> take(Device& device, std::size_t bytes);
  void give(std::unique_ptr<DeviceBuffer> buffer);
  void clear();
  [[nodiscard]] KeptBuffers& kept() { return kept_; }

 private:
  std::multimap<std::size_t, std::unique_ptr<DeviceBuffer>> free_;
  KeptBuffers kept_;
};

/// A buffer's content on the host: a view of the device's memory where it has one, a copy otherwise.
struct HostContent {
  std::vector<std::byte> copy;
  std::span<const std::byte> bytes;
};

class Workspace;

/// An array that the host reads part by part: one that it holds, or a buffer, which stays where it is. A
/// buffer's content is that of its last launch; it is valid until the next one.
class ArrayContent {
 public:
  ArrayContent() = default;
  explicit ArrayContent(std::vector<std::byte> bytes) : held_(std::move(bytes)) {}
  /// Waits for the device.
  ArrayContent(const Workspace& workspace, const std::string& buffer);
  /// A copy on the workspace's device.
  ArrayContent(const Workspace& workspace, std::shared_ptr<const DeviceBuffer> copy);

  [[nodiscard]] std::uint64_t bytes() const;
  /// Its place on the device; null if the host holds it.
  [[nodiscard]] const DeviceBuffer* on_device() const { return buffer_; }
  /// `count` bytes from `first` on: in `room` where they have to be fetched. Thread-safe; each thread has a
  /// room of its own.
  [[nodiscard]] std::span<const std::byte> part(std::uint64_t first, std::size_t count,
                                                std::vector<std::byte>& room) const;

 private:
  std::vector<std::byte> held_;
  const Workspace* workspace_ = nullptr;
  std::shared_ptr<const DeviceBuffer> copy_;
  const DeviceBuffer* buffer_ = nullptr;
};

/// The buffers of one variant on one device. Views stand in the memory of their buffer, wherever `swap` puts
/// it. Temporary buffers may share one piece of memory; their content is undefined.
class Workspace {
 public:
  Workspace(Device& device, Stream& stream, const Configuration& configuration, FileSystem& files,
            BufferPool& pool);

  /// Allocates what is in `names` and not yet there; with each view its buffer is. Temporary buffers that are
  /// not in the plan have memory of their own.
  void allocate(const std::vector<std::string>& names, const TemporaryPlan& plan = {});
  [[nodiscard]] bool has(const std::string& name) const { return entries_.contains(name); }
  [[nodiscard]] const BufferLayout& layout(const std::string& name) const;
  [[nodiscard]] DeviceBuffer& buffer(const std::string& name) const;
  /// The place that stores the buffer's device address, which `swap` changes. Valid until `release`.
  [[nodiscard]] void* const* address(const std::string& name) const { return &entry(name).data; }

  /// Whether it has its own content: it is not a view and shares no memory.
  [[nodiscard]] bool has_content(const std::string& name) const;
  /// Fills a buffer that has one with its initial content, unless a kernel is to do that.
  void fill(const std::string& name);
  /// Makes the content of temporary buffers useless, NaN in floats, so that no step finds what another one
  /// has left there; enqueued.
  void spoil_temporaries();
  /// Whether `fill` reads a file.
  [[nodiscard]] bool fills_from_file(const std::string& name) const;
  /// Whether the initialiser makes all elements equal.
  [[nodiscard]] bool fills_alike(const std::string& name) const;
  /// The first `bytes` (whole elements) of such a content.
  [[nodiscard]] std::vector<std::byte> beginning(const std::string& name, std::size_t bytes) const;
  /// Every element gets this value; enqueued. Throws bad_input at `where` if it is no value of the element
  /// type.
  void fill_with(Stream& stream, const std::string& name, double value, const ExpressionText& text);
  /// Keeps the value on the device, so that `fill_with` of such a buffer only enqueues, as a stream that is
  /// captured into a graph asks for. Throws as fill_with.
  void keep_value(const std::string& name, double value, const ExpressionText& text);
  /// Copies a buffer's content to another one of the same size; enqueued.
  void copy(Stream& stream, const std::string& to, const std::string& from);
  /// The buffers, which have the same size, exchange their memory; views of them follow.
  void swap(const std::string& first, const std::string& second);
  /// The buffer, which has memory of its own, stands in `memory` from now on, of the same size; views of it
  /// follow. Returns the memory in which it stood.
  [[nodiscard]] std::unique_ptr<DeviceBuffer> exchange(const std::string& name,
                                                       std::unique_ptr<DeviceBuffer> memory);
  /// Waits for the device and reads an element. Throws bad_input for a whole number that a double rounds.
  [[nodiscard]] double number(const std::string& name, std::uint64_t element) const;
  /// Copies a buffer's content from another workspace.
  void copy_from(const std::string& name, const Workspace& other);
  /// Waits for the device and shows a buffer's content. The view is valid until the next launch.
  [[nodiscard]] HostContent content(const std::string& name) const;

  /// A part of a buffer's content, see ArrayContent. Does not wait for running work.
  [[nodiscard]] std::span<const std::byte> part(const std::string& name, std::uint64_t first,
                                                std::size_t count, std::vector<std::byte>& room) const {
    return part(*entry(name).buffer, first, count, room);
  }
  [[nodiscard]] std::span<const std::byte> part(const DeviceBuffer& buffer, std::uint64_t first,
                                                std::size_t count, std::vector<std::byte>& room) const;

  /// Gives the memory back to the pool.
  void release();

  [[nodiscard]] const Configuration& configuration() const { return configuration_; }
  [[nodiscard]] Device& device() const { return device_; }
  [[nodiscard]] Stream& stream() const { return stream_; }
  [[nodiscard]] FileSystem& files() const { return files_; }

 private:
  struct Entry {
    BufferLayout layout;
    std::unique_ptr<DeviceBuffer> buffer;  ///< for a view: a part of its buffer's memory
    void* data = nullptr;                  ///< buffer->data()
    bool shares = false;                   ///< its memory belongs to another buffer, or to `shared_`
  };
  [[nodiscard]] const Entry& entry(const std::string& name) const;
  Entry& add(BufferLayout layout, std::unique_ptr<DeviceBuffer> buffer, bool shares);
  [[nodiscard]] const InitSpec& content_of(const BufferLayout& layout) const;
  [[nodiscard]] AddressOf address_of() const;
  [[nodiscard]] std::vector<std::byte> element_of(const Entry& entry, double value,
                                                  const ExpressionText& text) const;
  void fill_from_file(const Entry& entry, const FileSource& source);
  void fill_generated(const Entry& entry, const InitSpec& content);
  /// The first `filled` of `bytes` again and again, by the device itself.
  void repeat(Stream& stream, std::byte* data, std::uint64_t filled, std::uint64_t bytes);

  Device& device_;
  Stream& stream_;
  const Configuration& configuration_;
  FileSystem& files_;
  BufferPool& pool_;
  std::unique_ptr<DeviceBuffer> shared_;  // memory of the temporary buffers; null: there are none
  std::map<std::string, Entry> entries_;
  std::vector<Entry*> views_;
  std::map<std::vector<std::byte>, std::unique_ptr<DeviceBuffer>> kept_values_;  // by their bytes
};

}  // namespace kiln
