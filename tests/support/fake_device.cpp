#include "support/fake_device.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "device/fault.h"
#include "device/recorded_graph.h"
#include "kiln/error.h"

namespace kiln::test {
namespace {

using State = std::shared_ptr<FakeDeviceState>;

/// Runs the action when the last copy goes.
std::shared_ptr<void> at_end(std::function<void()> action) {
  return {nullptr, [action = std::move(action)](void*) { action(); }};
}

class FakeBuffer : public DeviceBuffer {
 public:
  FakeBuffer(const State& state, std::size_t bytes, bool hidden)
      : memory_(std::make_unique<unsigned char[]>(bytes)),
        bytes_(bytes),
        hidden_(hidden),
        account_(at_end([state, bytes] {
          const std::lock_guard lock(state->mutex);
          state->used_bytes -= bytes;
        })) {}
  void* data() const override { return memory_.get(); }
  std::size_t bytes() const override { return bytes_; }
  void* host_view() const override { return hidden_ ? nullptr : memory_.get(); }

 private:
  std::unique_ptr<unsigned char[]> memory_;
  std::size_t bytes_;
  bool hidden_;
  std::shared_ptr<void> account_;
};

class FakeStream : public RecordingStream {
 public:
  void* native() const override { return nullptr; }
  void wait(const Event& event) override;
  void synchronize() override {
    require_no_capture("synchronize");
    if (const auto fault = std::exchange(fault_, std::nullopt)) throw Error(*fault);
  }
  void set_fault(const Error& fault) { fault_ = fault; }

 private:
  std::optional<Error> fault_;
};

class FakeEvent : public Event {
 public:
  explicit FakeEvent(State state) : state_(std::move(state)) {}
  void record(Stream& stream) override {
    at_ns_ = state_->clock.steady_ns();
    stream_ = &dynamic_cast<FakeStream&>(stream);
  }
  [[nodiscard]] FakeStream* stream() const { return stream_; }
  double seconds_since(const Event& earlier) const override {
    return seconds_between(dynamic_cast<const FakeEvent&>(earlier).at_ns_, at_ns_);
  }

 private:
  State state_;
  std::int64_t at_ns_ = 0;
  FakeStream* stream_ = nullptr;  // it was recorded on last
};

void FakeStream::wait(const Event& event) {
  if (auto* other = dynamic_cast<const FakeEvent&>(event).stream()) join(*other);
}

class FakeFunction : public DeviceFunction {
 public:
  FakeFunction(State state, std::string name, FakeKernel kernel)
      : state_(std::move(state)), name_(std::move(name)), kernel_(std::move(kernel)) {}

  const std::string& name() const override { return name_; }
  const FunctionAttributes& attributes() const override { return kernel_.attributes; }
  void launch(Stream& stream, const LaunchShape& shape, void* const* arguments) override {
    if (auto& queue = dynamic_cast<FakeStream&>(stream); queue.recording()) {
      auto kept = std::make_shared<KeptArguments>(arguments, kernel_.attributes.parameter_bytes.value());
      queue.add([this, shape, kept](Stream& later) { launch(later, shape, kept->get()); });
      return;
    }
    record(stream, shape, arguments);
    try {
      if (kernel_.body) kernel_.body(shape, arguments);
    } catch (const Error& fault) {
      if (fault.kind() == ErrorKind::kUnfit) throw;
      dynamic_cast<FakeStream&>(stream).set_fault(fault);
    }
    state_->clock.advance(kernel_.seconds);
  }
  void launch_native(void* /*native*/, const LaunchShape& /*shape*/, void* const* /*arguments*/) override {
    throw bad_input("a fake device has no streams of a caller's");
  }
  std::optional<std::uint64_t> resident_blocks(const LaunchShape& /*shape*/) const override {
    return kernel_.resident_blocks;
  }

 private:
  void record(const Stream& stream, const LaunchShape& shape, void* const* arguments) {
    RecordedLaunch launch{name_, shape, {}, &stream};
    const std::vector<std::size_t> sizes =
        kernel_.attributes.parameter_bytes.value_or(std::vector<std::size_t>{});
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      launch.arguments.emplace_back(static_cast<const char*>(arguments[i]), sizes[i]);
    }
    const std::lock_guard lock(state_->mutex);
    state_->launches.push_back(std::move(launch));
  }

  State state_;
  std::string name_;
  FakeKernel kernel_;
};

class FakeModule : public Module {
 public:
  FakeModule(const State& state, const std::string& binary)
      : live_(at_end([state] {
          const std::lock_guard lock(state->mutex);
          --state->live_modules;
        })) {
    const std::lock_guard lock(state->mutex);
    ++state->loads;
    ++state->live_modules;
    std::vector<std::string> lines = split(trim(binary), '\n');
    lines.erase(lines.begin());
    for (const std::string& name : lines) {
      functions_.emplace(name, std::make_unique<FakeFunction>(state, name, state->kernels[name]));
    }
  }
  DeviceFunction* function(const std::string& lowered_name) override {
    const auto found = functions_.find(lowered_name);
    return found == functions_.end() ? nullptr : found->second.get();
  }
  std::optional<std::pair<void*, std::size_t>> symbol(const std::string& /*name*/) override {
    return std::nullopt;
  }

 private:
  std::shared_ptr<void> live_;
  std::map<std::string, std::unique_ptr<FakeFunction>> functions_;
};

}  // namespace

