#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "device/device.h"
#include "support/fake_clock.h"

namespace kiln::test {

/// A fake kernel of a FakeDevice: its attributes, its effect, its time.
struct FakeKernel {
  FunctionAttributes attributes;
  /// Runs inside `launch`; may throw a device fault, which then surfaces at synchronize. Empty: does nothing.
  std::function<void(const LaunchShape&, void* const* arguments)> body;
  double seconds = 0;  ///< how far a launch moves the clock
  std::optional<std::uint64_t> resident_blocks = {};
};

struct RecordedLaunch {
  std::string function;
  LaunchShape shape;
  /// Bytes of each argument; empty unless the kernel reports its parameter sizes.
  std::vector<std::string> arguments;
  const Stream* stream = nullptr;
};

/// Records of the device, its modules and streams; shared, since a module may outlive a test's view of the
/// device.
struct FakeDeviceState {
  explicit FakeDeviceState(FakeClock& clock_to_use) : clock(clock_to_use) {}
  FakeClock& clock;
  std::mutex mutex;
  std::map<std::string, FakeKernel> kernels;  ///< by lowered name
  std::vector<RecordedLaunch> launches;
  std::uint64_t used_bytes = 0;
  int loads = 0, live_modules = 0, flushes = 0, captures = 0;
};

/// A device in host memory with 1 GiB, 1024 threads a block and 48 KiB of shared memory. Kernels run inside
/// `launch`. `load` takes FakeCompiler's binaries and refuses anything else. Times come from the FakeClock.
/// Thread-safe.
class FakeDevice : public Device {
 public:
  explicit FakeDevice(FakeClock& clock, const std::string& id = "fake:0");

  const DeviceInfo& info() const override { return info_; }
  std::uint64_t free_memory_bytes() override;
  std::unique_ptr<DeviceBuffer> allocate(std::size_t bytes) override;
  void copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override;
  void copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override;
  void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) override;
  void fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) override;
  std::unique_ptr<DeviceBuffer> allocate_host(std::size_t bytes) override;
  void enqueue_copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) override;
  void enqueue_copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) override;
  /// Only kernels that tell their parameter sizes can be captured.
  std::unique_ptr<Graph> capture(Stream& stream, const std::function<void()>& enqueue) override;
  std::unique_ptr<Stream> create_stream() override;
  std::unique_ptr<Event> create_event() override;
  std::unique_ptr<Module> load(const std::string& binary) override;
  void flush_cache(Stream& stream) override;
  std::optional<double> energy_joules() override;

  /// Gives the kernel of this lowered name ("_Zaxpy") a body and attributes. A module sees what was there
  /// when it was loaded; kernels that were not defined do nothing.
  void define(const std::string& lowered_name, FakeKernel kernel);
  [[nodiscard]] DeviceInfo& mutable_info() { return info_; }
  /// From now on buffers are memory of the device's own, which the host does not see.
  void hide_memory() { hidden_ = true; }
  /// It draws this all the time; its counter changes each 0.1 s.
  void draw(double watts) { watts_ = watts; }

  [[nodiscard]] std::vector<RecordedLaunch> launches() const;
  [[nodiscard]] int loads() const;
  [[nodiscard]] int live_modules() const;
  [[nodiscard]] int flushes() const;
  [[nodiscard]] int captures() const;

 private:
  DeviceInfo info_;
  std::shared_ptr<FakeDeviceState> state_;
  bool hidden_ = false;
  std::optional<double> watts_;
};

/// Back end with the FakeDevices that it was given; `problem` makes it one that does not work.
class FakeBackend : public Backend {
 public:
  FakeBackend(std::string name, std::vector<std::shared_ptr<Device>> devices, std::string problem = "");

  const std::string& name() const override { return name_; }
  std::string problem() const override { return problem_; }
  std::vector<DeviceInfo> devices() const override;
  std::shared_ptr<Device> open(int ordinal) override;

 private:
  std::string name_;
  std::vector<std::shared_ptr<Device>> devices_;
  std::string problem_;
};

}  // namespace kiln::test
