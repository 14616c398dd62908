#include "handles.h"
#include "log.h"

namespace kiln::python {
namespace {

using StreamHandle = Handle<kiln_stream, kiln_stream_release>;

Stream create_stream(const Device& device) {
  return {make<StreamHandle, kiln_stream>(
              [&](kiln_stream** made) { return kiln_stream_create(device.get(), made); }),
          device};
}

Stream borrow_stream(const Device& device, std::uintptr_t native) {
  return {make<StreamHandle, kiln_stream>([&](kiln_stream** made) {
            return kiln_stream_borrow(device.get(), reinterpret_cast<void*>(native), made);
          }),
          device};
}

std::uintptr_t native_of(const Stream& own) {
  return reinterpret_cast<std::uintptr_t>(kiln_stream_native(own.handle.get()));
}

Event record(const Stream& own) {
  return make<Event, kiln_event>(
      [&](kiln_event** made) { return kiln_stream_record(own.handle.get(), made); });
}

/// What Python code enqueues, called by Kiln in this thread, which keeps the GIL.
struct Enqueue {
  const nb::callable& function;
  std::exception_ptr failure;

  static kiln_status call(void* user) {
    auto& own = *static_cast<Enqueue*>(user);
    try {
      own.function();
      return KILN_OK;
    } catch (...) {
      own.failure = std::current_exception();
      return KILN_BAD_INPUT;
    }
  }
};

Graph capture(const Stream& own, const nb::callable& function) {
  Enqueue enqueue{function, nullptr};
  kiln_graph* graph = nullptr;
  const kiln_status status = kiln_stream_capture(own.handle.get(), &Enqueue::call, &enqueue, &graph);
  if (enqueue.failure) {
    kiln_graph_release(graph);
    std::rethrow_exception(enqueue.failure);
  }
  check(status);
  return Graph(graph);
}

void update(const Graph& own, const Stream& stream, const nb::callable& function) {
  Enqueue enqueue{function, nullptr};
  const kiln_status status = kiln_graph_update(own.get(), stream.handle.get(), &Enqueue::call, &enqueue);
  if (enqueue.failure) std::rethrow_exception(enqueue.failure);
  check(status);
}

double seconds_since(const Event& own, const Event& from) {
  double seconds = 0;
  check(without_gil([&] { return kiln_event_seconds(from.get(), own.get(), &seconds); }));
  return seconds;
}

}  // namespace

void bind_streams(nb::module_& module) {
  nb::class_<Event>(module, "Event").def("seconds_since", &seconds_since, nb::arg("earlier"));
  nb::class_<Stream>(module, "Stream")
      .def_prop_ro("ptr", &native_of)
      .def("__cuda_stream__", [](const Stream& own) { return nb::make_tuple(0, native_of(own)); })
      .def("synchronize",
           [](const Stream& own) {
             check(without_gil([&] { return kiln_stream_synchronize(own.handle.get()); }));
             deliver_messages();
           })
      .def("record", &record)
      .def(
          "wait",
          [](const Stream& own, const Event& event) {
            check(kiln_stream_wait(own.handle.get(), event.get()));
          },
          nb::arg("event"))
      .def("capture", &capture, nb::arg("enqueue"));
  nb::class_<Graph>(module, "Graph")
      .def(
          "launch",
          [](const Graph& own, const Stream& stream) {
            check(kiln_graph_launch(own.get(), stream.handle.get()));
          },
          nb::arg("stream"))
      .def("update", &update, nb::arg("stream"), nb::arg("enqueue"));
  module.def("create_stream", &create_stream, nb::arg("device"));
  module.def("borrow_stream", &borrow_stream, nb::arg("device"), nb::arg("native"));
}

}  // namespace kiln::python
