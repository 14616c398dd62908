#pragma once

#include <memory>
#include <utility>

#include "embed/handles.h"
#include "kiln/stream.h"

// The types behind the handles of kiln/stream.h. The device is the first member, so it is destroyed last.
namespace kiln {

struct [[gnu::visibility("hidden")]] StreamHandle::Impl {
  Impl(DeviceHandle owner, std::shared_ptr<Device> opened, std::unique_ptr<Stream> made)
      : handle(std::move(owner)), device(std::move(opened)), stream(std::move(made)) {}

  DeviceHandle handle;
  std::shared_ptr<Device> device;
  std::unique_ptr<Stream> stream;
};

struct [[gnu::visibility("hidden")]] EventHandle::Impl {
  Impl(std::shared_ptr<Device> opened, std::unique_ptr<Event> made)
      : device(std::move(opened)), event(std::move(made)) {}

  std::shared_ptr<Device> device;
  std::unique_ptr<Event> event;
};

struct [[gnu::visibility("hidden")]] GraphHandle::Impl {
  Impl(std::shared_ptr<Device> opened, std::unique_ptr<Graph> made)
      : device(std::move(opened)), graph(std::move(made)) {}

  std::shared_ptr<Device> device;
  std::unique_ptr<Graph> graph;
};

}  // namespace kiln
