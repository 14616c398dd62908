#include "device/recorded_graph.h"

#include <cstring>
#include <string>
#include <utility>

#include "kiln/error.h"

namespace kiln {
namespace {

class RecordedGraph final : public Graph {
 public:
  explicit RecordedGraph(std::vector<RecordingStream::Operation> operations)
      : operations_(std::move(operations)) {}
  void launch(Stream& stream) override {
    for (const RecordingStream::Operation& operation : operations_) operation(stream);
  }

 private:
  std::vector<RecordingStream::Operation> operations_;
};

}  // namespace

void RecordingStream::perform(const Operation& operation) {
  if (recording()) {
    add(operation);
  } else {
    operation(*this);
  }
}

void RecordingStream::require_no_capture(const char* operation) const {
  if (!recording()) return;
  throw bad_input(std::string(operation) +
                  " waits for the device, which a stream that is captured into a graph cannot do");
}

std::unique_ptr<Graph> RecordingStream::record(const std::function<void()>& enqueue) {
  require_no_capture("a capture in a capture");
  List list;
  const std::shared_ptr<void> end(nullptr, [&](void*) {
    for (RecordingStream* stream : list.streams) stream->list_ = nullptr;
  });
  list_ = &list;
  list.streams.push_back(this);
  enqueue();
  return std::make_unique<RecordedGraph>(std::move(list.operations));
}

void RecordingStream::join(RecordingStream& other) {
  if (!other.recording() || recording()) return;
  list_ = other.list_;
  list_->streams.push_back(this);
}

KeptArguments::KeptArguments(void* const* arguments, const std::vector<std::size_t>& sizes) {
  constexpr std::size_t kAlignment = 16;
  const auto room = [](std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  std::size_t total = 0;
  for (const std::size_t size : sizes) total += room(size);
  bytes_.resize(total);
  std::byte* place = bytes_.data();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 0) std::memcpy(place, arguments[i], sizes[i]);
    addresses_.push_back(place);
    place += room(sizes[i]);
  }
}

}  // namespace kiln