FakeDevice::FakeDevice(FakeClock& clock, const std::string& id)
    : state_(std::make_shared<FakeDeviceState>(clock)) {
  info_.id = id;
  info_.name = "Fake device";
  info_.target = Target{"fake", "fake_1", 32};
  info_.compute_units = 4;
  info_.memory_bytes = std::uint64_t{1} << 30;
  info_.l2_bytes = std::uint64_t{1} << 20;
  info_.driver = "fake 1.0";
  info_.limits.max_threads_per_block = 1024;
  info_.limits.max_block = {1024, 1024, 64};
  info_.limits.max_grid = {2147483647, 65535, 65535};
  info_.limits.max_shared_bytes_per_block = std::uint64_t{48} << 10;
}

std::uint64_t FakeDevice::free_memory_bytes() {
  const std::lock_guard lock(state_->mutex);
  return info_.memory_bytes - state_->used_bytes;
}

std::unique_ptr<DeviceBuffer> FakeDevice::allocate(std::size_t bytes) {
  {
    const std::lock_guard lock(state_->mutex);
    const std::uint64_t left = info_.memory_bytes - state_->used_bytes;
    if (bytes > left) {
      throw bad_input("cannot allocate " + format_bytes(bytes) + " on " + info_.id + ": " +
                      format_bytes(left) + " are free");
    }
    state_->used_bytes += bytes;
  }
  return std::make_unique<FakeBuffer>(state_, bytes, hidden_);
}

void FakeDevice::copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) {
  dynamic_cast<FakeStream&>(stream).require_no_capture("copy_to_device");
  if (bytes > 0) std::memcpy(device, host, bytes);
}

void FakeDevice::copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) {
  dynamic_cast<FakeStream&>(stream).require_no_capture("copy_to_host");
  if (bytes > 0) std::memcpy(host, device, bytes);
}

void FakeDevice::enqueue_copy_to_device(Stream& stream, void* device, const void* host, std::size_t bytes) {
  copy_on_device(stream, device, host, bytes);
}

void FakeDevice::enqueue_copy_to_host(Stream& stream, void* host, const void* device, std::size_t bytes) {
  copy_on_device(stream, host, device, bytes);
}

void FakeDevice::copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) {
  dynamic_cast<FakeStream&>(stream).perform([=](Stream&) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  });
}

void FakeDevice::fill_bytes(Stream& stream, void* device, unsigned char value, std::size_t bytes) {
  dynamic_cast<FakeStream&>(stream).perform([=](Stream&) {
    if (bytes > 0) std::memset(device, value, bytes);
  });
}

std::unique_ptr<DeviceBuffer> FakeDevice::allocate_host(std::size_t bytes) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->used_bytes += bytes;
  }
  return std::make_unique<FakeBuffer>(state_, bytes, false);
}

std::unique_ptr<Graph> FakeDevice::capture(Stream& stream, const std::function<void()>& enqueue) {
  {
    const std::lock_guard lock(state_->mutex);
    ++state_->captures;
  }
  return dynamic_cast<FakeStream&>(stream).record(enqueue);
}

std::unique_ptr<Stream> FakeDevice::create_stream() {
  return std::make_unique<FakeStream>();
}

std::unique_ptr<Event> FakeDevice::create_event() {
  return std::make_unique<FakeEvent>(state_);
}

std::unique_ptr<Module> FakeDevice::load(const std::string& binary) {
  if (!binary.starts_with("KILNFAKE ")) {
    throw environment_error("this binary is not for " + info_.id);
  }
  return std::make_unique<FakeModule>(state_, binary);
}

std::optional<double> FakeDevice::energy_joules() {
  constexpr std::int64_t kTick = 100'000'000;
  if (!watts_) return std::nullopt;
  return static_cast<double>(state_->clock.steady_ns() / kTick) * 0.1 * *watts_;
}

void FakeDevice::flush_cache(Stream& /*stream*/) {
  const std::lock_guard lock(state_->mutex);
  ++state_->flushes;
}

void FakeDevice::define(const std::string& lowered_name, FakeKernel kernel) {
  const std::lock_guard lock(state_->mutex);
  state_->kernels[lowered_name] = std::move(kernel);
}

std::vector<RecordedLaunch> FakeDevice::launches() const {
  const std::lock_guard lock(state_->mutex);
  return state_->launches;
}

int FakeDevice::loads() const {
  const std::lock_guard lock(state_->mutex);
  return state_->loads;
}

int FakeDevice::live_modules() const {
  const std::lock_guard lock(state_->mutex);
  return state_->live_modules;
}

int FakeDevice::captures() const {
  const std::lock_guard lock(state_->mutex);
  return state_->captures;
}

int FakeDevice::flushes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->flushes;
}

FakeBackend::FakeBackend(std::string name, std::vector<std::shared_ptr<Device>> devices, std::string problem)
    : name_(std::move(name)), devices_(std::move(devices)), problem_(std::move(problem)) {}

std::vector<DeviceInfo> FakeBackend::devices() const {
  std::vector<DeviceInfo> infos;
  if (!problem_.empty()) return infos;
  for (const auto& device : devices_) infos.push_back(device->info());
  return infos;
}

std::shared_ptr<Device> FakeBackend::open(int ordinal) {
  if (!problem_.empty()) throw environment_error(problem_);
  const auto index = static_cast<std::size_t>(ordinal);
  if (ordinal < 0 || index >= devices_.size()) {
    throw bad_input("there is no device " + name_ + ":" + std::to_string(ordinal));
  }
  return devices_[index];
}

}  // namespace kiln::test
