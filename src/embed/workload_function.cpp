#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/text.h"
#include "embed/made_function.h"
#include "embed/made_kernel.h"
#include "embed/program_text.h"
#include "embed/request_inputs.h"
#include "launch/argument_values.h"
#include "launch/run_time_scalar.h"

// KernelRequest::function.
namespace kiln {
namespace {

using detail::ArgumentType;

std::string place(const KernelRequest::Impl& request) {
  return "kernel '" + request.kernel->name + "'";
}

bool is_passed(const ArgumentSpec& argument) {
  return argument.kind == ArgumentSpec::Kind::kBuffer || argument.kind == ArgumentSpec::Kind::kParameter ||
         argument.kind == ArgumentSpec::Kind::kGiven;
}

/// The extents of a shape that fits the device; drivers take them as 32 bits.
Extent extent_of(const Dim3& size) {
  const auto narrow = [](std::uint64_t extent) { return static_cast<std::uint32_t>(extent); };
  return {narrow(size.x), narrow(size.y), narrow(size.z)};
}

/// Throws bad_input for kernels whose launch is more than pointers and numbers.
void require_plain(const KernelRequest::Impl& request, const PreparedRequest& prepared) {
  const KernelSpec& kernel = *request.kernel;
  const auto refuse = [&](const std::string& why) {
    throw bad_input(place(request) + " cannot be a typed function: " + why, kernel.where);
  };
  if (shape_changes(*request.workload, kernel))
    refuse("its launch shape depends on variables of the program 'run:'");
  for (const ArgumentSpec& argument : kernel.args) {
    if (argument.kind == ArgumentSpec::Kind::kTensorMap)
      refuse("it takes a tensor map of '" + argument.name + "'; launch what get() returns");
    if (argument.struct_number != 0) refuse("it takes a struct; launch what get() returns");
    if (argument.kind == ArgumentSpec::Kind::kTexture)
      refuse("it takes a texture of '" + argument.name + "'; launch what get() returns");
    if (argument.kind == ArgumentSpec::Kind::kPointers)
      refuse("it takes pointers to the rows of '" + argument.name + "'; launch what get() returns");
    if (argument.kind == ArgumentSpec::Kind::kFunction)
      refuse("it takes a pointer to '" + argument.name + "'; launch what get() returns");
    if (!is_passed(argument) && argument_changes(*request.workload, argument, prepared.unit.params))
      refuse("an argument depends on variables of the program 'run:'");
  }
}

/// All arguments of the kernel, those that it has of its own without a type; the latter's values, and the
/// numbers that a launch cannot change, go to `made`.
std::vector<ArgumentType> arrange(const KernelRequest::Impl& request, const PreparedRequest& prepared,
                                  MadeFunction& made) {
  const KernelSpec& kernel = *request.kernel;
  std::vector<std::string> wanted;
  for (const ArgumentSpec& argument : kernel.args) {
    if (is_passed(argument)) wanted.push_back(argument.name.empty() ? argument.formal : argument.name);
  }
  if (made.arguments.size() != wanted.size())
    throw bad_input(place(request) + " is passed " + std::to_string(wanted.size()) + " arguments (" +
                        join(wanted, ", ") + "); the signature has " + std::to_string(made.arguments.size()),
                    kernel.where);
  const auto scalars = run_time_scalars(prepared.configuration, kernel, prepared.unit.params);
  std::vector<ArgumentType> all;
  int passed = 0;
  for (const ArgumentSpec& argument : kernel.args) {
    if (!is_passed(argument)) {
      made.own.push_back(
          {all.size(), argument_bytes(prepared.configuration, argument, prepared.unit.params)});
      all.push_back({"", made.own.back().bytes.size(), detail::ArgumentKind::kOther});
      continue;
    }
    const ArgumentType& type = made.arguments[static_cast<std::size_t>(passed)];
    all.push_back(type);
    const auto scalar = std::find_if(scalars.begin(), scalars.end(),
                                     [&](const RunTimeScalar& one) { return one.name == argument.name; });
    const bool fixed =
        argument.kind == ArgumentSpec::Kind::kParameter && scalar != scalars.end() && !scalar->frozen.empty();
    if (fixed) {
      const auto bytes = argument_bytes(prepared.configuration, argument, prepared.unit.params);
      detail::ConstantArgument constant{passed, bytes.size(), {}};
      if (bytes.size() == type.bytes && bytes.size() <= constant.value.size()) {
        std::memcpy(constant.value.data(), bytes.data(), bytes.size());
        made.constants.push_back(constant);
      }
    }
    ++passed;
  }
  return all;
}

}  // namespace

std::shared_ptr<const detail::FunctionState> KernelRequest::make_function(
    const std::vector<ArgumentType>& arguments) const {
  const KernelRequest::Impl request = take_wisdom(*impl_).request;
  PreparedRequest prepared = prepare(request);
  require_plain(request, prepared);
  auto made = std::make_shared<MadeFunction>();
  made->device_handle = request.device;
  made->arguments = arguments;
  const std::vector<ArgumentType> all = arrange(request, prepared, *made);
  const std::string& entry = prepared.unit.name_expressions.at(request.kernel->name);
  made->info.name = entry;
  Specialization& text = prepared.unit.specialization;
  text.source_text += signature_check(entry, all, text.source_name);
  auto result = request.service->engine.service().get(text, *prepared.compiler, request.device->device,
                                                      request.caller_stream);
  if (const auto* diagnostic = std::get_if<Diagnostic>(&result))
    throw signature_error(*diagnostic, place(request), arguments);
  auto& found = std::get<ServiceResult>(result);
  const LaunchShape shape = shape_of(prepared.configuration, *request.kernel);
  made->grid = extent_of(shape.grid);
  made->block = extent_of(shape.block);
  made->shared_bytes = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  made->cluster = shape.cluster;
  made->cooperative = shape.cooperative;
  auto code =
      request.kernel->symbols.empty() ? found.code : load_with_symbols(request, prepared, *found.code);
  add_code(found, std::move(code), entry, all, shape, *made);
  return made;
}

}  // namespace kiln
