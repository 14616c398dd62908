#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "device/cache_eviction.h"
#include "device/gpu/gpu_stream.h"

namespace kiln {

template <class Vendor>
class GpuBuffer final : public DeviceBuffer {
 public:
  GpuBuffer(std::shared_ptr<typename Vendor::Context> context, typename Vendor::DevicePointer address,
            std::size_t bytes)
      : context_(std::move(context)), memory_(context_->handle(address)), bytes_(bytes) {}

  [[nodiscard]] void* data() const override { return Vendor::pointer(memory_.get().object); }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] void* host_view() const override { return nullptr; }

 private:
  std::shared_ptr<typename Vendor::Context> context_;
  GpuOwner<typename Vendor::Driver, &Vendor::Functions::memory_free> memory_;
  std::size_t bytes_;
};

/// Host memory that the device's copy engines reach.
template <class Vendor>
class GpuHostBuffer final : public DeviceBuffer {
 public:
  GpuHostBuffer(std::shared_ptr<typename Vendor::Context> context, std::size_t bytes)
      : context_(std::move(context)), bytes_(bytes) {
    const auto current = context_->enter();
    void* memory = nullptr;
    context_->run(context_->call().host_allocate, &memory, std::max<std::size_t>(bytes, 1), 0U);
    memory_.reset(context_->handle(memory));
  }

  [[nodiscard]] void* data() const override { return memory_.get().object; }
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] void* host_view() const override { return data(); }

 private:
  std::shared_ptr<typename Vendor::Context> context_;
  GpuOwner<typename Vendor::Driver, &Vendor::Functions::host_free> memory_;
  std::size_t bytes_;
};

/// The common part of devices of CUDA and HIP; gpu_stream.h explains `Vendor`.
template <class Vendor>
class GpuDevice : public Device {
 public:
  explicit GpuDevice(DeviceInfo info) : info_(std::move(info)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }

  [[nodiscard]] std::uint64_t free_memory_bytes() override {
    const auto current = context()->enter();
    std::size_t free = 0;
    std::size_t total = 0;
    context()->run(call().memory_get_info, &free, &total);
    return free;
  }

  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) override {
    const auto current = context()->enter();
    typename Vendor::DevicePointer address{};
    const auto result = call().memory_allocate(&address, std::max<std::size_t>(bytes, 1));
    if (result == Vendor::kOutOfMemory) {
      throw bad_input("cannot allocate " + format_bytes(bytes) + " on " + info_.id + ": " +
                      format_bytes(free_memory_bytes()) + " of " + format_bytes(info_.memory_bytes) +
                      " are free");
    }
    context()->check(result, call().memory_allocate.symbol);
    return std::make_unique<GpuBuffer<Vendor>>(context(), address, bytes);
  }
  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate_host(std::size_t bytes) override {
    return std::make_unique<GpuHostBuffer<Vendor>>(context(), bytes);
  }

  void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    if (bytes == 0) return;
    own(stream).require_no_capture("copy_to_device");
    enqueue_copy_to_device(stream, device, host, bytes);
    stream.synchronize();
  }
  void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    if (bytes == 0) return;
    own(stream).require_no_capture("copy_to_host");
    stream.synchronize();  // it names the kernel if one has failed
    enqueue_copy_to_host(stream, host, device, bytes);
    stream.synchronize();
  }
  void enqueue_copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    if (bytes > 0) enqueue(call().copy_to_device, Vendor::address(device), host, bytes, own(stream).get());
  }
  void enqueue_copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    if (bytes > 0) enqueue(call().copy_to_host, host, Vendor::address(device), bytes, own(stream).get());
  }
  void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    enqueue(call().copy_on_device, Vendor::address(to), Vendor::address(from), bytes, own(stream).get());
  }
  void copy_from_peer(Stream& stream, void* to, Device& peer, const void* from, std::size_t bytes) override {
    auto* other = dynamic_cast<GpuDevice*>(&peer);
    if (other == nullptr) return Device::copy_from_peer(stream, to, peer, from, bytes);
    if (bytes == 0) return;
    reach(*other);
    enqueue(call().copy_from_peer, Vendor::address(to), context()->place(), Vendor::address(from),
            other->context()->place(), bytes, own(stream).get());
  }
  void fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) override {
    if (bytes > 0) enqueue(call().fill_bytes, Vendor::address(device), value, bytes, own(stream).get());
  }

  [[nodiscard]] std::unique_ptr<Stream> create_stream() override {
    return std::make_unique<GpuStream<Vendor>>(context());
  }
  [[nodiscard]] std::unique_ptr<Stream> default_stream() override {
    return std::make_unique<GpuStream<Vendor>>(context(), Vendor::default_stream());
  }
  [[nodiscard]] std::unique_ptr<Stream> borrow_stream(void* native) override {
    return std::make_unique<GpuStream<Vendor>>(context(), static_cast<typename Vendor::Stream>(native));
  }
  [[nodiscard]] std::unique_ptr<Event> create_event() override {
    return std::make_unique<GpuEvent<Vendor>>(context(), Vendor::kEventDefault);
  }
  [[nodiscard]] std::unique_ptr<Event> create_ordering_event() override {
    return std::make_unique<GpuEvent<Vendor>>(context(), Vendor::kEventNoTiming);
  }
  [[nodiscard]] std::unique_ptr<Graph> capture(Stream& stream,
                                               const std::function<void()>& enqueue) override {
    return own(stream).capture(enqueue);
  }

  /// For a stream that was created as blocking, the state of the default stream answers.
  [[nodiscard]] bool is_capturing(void* native) override {
    const auto current = context()->enter();
    auto stream = native == nullptr ? Vendor::default_stream() : static_cast<typename Vendor::Stream>(native);
    auto status = Vendor::CaptureStatus::kNone;
    const auto result = call().stream_is_capturing(stream, &status);
    if (result == Vendor::kStreamCaptureImplicit) return true;
    context()->check(result, call().stream_is_capturing.symbol);
    return status != Vendor::CaptureStatus::kNone;
  }

  void flush_cache(Stream& stream) override { eviction_.enqueue(*this, stream); }

 protected:
  [[nodiscard]] virtual const std::shared_ptr<typename Vendor::Context>& context() const = 0;
  static GpuStream<Vendor>& own(Stream& stream) { return dynamic_cast<GpuStream<Vendor>&>(stream); }

 private:
  [[nodiscard]] const auto& call() { return context()->call(); }
  template <class Call, class... Arguments>
  void enqueue(const Call& call, Arguments... arguments) {
    const auto current = context()->enter();
    context()->run(call, arguments...);
  }

  /// Requests direct access to the other device's memory, once. Without it the driver copies through the
  /// host.
  void reach(GpuDevice& other) {
    const std::lock_guard lock(reached_mutex_);
    if (!reached_.insert(other.info_.id).second) return;
    const auto current = context()->enter();
    static_cast<void>(call().enable_peer_access(other.context()->place(), 0U));
  }

  DeviceInfo info_;
  CacheEviction eviction_;
  std::mutex reached_mutex_;
  std::set<std::string> reached_;
};

}  // namespace kiln
