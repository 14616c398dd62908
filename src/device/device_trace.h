#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/trace.h"
#include "base/unique_handle.h"
#include "device/target.h"

namespace kiln {

/// The labels of launches of one kernel in one shape: on the host, and on the device.
struct LaunchLabels {
  LaunchShape shape;
  SharedLabel launch, kernel;
};

class DeviceTrace;

struct StreamLineTraits {
  struct Handle {
    DeviceTrace* device = nullptr;
    std::size_t number = 0;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.device != b.device; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& line) noexcept;
};
/// A stream's line in the picture of its device; when the stream is destroyed, another stream uses the line.
using StreamLine = UniqueHandle<StreamLineTraits>;

/// The state that the streams and modules of one traced device share. Thread-safe.
class DeviceTrace {
 public:
  DeviceTrace(Trace& trace, std::string id, const std::string& name);

  [[nodiscard]] Trace& trace() const { return trace_; }
  [[nodiscard]] const std::string& id() const { return id_; }

  [[nodiscard]] StreamLine take_line();
  /// The track of a line.
  [[nodiscard]] std::size_t track_of(const StreamLine& line);

  /// The labels live as long as this object. Beyond a large number of shapes of a kernel, labels omit the
  /// shape.
  [[nodiscard]] const LaunchLabels& labels(const std::string& kernel, const LaunchShape& shape);

  /// The labels of a graph of launches of these kernels.
  [[nodiscard]] const LaunchLabels& labels_of_graph(const std::string& kernels);

 private:
  friend struct StreamLineTraits;

  Trace& trace_;
  std::string id_, process_name_;
  std::int64_t process_;
  std::mutex mutex_;  // guards the members below
  std::vector<bool> lines_;
  std::map<std::string, std::map<std::string, LaunchLabels>> labels_;  // by kernel, then by shape
};

}  // namespace kiln
