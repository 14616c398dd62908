#include "device/device_trace.h"

#include <algorithm>
#include <utility>

namespace kiln {
namespace {

constexpr std::size_t kMostShapes = 1000;

LaunchLabels make_labels(const std::string& kernel, const LaunchShape& shape, const std::string& text) {
  const auto make = [&](TraceKind kind) {
    TraceLabel label = make_label(kind, kernel);
    // The device's own line has kernels only, so the label omits the kind.
    if (kind == TraceKind::kKernel) label.name = kernel;
    label.arguments.emplace_back("kernel", kernel);
    if (!text.empty()) label.arguments.emplace_back("shape", text);
    return std::make_shared<const TraceLabel>(std::move(label));
  };
  return {shape, make(TraceKind::kLaunch), make(TraceKind::kKernel)};
}

std::string text_of(const LaunchShape& shape) {
  std::string text = "grid " + to_string(shape.grid) + ", block " + to_string(shape.block);
  if (shape.dynamic_shared_bytes > 0)
    text += ", " + std::to_string(shape.dynamic_shared_bytes) + " bytes of dynamic shared memory";
  if (shape.clustered()) text += ", clusters of " + to_string(shape.cluster);
  if (shape.cooperative) text += ", cooperative";
  if (shape.overlap) text += ", overlapping";
  return text;
}

}  // namespace

void StreamLineTraits::close(const Handle& line) noexcept {
  const std::lock_guard lock(line.device->mutex_);
  line.device->lines_[line.number] = false;
}

DeviceTrace::DeviceTrace(Trace& trace, std::string id, const std::string& name)
    : trace_(trace),
      id_(std::move(id)),
      process_name_(id_ + ": " + name),
      process_(trace.process_for(process_name_)) {}

StreamLine DeviceTrace::take_line() {
  const std::lock_guard lock(mutex_);
  const auto free = std::find(lines_.begin(), lines_.end(), false);
  const auto number = static_cast<std::size_t>(free - lines_.begin());
  if (free == lines_.end()) lines_.push_back(false);
  lines_[number] = true;
  return StreamLine({this, number});
}

std::size_t DeviceTrace::track_of(const StreamLine& line) {
  const std::size_t number = line.get().number + 1;
  return trace_.track({process_, process_name_, static_cast<std::int64_t>(number),
                       "stream " + std::to_string(number) + " of Kiln"});
}

const LaunchLabels& DeviceTrace::labels(const std::string& kernel, const LaunchShape& shape) {
  const std::lock_guard lock(mutex_);
  auto& shapes = labels_[kernel];
  std::string text = text_of(shape);
  if (const auto found = shapes.find(text); found != shapes.end()) return found->second;
  if (shapes.size() >= kMostShapes) text.clear();
  return shapes.try_emplace(text, make_labels(kernel, shape, text)).first->second;
}

const LaunchLabels& DeviceTrace::labels_of_graph(const std::string& kernels) {
  const std::lock_guard lock(mutex_);
  const std::string title = "graph of " + kernels;
  return labels_[title].try_emplace("", make_labels(title, {}, "")).first->second;
}

}  // namespace kiln
