#include "device/cpu/cpu_backend.h"

#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "device/cpu/cpu_buffer.h"
#include "device/cpu/cpu_kind.h"
#include "device/cpu/cpu_module.h"
#include "device/cpu/cpu_target.h"
#include "device/cpu/launcher.h"
#include "device/cpu/machine.h"
#include "device/cpu/worker_abi.h"
#include "kiln/error.h"

namespace kiln {
namespace {

constexpr std::uint64_t kMaxInt = 2147483647;

DeviceInfo describe(const CpuBackendOptions& options, FileSystem& files) {
  const Machine machine = describe_machine(files);
  DeviceInfo info;
  info.id = "cpu";
  info.name = machine.processor.empty() ? "CPU" : machine.processor;
  info.target = cpu_target("native", files);
  info.compute_units = options.threads;
  info.memory_bytes = machine.memory_bytes;
  info.l2_bytes = machine.last_level_cache_bytes;
  // CUDA's limits, so that a launch that fits here fits there.
  info.limits.max_threads_per_block = 1024;
  info.limits.cooperative = true;
  info.limits.clusters = true;
  info.limits.max_block = {1024, 1024, 64};
  info.limits.max_grid = {kMaxInt, 65535, 65535};
  info.limits.max_shared_bytes_per_block = kBlockSharedBytes;
  return info;
}

class CpuEvent final : public Event {
 public:
  void record(Stream& /*stream*/) override { time_ = std::chrono::steady_clock::now(); }
  [[nodiscard]] double seconds_since(const Event& earlier) const override {
    return std::chrono::duration<double>(time_ - dynamic_cast<const CpuEvent&>(earlier).time_).count();
  }

 private:
  std::chrono::steady_clock::time_point time_;
};

cpu_abi::Texture describe_texture(const TextureLayout& layout, const void* data) {
  const auto extent = [](std::uint64_t n) { return n == 0 ? 1u : static_cast<unsigned>(n); };
  const auto address = [&](std::size_t axis) { return static_cast<unsigned>(layout.address[axis]); };
  const unsigned dimensions = layout.height == 0 ? 1 : layout.depth == 0 ? 2 : 3;
  return {const_cast<void*>(data),  // a surface writes
          layout.pitch,
          {extent(layout.width), extent(layout.height), extent(layout.depth)},
          dimensions,
          layout.channels,
          static_cast<unsigned>(layout.format),
          {address(0), address(1), address(2)},
          layout.linear,
          layout.normalized_coordinates,
          layout.normalized_values,
          layout.layers,
          layout.surface};
}

class CpuDevice final : public Device {
 public:
  CpuDevice(const CpuBackendOptions& options, DeviceInfo info, FileSystem& files)
      : info_(std::move(info)),
        scratch_(options.scratch),
        files_(files),
        launcher_(std::make_shared<Launcher>(options.threads, options.stack_bytes)) {}

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::uint64_t free_memory_bytes() override { return available_memory_bytes(files_); }

  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) override {
    const std::uint64_t available = free_memory_bytes();
    auto buffer = bytes <= available ? make_cpu_buffer(bytes) : nullptr;
    if (buffer == nullptr) {
      throw bad_input("cannot allocate " + format_bytes(bytes) + " on cpu: " + format_bytes(available) +
                      " of memory are available");
    }
    return buffer;
  }

  [[nodiscard]] std::unique_ptr<DeviceBuffer> allocate_host(std::size_t bytes) override {
    return allocate(bytes);
  }

