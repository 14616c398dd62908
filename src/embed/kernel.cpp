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

/// The drivers' interfaces take pointers to non-const; they only read.
template <class Value>
void* address_of(const Value& value) {
  return const_cast<Value*>(&value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

void enqueue(const Kernel::Impl& kernel, void* stream, void* const* addresses) {
  if (stream != nullptr)
    kernel.function->launch_native(stream, kernel.shape, addresses);
  else
    kernel.function->launch(*kernel.device->stream, kernel.shape, addresses);
}

/// A map is made anew for each launch: it holds the pointer.
void launch_with_tensor_maps(const Kernel::Impl& kernel, void* stream, LaunchArguments pointers) {
  std::vector<TensorMap> maps(kernel.arguments.size());
  std::vector<void*> addresses;
  std::size_t next_pointer = 0;
  for (const KernelArgument& argument : kernel.arguments) {
    if (!argument.value.empty()) {
      addresses.push_back(address_of(argument.value.front()));
      continue;
    }
    const void* const& pointer = pointers[next_pointer++];
    if (argument.tensor_map) {
      TensorMap& map = maps[addresses.size()];
      map = kernel.device->device->encode_tensor_map(*argument.tensor_map, pointer);
      addresses.push_back(&map);
    } else {
      addresses.push_back(address_of(pointer));
    }
  }
  enqueue(kernel, stream, addresses.data());
}

/// Throws what keeps the kernel from being launched as it is configured.
void check_fit(const Configuration& configuration, const KernelSpec& kernel, const Kernel::Impl& made,
               const std::vector<std::size_t>& argument_sizes) {
  const DeviceInfo& device = made.device->device->info();
  if (const auto problem = check_arguments(argument_sizes, made.function->attributes(), made.name))
    throw bad_input(*problem, kernel.where);
  auto problem = check_shape(made.shape, device, made.function->attributes(), made.name);
  if (!problem)
    problem = check_residency(made.shape, device, made.function->resident_blocks(made.shape), made.name);
  if (problem) throw bad_input(*problem + " (" + explain_shape(configuration, kernel) + ")", kernel.where);
}

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
                                *impl_->service->files, impl_->headers);
  const Unit& unit = units.at(0);
  auto result = engine.service().get(unit.specialization, *engine.compilers().at(backend),
                                     impl_->device->device, impl_->caller_stream);
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
    KernelArgument& added = made->arguments.emplace_back();
    if (argument.kind == ArgumentSpec::Kind::kTensorMap) {
      added.tensor_map = tensor_map_layout(configuration, argument);
      made->has_tensor_maps = true;
      sizes.push_back(sizeof(TensorMap));
    } else if (argument.kind == ArgumentSpec::Kind::kBuffer) {
      sizes.push_back(sizeof(void*));
    } else {
      added.value = argument_bytes(configuration, argument, unit.params);
      sizes.push_back(added.value.size());
    }
    made->pointer_count += added.value.empty() ? 1 : 0;
  }
  if (sizes.size() > kMaxArguments)
    throw bad_input("kernel '" + made->name + "' has more than 128 arguments", impl_->kernel->where);
  check_fit(configuration, *impl_->kernel, *made, sizes);
  Kernel kernel;
  kernel.impl_ = std::move(made);
  return kernel;
}

std::future<Kernel> KernelRequest::get_async() const {
  return std::async(std::launch::async, [request = *this] { return request.get(); });
}

void Kernel::launch(void* stream, LaunchArguments arguments) const {
  const Impl& self = *impl_;
  if (arguments.size() != self.pointer_count) {
    throw bad_input("kernel '" + self.name + "' takes " + std::to_string(self.pointer_count) + " buffers, " +
                    std::to_string(arguments.size()) + " are given");
  }
  try {
    if (self.has_tensor_maps) {
      launch_with_tensor_maps(self, stream, arguments);
      return;
    }
    std::array<void*, kMaxArguments> addresses;  // NOLINT(*-member-init): what is used is assigned
    std::size_t next_pointer = 0;
    std::size_t next = 0;
    for (const KernelArgument& argument : self.arguments) {
      addresses[next++] =
          argument.value.empty() ? address_of(arguments[next_pointer++]) : address_of(argument.value.front());
    }
    enqueue(self, stream, addresses.data());
  } catch (const DeviceFault& fault) {
    throw bad_input(fault.what());
  }
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
