#include "kiln/stream.h"

#include <utility>

#include "embed/stream_handles.h"

namespace kiln {

StreamHandle DeviceHandle::create_stream() const {
  StreamHandle handle;
  handle.impl_ = std::make_shared<StreamHandle::Impl>(*this, impl_->device, impl_->device->create_stream());
  return handle;
}

StreamHandle DeviceHandle::stream(void* native) const {
  Device& device = *impl_->device;
  StreamHandle handle;
  handle.impl_ = std::make_shared<StreamHandle::Impl>(
      *this, impl_->device, native == nullptr ? device.default_stream() : device.borrow_stream(native));
  return handle;
}

void* StreamHandle::native() const {
  return impl_->stream->native();
}
const DeviceHandle& StreamHandle::device() const {
  return impl_->handle;
}
void StreamHandle::synchronize() const {
  impl_->stream->synchronize();
}

EventHandle StreamHandle::record() const {
  EventHandle handle;
  handle.impl_ = std::make_shared<EventHandle::Impl>(impl_->device, impl_->device->create_event());
  handle.impl_->event->record(*impl_->stream);
  return handle;
}

void StreamHandle::wait(const EventHandle& event) const {
  if (event.impl_->device != impl_->device)
    throw bad_input("a stream waits for events of its own device only");
  impl_->stream->wait(*event.impl_->event);
}

GraphHandle StreamHandle::capture(const std::function<void()>& enqueue) const {
  GraphHandle handle;
  handle.impl_ =
      std::make_shared<GraphHandle::Impl>(impl_->device, impl_->device->capture(*impl_->stream, enqueue));
  return handle;
}

double EventHandle::seconds_since(const EventHandle& earlier) const {
  if (earlier.impl_->device != impl_->device) throw bad_input("the events are of two devices");
  return impl_->event->seconds_since(*earlier.impl_->event);
}

void GraphHandle::update(const StreamHandle& stream, const std::function<void()>& enqueue) const {
  if (stream.impl_->device != impl_->device) throw bad_input("a graph is captured on its own device only");
  impl_->graph = impl_->device->capture(*stream.impl_->stream, enqueue);
}

void GraphHandle::launch(const StreamHandle& stream) const {
  if (stream.impl_->device != impl_->device) throw bad_input("a graph is launched on its own device only");
  impl_->graph->launch(*stream.impl_->stream);
}

}  // namespace kiln