  void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    own(stream).require_no_capture("copy_to_device");
    copy(device, host, bytes);
  }
  void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    own(stream).require_no_capture("copy_to_host");
    copy(host, device, bytes);
  }
  void enqueue_copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override {
    copy_on_device(stream, device, host, bytes);
  }
  void enqueue_copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override {
    copy_on_device(stream, host, device, bytes);
  }
  void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) override {
    own(stream).perform([this, to, from, bytes](Stream&) { copy(to, from, bytes); });
  }
  void fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) override {
    own(stream).perform([this, device, value, bytes](Stream&) {
      in_parts(bytes, [&](std::size_t first, std::size_t count) {
        std::memset(static_cast<char*>(device) + first, value, count);
      });
    });
  }
  [[nodiscard]] std::unique_ptr<Graph> capture(Stream& stream,
                                               const std::function<void()>& enqueue) override {
    return own(stream).record(enqueue);
  }

  [[nodiscard]] std::unique_ptr<Stream> create_stream() override { return std::make_unique<CpuStream>(); }
  [[nodiscard]] std::unique_ptr<Stream> borrow_stream(void* native) override {
    return std::make_unique<BorrowedCpuStream>(stream_of(native));
  }
  [[nodiscard]] bool is_capturing(void* native) override {
    return native != nullptr && stream_of(native).recording();
  }
  [[nodiscard]] std::unique_ptr<Event> create_event() override { return std::make_unique<CpuEvent>(); }
  [[nodiscard]] std::uint64_t texture(const TextureLayout& layout, const void* data) override {
    if (const auto problem = find_problem(layout)) throw bad_input(*problem);
    const std::lock_guard lock(texture_mutex_);
    const auto [place, fresh] = textures_.try_emplace({layout, data});
    if (fresh) place->second = describe_texture(layout, data);
    return reinterpret_cast<std::uint64_t>(&place->second);
  }
  [[nodiscard]] std::unique_ptr<Module> load(const std::string& binary) override {
    return load_cpu_module(binary, scratch_, launcher_);
  }

  /// Each thread writes its share of twice the last-level cache, which also replaces the content of its own
  /// caches.
  void flush_cache(Stream& stream) override {
    const std::size_t bytes = 2 * std::max<std::size_t>(info_.l2_bytes, std::size_t{32} << 20);
    const std::lock_guard lock(eviction_mutex_);
    if (eviction_ == nullptr) eviction_ = make_cpu_buffer(bytes);
    if (eviction_ == nullptr) throw environment_error("no memory for a buffer that evicts the cache");
    fill_bytes(stream, eviction_->data(), ++eviction_value_, bytes);
  }

 private:
  static CpuStream& own(Stream& stream) { return CpuStream::of(stream); }
  static CpuStream& stream_of(void* native) {
    CpuStream* stream = CpuStream::find(native);
    if (stream != nullptr) return *stream;
    throw bad_input(
        "the stream is not a stream of the cpu; pass a stream of the cpu device or a null stream");
  }

  /// On all threads where it is worth it, each thread the part that its share of a kernel's blocks would
  /// touch.
  template <class Body>
  void in_parts(std::size_t bytes, const Body& body) {
    constexpr std::size_t kPage = 4096;
    const std::uint64_t pages = (bytes + kPage - 1) / kPage;
    launcher_->pool().run(pages, bytes < (std::size_t{1} << 20),
                          [&](int, std::uint64_t first, std::uint64_t last) {
                            body(first * kPage, std::min<std::size_t>(last * kPage, bytes) - first * kPage);
                          });
  }

  void copy(void* to, const void* from, std::size_t bytes) {
    in_parts(bytes, [&](std::size_t first, std::size_t count) {
      std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, count);
    });
  }

  std::mutex texture_mutex_;  // guards the members below
  std::map<std::pair<TextureLayout, const void*>, cpu_abi::Texture> textures_;
  DeviceInfo info_;
  std::string scratch_;
  FileSystem& files_;
  std::shared_ptr<Launcher> launcher_;
  std::mutex eviction_mutex_;
  std::unique_ptr<DeviceBuffer> eviction_;
  unsigned char eviction_value_ = 0;
};

class CpuBackend final : public Backend {
 public:
  CpuBackend(CpuBackendOptions options, FileSystem& files) : options_(std::move(options)), files_(files) {
    if (options_.threads <= 0)
      options_.threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] std::string problem() const override { return ""; }
  [[nodiscard]] std::vector<DeviceInfo> devices() const override { return {info()}; }
  [[nodiscard]] std::shared_ptr<Device> open(int ordinal) override {
    if (ordinal != 0)
      throw bad_input("there is one cpu device; its number is 0, not " + std::to_string(ordinal));
    return std::make_shared<CpuDevice>(options_, info(), files_);
  }

 private:
  /// Read once: on a machine with many cores /proc/cpuinfo takes milliseconds.
  [[nodiscard]] const DeviceInfo& info() const {
    std::call_once(described_, [&] { info_ = describe(options_, files_); });
    return info_;
  }

  std::string name_ = "cpu";
  CpuBackendOptions options_;
  FileSystem& files_;
  mutable std::once_flag described_;
  mutable DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(CpuBackendOptions options, FileSystem& files) {
  return std::make_unique<CpuBackend>(std::move(options), files);
}

}  // namespace kiln
