#include "embed/made_kernel.h"

#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "device/fault.h"
#include "embed/request_inputs.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"

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

/// `address_at(argument, pointer, place)` is that of an argument for which the caller gives a pointer.
template <class AddressAt>
void enqueue_arguments(const Kernel::Impl& kernel, void* stream, LaunchArguments pointers,
                       const AddressAt& address_at) {
  std::array<void*, kMaxArguments> addresses;  // NOLINT(*-member-init): what is used is assigned
  std::size_t next_pointer = 0;
  std::size_t place = 0;
  for (const KernelArgument& argument : kernel.arguments) {
    addresses[place] = argument.value.empty() ? address_at(argument, pointers[next_pointer++], place)
                                              : address_of(argument.value.front());
    ++place;
  }
  enqueue(kernel, stream, addresses.data());
}

/// A map is made anew for each launch: it holds the pointer.
void launch_with_tensor_maps(const Kernel::Impl& kernel, void* stream, LaunchArguments pointers) {
  std::array<std::optional<TensorMap>, kMaxArguments> maps;
  enqueue_arguments(
      kernel, stream, pointers,
      [&](const KernelArgument& argument, const void* const& pointer, std::size_t place) {
        if (!argument.tensor_map) return address_of(pointer);
        Device& device = *kernel.device->device;
        return address_of(maps[place].emplace(device.encode_tensor_map(*argument.tensor_map, pointer)));
      });
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

/// As a job would set them; a mistake is told at the call that set it.
std::vector<std::pair<std::string, RawValue>> raw_values(const KernelRequest::Impl& request) {
  std::vector<std::pair<std::string, RawValue>> values;
  values.reserve(request.assignments.size());
  for (const auto& [name, value] : request.assignments)
    values.emplace_back(name, RawValue{text_of(value), false, {"set(\"" + name + "\")", 0, 0}});
  return values;
}

}  // namespace

PreparedRequest prepare(const KernelRequest::Impl& request) {
  if (!request.device)
    throw bad_input("kernel '" + request.kernel->name + "': no device; call on(device) first");
  Device& device = *request.device->device;
  const std::string& backend = device.info().target.backend;
  Engine& engine = request.service->engine;
  const TraceSpan span(engine.trace(), TraceKind::kSpecialise, request.kernel->name);
  ConfigurationResult configured =
      configure(request.workload, raw_values(request), device.info(), request.memory->texts);
  if (configured.violated)
    throw bad_input("constraint violated: " + configured.configuration.explain(*configured.violated),
                    configured.violated->where);
  PreparedRequest prepared{std::move(configured.configuration), {}, engine.compilers().at(backend)};
  prepared.unit = std::move(make_units(prepared.configuration, {request.kernel->name}, Role::kRun,
                                       device.info().target, request.memory->texts,
                                       request.headers ? *request.headers : std::vector<IncludedHeader>())
                                .at(0));
  return prepared;
}

std::shared_ptr<const Kernel::Impl> make_kernel(const KernelRequest::Impl& request,
                                                const PreparedRequest& prepared, ServiceResult found) {
  auto made = std::make_shared<Kernel::Impl>();
  made->device = request.device;
  made->code = request.kernel->symbols.empty() ? std::move(found.code)
                                               : load_with_symbols(request, prepared, *found.code);
  made->function = &made->code->function(prepared.unit.name_expressions.at(request.kernel->name));
  made->shape = shape_of(prepared.configuration, *request.kernel);
  made->name = request.kernel->name;
  made->origin = to_string(found.origin);
  made->key = found.key.digest;
  made->compile_seconds = found.compile_seconds;
  std::vector<std::size_t> sizes;
  for (const ArgumentSpec& argument : request.kernel->args) {
    KernelArgument& added = made->arguments.emplace_back();
    if (argument.kind == ArgumentSpec::Kind::kTensorMap) {
      added.tensor_map = tensor_map_layout(prepared.configuration, argument);
      made->has_tensor_maps = true;
      sizes.push_back(sizeof(TensorMap));
    } else if (argument.kind == ArgumentSpec::Kind::kBuffer) {
      sizes.push_back(sizeof(void*));
    } else {
      added.value = argument_bytes(prepared.configuration, argument, prepared.unit.params);
      sizes.push_back(added.value.size());
    }
    made->pointer_count += added.value.empty() ? 1 : 0;
  }
  if (sizes.size() > kMaxArguments)
    throw bad_input("kernel '" + made->name + "' has more than 128 arguments", request.kernel->where);
  check_fit(prepared.configuration, *request.kernel, *made, sizes);
  return made;
}

Error error_of(const Diagnostic& diagnostic) {
  const std::string message = diagnostic.summary + (diagnostic.log.empty() ? "" : "\n" + diagnostic.log);
  return diagnostic.environment ? environment_error(message) : bad_input(message);
}

void launch_kernel(const Kernel::Impl& kernel, void* stream, LaunchArguments arguments) {
  if (arguments.size() != kernel.pointer_count) {
    throw bad_input("kernel '" + kernel.name + "' takes " + std::to_string(kernel.pointer_count) +
                    " buffers, " + std::to_string(arguments.size()) + " are given");
  }
  try {
    if (kernel.has_tensor_maps) {
      launch_with_tensor_maps(kernel, stream, arguments);
      return;
    }
    enqueue_arguments(kernel, stream, arguments,
                      [](const KernelArgument& /*argument*/, const void* const& pointer,
                         std::size_t /*place*/) { return address_of(pointer); });
  } catch (const DeviceFault& fault) {
    throw bad_input(fault.what());
  }
}

}  // namespace kiln
