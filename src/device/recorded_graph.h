#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "device/device.h"

namespace kiln {

/// A stream of a back end that has no graphs of its own: while it is captured, operations go into a list,
/// which a launch of the graph works through.
class RecordingStream : public Stream {
 public:
  using Operation = std::function<void(Stream&)>;

  [[nodiscard]] bool recording() const { return list_ != nullptr; }
  /// While it is recording: done at each launch of the graph, on the stream of that launch.
  void add(Operation operation) { list_->operations.push_back(std::move(operation)); }
  /// Now, or while it is recording as `add`.
  void perform(const Operation& operation);
  /// What is enqueued from now on is part of the graph that `other` is captured into, if it is.
  void join(RecordingStream& other);
  /// Throws bad_input while it is recording.
  void require_no_capture(const char* operation) const;
  [[nodiscard]] std::unique_ptr<Graph> record(const std::function<void()>& enqueue);

 private:
  struct List {
    std::vector<Operation> operations;
    std::vector<RecordingStream*> streams;  // that take part
  };
  List* list_ = nullptr;  // of the capture that is under way
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
