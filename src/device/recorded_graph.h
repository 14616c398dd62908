#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.h"

namespace kiln {

/// A stream of a back end without graphs of its own. During a capture, operations go into a list, which a
/// launch of the graph runs.
class RecordingStream : public Stream {
 public:
  using Operation = std::function<void(Stream&)>;

  [[nodiscard]] bool recording() const { return list_ != nullptr; }
  /// For a stream that is recording. The operation runs at each launch of the graph, on the stream of that
  /// launch.
  void add(Operation operation) { list_->operations.push_back(std::move(operation)); }
  /// Runs the operation now, or adds it if the stream is recording.
  void perform(const Operation& operation);
  /// Operations that are enqueued from now on belong to the graph that `other` is captured into, if there is
  /// one.
  void join(RecordingStream& other);
  /// Throws bad_input if the stream is recording.
  void require_no_capture(const char* operation) const;
  [[nodiscard]] std::unique_ptr<Graph> record(const std::function<void()>& enqueue);

 private:
  struct List {
    std::vector<Operation> operations;
    std::vector<RecordingStream*> streams;  // the streams that take part
  };
  List* list_ = nullptr;  // of the current capture
};

/// A launch's arguments, kept for later launches.
class KeptArguments {
 public:
  KeptArguments(void* const* arguments, const std::vector<std::size_t>& sizes);
  [[nodiscard]] void* const* get() { return addresses_.data(); }

 private:
  std::vector<std::byte> bytes_;
  std::vector<void*> addresses_;
};

}  // namespace kiln
