#include "capi/guard.h"
#include "capi/handles.h"

using kiln::capi::deref;
using kiln::capi::guarded;
using kiln::capi::making;

namespace {

kiln::detail::Access access_of(kiln_access access) {
  switch (access) {
    case KILN_READ:
      return kiln::detail::Access::kRead;
    case KILN_WRITE:
      return kiln::detail::Access::kWrite;
    case KILN_UPDATE:
      return kiln::detail::Access::kUpdate;
  }
  throw kiln::bad_input("access is " + std::to_string(static_cast<int>(access)) +
                        "; expected KILN_READ, KILN_WRITE or KILN_UPDATE");
}

/// An error of the caller's function is rethrown.
void call(kiln_status (*enqueue)(void* user), void* user) {
  const std::uint64_t failed_before = kiln::capi::failures();
  const kiln_status status = enqueue(user);
  if (status == KILN_OK) return;
  if (kiln::capi::failures() > failed_before) kiln::capi::throw_last_error();
  throw kiln::bad_input("enqueue returned " + std::to_string(static_cast<int>(status)));
}

}  // namespace

kiln_status kiln_stream_create(const kiln_device* device, kiln_stream** stream) {
  return making(stream, "stream",
                [&] { return new kiln_stream{deref(device, "device").device.create_stream()}; });
}

kiln_status kiln_stream_borrow(const kiln_device* device, void* native, kiln_stream** stream) {
  return making(stream, "stream",
                [&] { return new kiln_stream{deref(device, "device").device.stream(native)}; });
}

void kiln_stream_release(kiln_stream* stream) {
  delete stream;
}
void* kiln_stream_native(const kiln_stream* stream) {
  return stream == nullptr ? nullptr : stream->stream.native();
}

kiln_status kiln_stream_synchronize(const kiln_stream* stream) {
  return guarded([&] { deref(stream, "stream").stream.synchronize(); });
}

kiln_status kiln_stream_record(const kiln_stream* stream, kiln_event** event) {
  return making(event, "event", [&] { return new kiln_event{deref(stream, "stream").stream.record()}; });
}

kiln_status kiln_stream_wait(const kiln_stream* stream, const kiln_event* event) {
  return guarded([&] { deref(stream, "stream").stream.wait(deref(event, "event").event); });
}

void kiln_event_release(kiln_event* event) {
  delete event;
}

kiln_status kiln_event_seconds(const kiln_event* from, const kiln_event* to, double* seconds) {
  return guarded(
      [&] { deref(seconds, "seconds") = deref(to, "to").event.seconds_since(deref(from, "from").event); });
}

kiln_status kiln_stream_capture(const kiln_stream* stream, kiln_status (*enqueue)(void* user), void* user,
                                kiln_graph** graph) {
  return making(graph, "graph", [&] {
    static_cast<void>(deref(enqueue, "enqueue"));
    return new kiln_graph{deref(stream, "stream").stream.capture([&] { call(enqueue, user); })};
  });
}

kiln_status kiln_graph_update(const kiln_graph* graph, const kiln_stream* stream,
                              kiln_status (*enqueue)(void* user), void* user) {
  return guarded([&] {
    static_cast<void>(deref(enqueue, "enqueue"));
    deref(graph, "graph").graph.update(deref(stream, "stream").stream, [&] { call(enqueue, user); });
  });
}

kiln_status kiln_graph_launch(const kiln_graph* graph, const kiln_stream* stream) {
  return guarded([&] { deref(graph, "graph").graph.launch(deref(stream, "stream").stream); });
}

void kiln_graph_release(kiln_graph* graph) {
  delete graph;
}

kiln_status kiln_buffer_create(const kiln_device* device, size_t count, size_t element_bytes,
                               kiln_buffer** buffer) {
  return making(buffer, "buffer", [&] {
    return new kiln_buffer{kiln::detail::SharedMemory(deref(device, "device").device, count, element_bytes)};
  });
}

void kiln_buffer_release(kiln_buffer* buffer) {
  delete buffer;
}

kiln_status kiln_buffer_on_device(kiln_buffer* buffer, const kiln_stream* stream, kiln_access access,
                                  void** address) {
  return making(address, "address", [&] {
    return deref(buffer, "buffer").memory.on_device(deref(stream, "stream").stream, access_of(access));
  });
}

kiln_status kiln_buffer_on_host(kiln_buffer* buffer, kiln_access access, void** address) {
  return making(address, "address",
                [&] { return deref(buffer, "buffer").memory.on_host(access_of(access)); });
}
