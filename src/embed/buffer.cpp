#include "kiln/buffer.h"

#include "base/checked_size.h"
#include "base/text.h"
#include "embed/handles.h"
#include "embed/stream_handles.h"

namespace kiln::detail {

struct [[gnu::visibility("hidden")]] SharedMemory::Impl {
  DeviceHandle handle;
  std::shared_ptr<Device> device;
  std::size_t bytes = 0;
  std::unique_ptr<DeviceBuffer> memory;
  std::unique_ptr<DeviceBuffer>
      host;  ///< null until it is needed; never there if the device has the host's memory
  std::optional<StreamHandle> stream;       ///< that was asked for last
  bool on_device = false, on_host = false;  ///< where the content is; neither: it was never written

  [[nodiscard]] void* host_memory() {
    if (memory->host_view() != nullptr) return memory->host_view();
    if (!host) host = device->allocate_host(bytes);
    return host->host_view();
  }

  void require_content(Access access) const {
    if (access == Access::kWrite || on_device || on_host) return;
    throw bad_input("a buffer of " + format_bytes(bytes) + " on " + device->info().id +
                    " is to be read, and was never written");
  }

  /// Work on `next` comes after all that was enqueued for this buffer.
  void follow(const StreamHandle& next) {
    if (stream && stream->native() != next.native()) next.wait(stream->record());
    stream = next;
  }
};

SharedMemory::SharedMemory(const DeviceHandle& device, std::size_t count, std::size_t element_bytes)
    : impl_(std::make_unique<Impl>()) {
  if (!device.impl_) throw bad_input("a buffer needs a device; the handle holds none");
  if (count == 0) throw bad_input("a buffer has at least one element");
  const auto bytes = (CheckedSize(count) * CheckedSize(element_bytes)).value();
  if (!bytes)
    throw bad_input("a buffer of " + std::to_string(count) + " elements of " + std::to_string(element_bytes) +
                    " bytes is larger than any memory");
  impl_->handle = device;
  impl_->device = device.impl_->device;
  impl_->bytes = *bytes;
  impl_->memory = impl_->device->allocate(*bytes);
}

SharedMemory::SharedMemory(SharedMemory&&) noexcept = default;
SharedMemory& SharedMemory::operator=(SharedMemory&&) noexcept = default;
SharedMemory::~SharedMemory() = default;

const DeviceHandle& SharedMemory::device() const {
  return impl_->handle;
}

void* SharedMemory::on_device(const StreamHandle& stream, Access access) {
  Impl& self = *impl_;
  if (stream.impl_->device != self.device)
    throw bad_input("a buffer on " + self.device->info().id + " is asked for on a stream of " +
                    stream.impl_->device->info().id);
  self.require_content(access);
  self.follow(stream);
  const bool copies = self.memory->host_view() == nullptr && access != Access::kWrite && !self.on_device;
  if (copies)
    self.device->copy_to_device(*stream.impl_->stream, self.memory->data(), self.host->host_view(),
                                self.bytes);
  self.on_device = true;
  if (access != Access::kRead) self.on_host = false;
  return self.memory->data();
}

void* SharedMemory::on_host(Access access) {
  Impl& self = *impl_;
  self.require_content(access);
  void* host = self.host_memory();
  if (self.memory->host_view() != nullptr) {
    if (self.stream) self.stream->synchronize();
  } else if (access != Access::kWrite && !self.on_host) {
    self.device->copy_to_host(*self.stream->impl_->stream, host, self.memory->data(), self.bytes);
  }
  self.on_host = true;
  if (access != Access::kRead) self.on_device = false;
  return host;
}

}  // namespace kiln::detail
