#include "kiln/kernel.h"

#include "base/text.h"
#include "device/fault.h"
#include "embed/handles.h"
#include "embed/made_kernel.h"

namespace kiln {
namespace {

std::string text_of(const KernelRequest::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return format_number(std::get<double>(value));
}

}  // namespace

const std::string& DeviceHandle::id() const {
  return impl_->device->info().id;
}
const std::string& DeviceHandle::name() const {
  return impl_->device->info().name;
}
const std::string& DeviceHandle::arch() const {
  return impl_->device->info().target.arch;
}
std::uint64_t DeviceHandle::free_memory_bytes() const {
  return impl_->device->free_memory_bytes();
}

void DeviceHandle::synchronize() const {
  try {
    impl_->stream->synchronize();
  } catch (const DeviceFault& fault) {
    throw bad_input(fault.what());
  }
}

KernelRequest& KernelRequest::on(const DeviceHandle& device) {
  auto changed = std::make_shared<Impl>(*impl_);
  changed->device = device.impl_;
  changed->caller_stream = nullptr;
  impl_ = std::move(changed);
  return *this;
}

KernelRequest& KernelRequest::on(const DeviceHandle& device, void* stream) {
  if (stream != nullptr)
    static_cast<void>(device.impl_->device->is_capturing(stream));  // refuses where none is
  auto changed = std::make_shared<Impl>(*impl_);
  changed->device = device.impl_;
  changed->caller_stream = stream;
  impl_ = std::move(changed);
  return *this;
}

KernelRequest& KernelRequest::set(const std::string& parameter, const Value& value) {
  auto changed = std::make_shared<Impl>(*impl_);
  changed->assignments.emplace_back(parameter,
                                    RawValue{text_of(value), false, {"set(\"" + parameter + "\")", 0, 0}});
  impl_ = std::move(changed);
  return *this;
}

KernelRequest& KernelRequest::header(const std::string& name, const std::string& text) {
  auto changed = std::make_shared<Impl>(*impl_);
  std::erase_if(changed->headers, [&](const IncludedHeader& known) { return known.name == name; });
  changed->headers.push_back({name, "", text});
  impl_ = std::move(changed);
  return *this;
}

Kernel KernelRequest::get() const {
  const PreparedRequest prepared = prepare(*impl_);
  auto result = impl_->service->engine.service().get(prepared.unit.specialization, *prepared.compiler,
                                                     impl_->device->device, impl_->caller_stream);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) throw error_of(*diagnostic);
  Kernel kernel;
  kernel.impl_ = make_kernel(*impl_, prepared, std::get<ServiceResult>(std::move(result)));
  return kernel;
}

std::future<Kernel> KernelRequest::get_async() const {
  return std::async(std::launch::async, [request = *this] { return request.get(); });
}

void Kernel::launch(void* stream, LaunchArguments arguments) const {
  launch_kernel(*impl_, stream, arguments);
}

void Kernel::run(LaunchArguments arguments) const {
  launch(nullptr, arguments);
  DeviceHandle device;
  device.impl_ = impl_->device;
  device.synchronize();
}

const std::string& Kernel::name() const {
  return impl_->name;
}
const std::string& Kernel::origin() const {
  return impl_->origin;
}
double Kernel::compile_seconds() const {
  return impl_->compile_seconds;
}
const std::string& Kernel::key() const {
  return impl_->key;
}

}  // namespace kiln
