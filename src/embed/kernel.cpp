#include "kiln/kernel.h"

#include <array>

#include "base/text.h"
#include "device/fault.h"
#include "embed/handles.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"
#include "specialize/unit.h"

namespace kiln {
namespace {

constexpr std::size_t kMaxArguments = 128;

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
  const std::lock_guard lock(impl_->stream_mutex);
  try {
    impl_->stream->synchronize();
  } catch (const DeviceFault& fault) {
    throw bad_input(fault.what());
  }
}

KernelRequest& KernelRequest::on(const DeviceHandle& device) {
  auto changed = std::make_shared<Impl>(*impl_);
  changed->device = device.impl_;
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

Kernel KernelRequest::get() const {
  if (!impl_->device)
    throw bad_input("kernel '" + impl_->kernel->name + "': no device; call on(device) first");
  Device& device = *impl_->device->device;
  const std::string& backend = device.info().target.backend;
  Engine& engine = impl_->service->engine;
  const ConfigurationResult configured =
      configure(impl_->workload, impl_->assignments, backend, *impl_->service->files);
  if (configured.violated)
    throw bad_input("constraint violated: " + configured.configuration.explain(*configured.violated),
                    configured.violated->where);
  const Configuration& configuration = configured.configuration;
  const auto units = make_units(configuration, {impl_->kernel->name}, Role::kStep, device.info().target,
                                *impl_->service->files);
  const Unit& unit = units.at(0);
  auto result =
      engine.service().get(unit.specialization, *engine.compilers().at(backend), impl_->device->device);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&result)) {
    const std::string message = diagnostic->summary + (diagnostic->log.empty() ? "" : "\n" + diagnostic->log);
    throw diagnostic->environment ? environment_error(message) : bad_input(message);
  }
  ServiceResult& found = std::get<ServiceResult>(result);
  auto made = std::make_shared<Kernel::Impl>();
  made->device = impl_->device;
  made->code = std::move(found.code);
  made->function = &made->code->function(unit.name_expressions.at(impl_->kernel->name));
  made->shape = shape_of(configuration, *impl_->kernel);
  made->name = impl_->kernel->name;
  made->origin = to_string(found.origin);
  made->key = found.key.digest;
  made->compile_seconds = found.compile_seconds;
  std::vector<std::size_t> sizes;
  for (const ArgumentSpec& argument : impl_->kernel->args) {
    const bool buffer = argument.kind == ArgumentSpec::Kind::kBuffer;
    made->values.push_back(buffer ? std::vector<std::byte>{}
                                  : argument_bytes(configuration, argument, unit.params));
    made->buffer_count += buffer ? 1 : 0;
    sizes.push_back(buffer ? sizeof(void*) : made->values.back().size());
  }
  if (sizes.size() > kMaxArguments)
    throw bad_input("kernel '" + made->name + "' has more than 128 arguments", impl_->kernel->where);
  for (const auto& problem :
       {check_arguments(sizes, made->function->attributes(), made->name),
        check_shape(made->shape, device.info(), made->function->attributes(), made->name)}) {
    if (problem) throw bad_input(*problem, impl_->kernel->where);
  }
  Kernel kernel;
  kernel.impl_ = std::move(made);
  return kernel;
}

std::future<Kernel> KernelRequest::get_async() const {
  return std::async(std::launch::async, [request = *this] { return request.get(); });
}

void Kernel::launch(void* stream, const LaunchArguments& arguments) const {
  const Impl& self = *impl_;
  if (arguments.pointers().size() != self.buffer_count) {
    throw bad_input("kernel '" + self.name + "' takes " + std::to_string(self.buffer_count) + " buffers, " +
                    std::to_string(arguments.pointers().size()) + " are given");
  }
  std::array<const void*, kMaxArguments> buffers{};
  std::array<void*, kMaxArguments> pointers{};
  std::size_t next_buffer = 0;
  for (std::size_t i = 0; i < self.values.size(); ++i) {
    if (self.values[i].empty()) {
      buffers.at(i) = arguments.pointers()[next_buffer++];
      pointers.at(i) = static_cast<void*>(&buffers.at(i));
    } else {
      // The driver's interface takes pointers to non-const; it only reads.
      pointers.at(i) =
          const_cast<std::byte*>(self.values[i].data());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    }
  }
  if (stream != nullptr) {
    const auto borrowed = self.device->device->borrow_stream(stream);
    self.function->launch(*borrowed, self.shape, pointers.data());
    return;
  }
  const std::lock_guard lock(self.device->stream_mutex);
  self.function->launch(*self.device->stream, self.shape, pointers.data());
}

void Kernel::run(const LaunchArguments& arguments) const {
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
