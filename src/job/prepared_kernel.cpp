#include "job/prepared_kernel.h"

#include <array>

#include "base/text.h"
#include "launch/shape_check.h"

namespace kiln {
namespace {

constexpr std::int64_t kMaxGridExtent = 2147483647;

Dim3 extents_of(const Configuration& configuration, const std::vector<ExpressionText>& list) {
  std::array<std::uint64_t, 3> extents{1, 1, 1};
  for (std::size_t i = 0; i < list.size(); ++i) {
    extents.at(i) = static_cast<std::uint64_t>(configuration.evaluate_integer(list[i], 1, kMaxGridExtent));
  }
  return {extents[0], extents[1], extents[2]};
}

const LoadedUnit& unit_of(const std::vector<LoadedUnit>& units, const std::string& kernel) {
  for (const LoadedUnit& unit : units) {
    if (unit.unit.name_expressions.contains(kernel)) return unit;
  }
  throw internal_error("kernel '" + kernel + "' is in no unit");
}

ParameterValue as_value(ScalarType type, double number) {
  ParameterValue value;
  value.type = type;
  if (is_real(type)) {
    value.value = number;
  } else {
    value.value = static_cast<std::int64_t>(number);
  }
  return value;
}

std::vector<std::byte> expression_bytes(const Configuration& configuration, const ArgumentSpec& argument) {
  const ScalarType type = configuration.scalar_type(argument.type).value();
  const double number = is_real(type) ? configuration.evaluate(argument.value)
                                      : static_cast<double>(configuration.evaluate_integer(
                                            argument.value, -(std::int64_t{1} << 53), std::int64_t{1} << 53));
  return scalar_bytes(type, as_value(type, number));
}

}  // namespace

LaunchShape shape_of(const Configuration& configuration, const KernelSpec& kernel) {
  LaunchShape shape;
  shape.grid = extents_of(configuration, kernel.grid);
  shape.block = extents_of(configuration, kernel.block);
  if (kernel.shared) {
    shape.dynamic_shared_bytes =
        static_cast<std::uint64_t>(configuration.evaluate_integer(*kernel.shared, 0, kMaxGridExtent));
  }
  return shape;
}

PreparedKernel::PreparedKernel(const Configuration& configuration, const KernelSpec& kernel,
                               const std::vector<LoadedUnit>& units, Workspace& workspace)
    : kernel_(&kernel), workspace_(&workspace), shape_(shape_of(configuration, kernel)) {
  const LoadedUnit& unit = unit_of(units, kernel.name);
  function_ = &unit.code->function(unit.unit.name_expressions.at(kernel.name));
  for (const ArgumentSpec& argument : kernel.args) {
    switch (argument.kind) {
      case ArgumentSpec::Kind::kBuffer: arguments_.add_pointer(workspace.buffer(argument.name).data()); break;
      case ArgumentSpec::Kind::kParams: arguments_.add_bytes(pack_params(unit.unit.params, configuration)); break;
      case ArgumentSpec::Kind::kParameter: {
        const ParameterValue& value = configuration.value(argument.name);
        arguments_.add_bytes(scalar_bytes(value.type, value));
        break;
      }
      case ArgumentSpec::Kind::kValue: arguments_.add_bytes(expression_bytes(configuration, argument)); break;
      case ArgumentSpec::Kind::kNull: arguments_.add_pointer(nullptr); break;
    }
  }
  if (const auto problem = check_arguments(arguments_.sizes(), function_->attributes(), kernel.name)) {
    throw bad_input(*problem, kernel.where);
  }
  const DeviceInfo& device = workspace.device().info();
  if (const auto problem = check_shape(shape_, device, function_->attributes(), kernel.name)) {
    throw UnfitKernel(kernel.where.to_string() + ": " + *problem);
  }
  bind_symbols(*unit.code->module());
}

void PreparedKernel::bind_symbols(Module& module) {
  for (const auto& [name, buffer_name] : kernel_->symbols) {
    const auto symbol = module.symbol(name);
    const DeviceBuffer& buffer = workspace_->buffer(buffer_name);
    if (!symbol) {
      throw bad_input("kernels." + kernel_->name + ".symbols: '" + kernel_->source + "' defines no variable '" + name + "'",
                      kernel_->where);
    }
    if (symbol->second != buffer.bytes()) {
      throw bad_input("kernels." + kernel_->name + ".symbols: variable '" + name + "' holds " +
                          std::to_string(symbol->second) + " bytes, buffer '" + buffer_name + "' " +
                          std::to_string(buffer.bytes()),
                      kernel_->where);
    }
    symbols_.emplace_back(symbol->first, buffer_name);
  }
}

void PreparedKernel::load_symbols() {
  for (const auto& [address, buffer_name] : symbols_) {
    const HostContent content = workspace_->content(buffer_name);
    workspace_->device().copy_to_device(workspace_->stream(), address, content.bytes.data(), content.bytes.size());
  }
}

void PreparedKernel::enqueue() { function_->launch(workspace_->stream(), shape_, arguments_.data()); }

}  // namespace kiln
