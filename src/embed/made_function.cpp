#include "embed/made_function.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/hash.h"
#include "base/text.h"
#include "device/backend_kind.h"
#include "device/fault.h"
#include "device/stream_capture.h"
#include "embed/arch_names.h"
#include "embed/made_kernel.h"
#include "embed/program_text.h"
#include "launch/shape_check.h"
#include "specialize/hip_words.h"
#include "specialize/host_code.h"
#include "specialize/inputs.h"
#include "specialize/symbol_expression.h"
#include "trial/prepared_kernel.h"

namespace kiln {
namespace {

using detail::ArgumentKind;
using detail::ArgumentType;

/// The folder of programs whose name is no path: no file is found beside them.
constexpr const char* kNoFolder = "/nonexistent";

std::string place(const FunctionRequest::Impl& request) {
  return "kernel '" + request.name_expression() + "'";
}

const ArgumentType& argument_at(const FunctionRequest::Impl& request,
                                const std::vector<ArgumentType>& arguments, int index, const char* purpose) {
  if (index >= 0 && static_cast<std::size_t>(index) < arguments.size())
    return arguments[static_cast<std::size_t>(index)];
  throw bad_input(place(request) + ": " + purpose + " of argument " + std::to_string(index) + "; it has " +
                  std::to_string(arguments.size()) + ", counted from 0");
}

template <class T, class Number>
bool store_as(Number number, detail::ConstantArgument& constant) {
  const T value = static_cast<T>(number);
  if constexpr (std::is_integral_v<T>) {
    if (!std::in_range<T>(number)) return false;
  }
  std::memcpy(constant.value.data(), &value, sizeof value);
  return true;
}

template <class Number>
bool store_integer(Number number, bool is_signed, detail::ConstantArgument& constant) {
  switch (constant.bytes) {
    case 1:
      return is_signed ? store_as<std::int8_t>(number, constant) : store_as<std::uint8_t>(number, constant);
    case 2:
      return is_signed ? store_as<std::int16_t>(number, constant) : store_as<std::uint16_t>(number, constant);
    case 4:
      return is_signed ? store_as<std::int32_t>(number, constant) : store_as<std::uint32_t>(number, constant);
    default:
      return is_signed ? store_as<std::int64_t>(number, constant) : store_as<std::uint64_t>(number, constant);
  }
}

std::string text_of(const LaunchScalar::Value& value) {
  return std::visit(
      [](auto number) -> std::string {
        if constexpr (std::is_same_v<decltype(number), bool>)
          return number ? "true" : "false";
        else if constexpr (std::is_floating_point_v<decltype(number)>)
          return format_number(number);
        else
          return std::to_string(number);
      },
      value);
}

/// The value in C++, with all its digits.
std::string literal_of(const LaunchScalar::Value& value) {
  if (const auto* real = std::get_if<double>(&value)) {
    const std::string text = format_number(*real);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    // The smallest value has no literal of its own.
    if (*whole == INT64_MIN) return "(-9223372036854775807LL - 1)";
    return std::to_string(*whole) + "LL";
  }
  if (std::holds_alternative<std::uint64_t>(value)) return text_of(value) + "ULL";
  return text_of(value);
}

detail::ConstantArgument constant_of(const FunctionRequest::Impl& request, int index,
                                     const ArgumentType& type, const LaunchScalar::Value& value) {
  detail::ConstantArgument constant{index, type.bytes, {}};
  const auto refuse = [&](const std::string& expected) {
    return bad_input(place(request) + ": the constant of argument " + std::to_string(index) + " (" +
                     type.name + "): expected " + expected + "; found " + text_of(value));
  };
  const auto* flag = std::get_if<bool>(&value);
  const auto* real = std::get_if<double>(&value);
  switch (type.kind) {
    case ArgumentKind::kBool:
      if (flag == nullptr) throw refuse("true or false");
      std::memcpy(constant.value.data(), flag, sizeof *flag);
      return constant;
    case ArgumentKind::kFloating: {
      if (flag != nullptr) throw refuse("a number");
      const double number = std::visit([](auto one) { return static_cast<double>(one); }, value);
      const bool fits =
          std::isfinite(number) && (type.bytes != sizeof(float) || std::isfinite(static_cast<float>(number)));
      if (!fits || type.bytes > sizeof(double)) throw refuse("a finite number that the type holds");
      const auto narrow = static_cast<float>(number);
      if (type.bytes == sizeof(float))
        std::memcpy(constant.value.data(), &narrow, sizeof narrow);
      else
        std::memcpy(constant.value.data(), &number, sizeof number);
      return constant;
    }
    case ArgumentKind::kSigned:
    case ArgumentKind::kUnsigned: {
      const bool is_signed = type.kind == ArgumentKind::kSigned;
      const auto* whole = std::get_if<std::int64_t>(&value);
      const auto* positive = std::get_if<std::uint64_t>(&value);
      const bool fits = type.bytes <= sizeof(std::int64_t) &&
                        (whole != nullptr      ? store_integer(*whole, is_signed, constant)
                         : positive != nullptr ? store_integer(*positive, is_signed, constant)
                                               : false);
      if (flag != nullptr || real != nullptr || !fits) throw refuse("a whole number that the type holds");
      return constant;
    }
    default:
      throw refuse("nothing: only whole numbers, bool and floating-point numbers can be constants");
  }
}

detail::IntegerArgument covered(const FunctionRequest::Impl& request,
                                const std::vector<ArgumentType>& arguments, int index) {
  if (index < 0) return {};
  const ArgumentType& type = argument_at(request, arguments, index, "a grid that covers the value");
  if (type.kind != ArgumentKind::kSigned && type.kind != ArgumentKind::kUnsigned)
    throw bad_input(place(request) + ": a grid covers argument " + std::to_string(index) +
                    ", which is no whole number but " + type.name);
  return {index, static_cast<std::uint8_t>(type.bytes), type.kind == ArgumentKind::kSigned};
}

Dim3 dim_of(const Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

/// Adds the request's data that a launch reads.
void add_state(const FunctionRequest::Impl& request, MadeFunction& made) {
  made.shared_bytes = request.shared_bytes;
  made.block = request.block.value_or(Extent{0, 0, 0});
  made.grid = request.grid.value_or(Extent{0, 0, 0});
  for (std::size_t axis = 0; axis < made.cover.size(); ++axis)
    made.cover[axis] = covered(request, made.arguments, request.cover[axis]);
  made.covers = std::any_of(request.cover.begin(), request.cover.end(), [](int index) { return index >= 0; });
  if (made.covers && request.grid)
    throw bad_input(place(request) + ": both grid() and cover(); a launch has one grid");
  if (made.covers && !request.block)
    throw bad_input(place(request) + ": cover() without block(): a grid covers a size by blocks");
  for (const auto& [index, value] : request.constants)
    made.constants.push_back(
        constant_of(request, index, argument_at(request, made.arguments, index, "a constant"), value));
}

std::vector<std::string> options_for(const FunctionRequest::Impl& request, const Compiler& compiler,
                                     const std::string& backend) {
  std::vector<std::string> options;
  for (const auto& [owner, list] : request.options) {
    if (owner.empty() || owner == backend) options.insert(options.end(), list.begin(), list.end());
  }
  if (const auto refused = compiler.refuse(options))
    throw bad_input(place(request) + ": option " + in_quotes(options.at(refused->at)) + ": " + refused->why);
  return options;
}

std::vector<std::string> type_names(const std::vector<ArgumentType>& arguments) {
  std::vector<std::string> names;
  names.reserve(arguments.size());
  for (const ArgumentType& argument : arguments) names.push_back(argument.name);
  return names;
}

/// `device` null: compiles only.
ServiceResult compile(const FunctionRequest::Impl& request, const std::vector<ArgumentType>& arguments,
                      const Target& target, const std::shared_ptr<Device>& device) {
  Engine& engine = request.program->service->engine;
  Compiler& compiler = *engine.compilers().at(target.backend);
  const TraceSpan span(engine.trace(), TraceKind::kSpecialise, request.kernel);
  auto result = engine.service().get(specialize_function(request, arguments, compiler, target), compiler,
                                     device, request.caller_stream);
  if (auto* found = std::get_if<ServiceResult>(&result)) return std::move(*found);
  throw signature_error(std::get<Diagnostic>(result), place(request), arguments);
}

/// Code of its own, with the variables that the program gave.
std::shared_ptr<LoadedCode> with_symbols(const FunctionRequest::Impl& request, const LoadedCode& shared) {
  require_no_capture(*request.device->device, request.caller_stream, place(request),
                     "its variables cannot be loaded");
  auto code = std::make_shared<LoadedCode>(shared.code(), request.device->device);
  Device& device = *request.device->device;
  const std::unique_ptr<Stream> stream = device.create_stream();
  for (const auto& [name, bytes] : request.program->symbols) {
    const auto symbol = find_variable(name, *code);
    if (!symbol) throw bad_input(place(request) + ": the code has no variable '" + name + "'");
    if (symbol->second != bytes.size())
      throw bad_input(place(request) + ": variable '" + name + "' has " + std::to_string(symbol->second) +
                      " bytes, " + std::to_string(bytes.size()) + " are given");
    device.copy_to_device(*stream, symbol->first, bytes.data(), bytes.size());
  }
  stream->synchronize();
  return code;
}

/// `shape` with a block of 0: each launch says it.
void add_info(const ServiceResult& found, const LaunchShape& shape, MadeFunction& made) {
  const FunctionAttributes& attributes = made.function->attributes();
  made.info.origin = to_string(found.origin);
  made.info.key = found.key.digest;
  made.info.compile_seconds = found.compile_seconds;
  made.info.registers = attributes.registers;
  made.info.static_shared_bytes = attributes.static_shared_bytes.value_or(0);
  made.info.local_bytes = attributes.local_bytes.value_or(0);
  const DeviceInfo& device = made.device_handle->device->info();
  made.info.max_threads_per_block =
      attributes.max_threads_per_block.value_or(device.limits.max_threads_per_block);
  if (shape.block.x == 0) return;
  if (const auto problem = check_shape(shape, device, attributes, made.info.name))
    throw unfit_kernel(*problem);
  made.info.resident_blocks = made.function->resident_blocks(shape);
  if (const auto problem = check_residency(shape, device, made.info.resident_blocks, made.info.name))
    throw unfit_kernel(*problem);
}

}  // namespace

Specialization specialize_function(const FunctionRequest::Impl& request,
                                   const std::vector<ArgumentType>& arguments, const Compiler& compiler,
                                   const Target& target) {
  const Program::Impl& program = *request.program;
  const std::filesystem::path path = std::filesystem::path(kNoFolder) / program.name;  // a whole path stays
  Specialization result;
  result.source_name = path.filename().string();
  result.source_path = path.string();
  result.defines.assign(request.defines.begin(), request.defines.end());
  result.fast_math = request.fast_math;
  result.lineinfo = request.lineinfo;
  result.target = target;
  std::string text = program.text;
  const std::string kernel = request.kernel.substr(request.kernel.rfind(':') + 1);
  std::vector<ConstantText> constants;
  for (const auto& [index, value] : request.constants) constants.emplace_back(index, literal_of(value));
  if (!constants.empty()) text = with_constants(text, kernel, constants);
  if (!request.launch_bounds.empty()) text = with_launch_bounds(text, kernel, request.launch_bounds);
  std::vector<std::filesystem::path> folders;
  if (std::filesystem::path(program.name).is_absolute()) folders.push_back(path.parent_path());
  add_inputs(result, text, options_for(request, compiler, target.backend),
             {*program.service->files, path, folders, std::filesystem::current_path(), program.headers});
  const std::string expression = request.name_expression();
  std::optional<Dim3> fixed_block;
  if (request.block && backend_kind(target.backend).fixes_block_shape) fixed_block = dim_of(*request.block);
  result.entries.push_back({expression, fixed_block, ""});
  translate_hip_words(result);
  std::vector<std::string> variables;
  for (const auto& [name, bytes] : program.symbols) {
    variables.push_back(name);
    if (needs_entry(name, result)) result.entries.push_back({entry_of_variable(name), std::nullopt, ""});
  }
  leave_out_host_code(result, variables);
  result.source_text += signature_check(expression, arguments, result.source_name);
  return result;
}

std::string FunctionRequest::Impl::name_expression() const {
  return template_args.empty() ? kernel : kernel + "<" + join(template_args, ", ") + ">";
}

std::string FunctionRequest::Impl::fingerprint(const std::vector<ArgumentType>& types) const {
  FieldHasher hasher;
  hasher.field("kernel", kernel).field("device", device->device->info().id);
  for (const std::string& argument : template_args) hasher.field("template", argument);
  for (const auto& [name, value] : defines) hasher.field("define", name).field("is", value);
  for (const auto& [index, value] : constants)
    hasher.field("constant", std::to_string(index)).field("is", literal_of(value));
  const auto extent = [&](const char* tag, const std::optional<Extent>& size) {
    if (size) hasher.field(tag, to_string(dim_of(*size)));
  };
  extent("block", block);
  extent("grid", grid);
  for (const int index : cover) hasher.field("cover", std::to_string(index));
  hasher.field("shared", std::to_string(shared_bytes)).field("bounds", launch_bounds);
  for (const auto& [backend, list] : options) {
    hasher.field("options", backend);
    for (const std::string& option : list) hasher.field("option", option);
  }
  hasher.field("fast_math", static_cast<std::int64_t>(fast_math))
      .field("lineinfo", static_cast<std::int64_t>(lineinfo));
  for (const ArgumentType& type : types) hasher.field("argument", type.name);
  return hasher.hex();
}

std::shared_ptr<const MadeFunction> FunctionIndex::find(const std::string& wanted) const {
  const std::lock_guard lock(mutex_);
  const auto found = functions_.find(wanted);
  return found == functions_.end() ? nullptr : found->second.lock();
}

void FunctionIndex::add(const std::string& wanted, const std::shared_ptr<const MadeFunction>& function) {
  const std::lock_guard lock(mutex_);
  functions_.insert_or_assign(wanted, function);
  if (functions_.size() < 2 * swept_ + 16) return;
  std::erase_if(functions_, [](const auto& known) { return known.second.expired(); });
  swept_ = functions_.size();
}

void compile_function_for(const FunctionRequest::Impl& request, std::vector<ArgumentType> arguments,
                          const std::string& architectures) {
  Engine& engine = request.program->service->engine;
  const std::string where = place(request) + ": compile_for()";
  if (!engine.settings().cache)
    throw bad_input(where + ": the setting 'cache' is off, so nothing would be kept");
  MadeFunction checked;
  checked.arguments = std::move(arguments);
  add_state(request, checked);
  for (const Target& target : targets_of(architectures, engine.compilers(), where))
    static_cast<void>(compile(request, checked.arguments, target, nullptr));
  engine.service().finish_writing();
}

Error signature_error(const Diagnostic& diagnostic, const std::string& place,
                      const std::vector<ArgumentType>& arguments) {
  const auto mismatch = find_mismatch_in(diagnostic.log);
  if (!mismatch) return error_of(diagnostic);
  Diagnostic explained = diagnostic;
  explained.summary = place + " does not take what the program passes, (" +
                      join(type_names(arguments), ", ") + ")" + (mismatch->empty() ? "" : ": " + *mismatch);
  return error_of(explained);
}

void add_code(const ServiceResult& found, std::shared_ptr<LoadedCode> code, const std::string& entry,
              const std::vector<ArgumentType>& all, const LaunchShape& shape, MadeFunction& made) {
  made.code = std::move(code);
  made.function = &made.code->function(entry);
  std::vector<std::size_t> sizes;
  for (const ArgumentType& argument : all) sizes.push_back(argument.bytes);
  if (const auto problem = check_arguments(sizes, made.function->attributes(), made.info.name))
    throw bad_input(*problem);
  add_info(found, shape, made);
  if (!shape.clustered() && !shape.cooperative) made.direct = made.function->direct();
  made.default_stream = made.device_handle->stream->native();
}

std::shared_ptr<MadeFunction> begin_function(const FunctionRequest::Impl& request,
                                             std::vector<ArgumentType> arguments) {
  auto made = std::make_shared<MadeFunction>();
  made->device_handle = request.device;
  made->arguments = std::move(arguments);
  made->info.name = request.name_expression();
  add_state(request, *made);
  return made;
}

void finish_function(const FunctionRequest::Impl& request, const ServiceResult& found, MadeFunction& made) {
  LaunchShape shape{{1, 1, 1}, {0, 0, 0}, request.shared_bytes};
  if (request.block) shape.block = dim_of(*request.block);
  add_code(found, request.program->symbols.empty() ? found.code : with_symbols(request, *found.code),
           request.name_expression(), made.arguments, shape, made);
}

std::shared_ptr<MadeFunction> make_function(const FunctionRequest::Impl& request,
                                            std::vector<ArgumentType> arguments) {
  std::shared_ptr<MadeFunction> made = begin_function(request, std::move(arguments));
  const ServiceResult found =
      compile(request, made->arguments, request.device->device->info().target, request.device->device);
  finish_function(request, found, *made);
  return made;
}

}  // namespace kiln
