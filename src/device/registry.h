#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/trace.h"
#include "device/device.h"

namespace kiln {

/// All back ends that this build knows, asked for devices by the names that users write:
/// "auto" (first GPU, else the cpu), "cpu", "cuda" (= "cuda:0"), "cuda:1", "hip:0".
class DeviceRegistry {
 public:
  /// Devices are traced where `trace` is not null; it outlives them.
  explicit DeviceRegistry(std::vector<std::unique_ptr<Backend>> backends, Trace* trace = nullptr);

  [[nodiscard]] const std::vector<std::unique_ptr<Backend>>& backends() const { return backends_; }
  /// The same object for the same id as long as a caller holds it. Throws bad_input for a name that has
  /// another form or is unknown (with a list of the existing devices), and environment_error if the back end
  /// does not work here (its `problem()`). Thread-safe.
  [[nodiscard]] std::shared_ptr<Device> open(const std::string& name);
  /// As `open`, for a name that may mean all devices of a back end ("cuda:all"), in their order.
  [[nodiscard]] std::vector<std::shared_ptr<Device>> open_all(const std::string& name);

 private:
  [[nodiscard]] std::string automatic() const;

  std::vector<std::unique_ptr<Backend>> backends_;
  Trace* trace_;
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::weak_ptr<Device>>> open_;
};

}  // namespace kiln
