#include "job/prepared_kernel.h"

#include "launch/argument_values.h"
#include "launch/shape_check.h"

namespace kiln {
namespace {

const LoadedUnit& unit_of(const std::vector<LoadedUnit>& units, const std::string& kernel) {
  for (const LoadedUnit& unit : units) {
    if (unit.unit.name_expressions.contains(kernel)) return unit;
  }
  throw internal_error("kernel '" + kernel + "' is in no unit");
}

/// What is wrong at `where` in the workload, so that this variant cannot run.
UnfitKernel unfit(const SourceLocation& where, const std::string& problem) {
  return UnfitKernel(where.to_string() + ": " + problem);
}

TensorMap encode(const Configuration& configuration, const ArgumentSpec& argument, Workspace& workspace) {
  try {
    const TensorMapLayout layout = tensor_map_layout(configuration, argument);
    return workspace.device().encode_tensor_map(layout, workspace.buffer(argument.name).data());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    if (error.location().line > 0) throw UnfitKernel(error.what());
    throw unfit(argument.where, "tensor_map of '" + argument.name + "': " + error.message());
  }
}

std::string size_text(const std::string& name, std::uint64_t bytes) {
  return "'" + name + "' holds " + std::to_string(bytes) + " bytes";
}

}  // namespace

PreparedKernel::PreparedKernel(const Configuration& configuration, const KernelSpec& kernel,
                               const std::vector<LoadedUnit>& units, Workspace& workspace)
    : configuration_(&configuration),
      kernel_(&kernel),
      workspace_(&workspace),
      shape_(shape_of(configuration, kernel)) {
  const LoadedUnit& unit = unit_of(units, kernel.name);
  function_ = &unit.code->function(unit.unit.name_expressions.at(kernel.name));
  for (const ArgumentSpec& argument : kernel.args) {
    if (argument.kind == ArgumentSpec::Kind::kBuffer) {
      arguments_.add_pointer(workspace.buffer(argument.name).data());
    } else if (argument.kind == ArgumentSpec::Kind::kTensorMap) {
      arguments_.add_bytes(encode(configuration, argument, workspace).bytes);
    } else {
      arguments_.add_bytes(argument_bytes(configuration, argument, unit.unit.params));
    }
  }
  if (const auto mismatch = check_arguments(arguments_.sizes(), function_->attributes(), kernel.name)) {
    throw bad_input(*mismatch, kernel.where);
  }
  const DeviceInfo& device = workspace.device().info();
  auto problem = check_shape(shape_, device, function_->attributes(), kernel.name);
  if (!problem) {
    try {
      resident_blocks_ = function_->resident_blocks(shape_);
    } catch (const DeviceRefusal& refusal) {
      throw refused(refusal);
    }
    problem = check_residency(shape_, device, resident_blocks_, kernel.name);
  }
  if (problem) {
    throw unfit(kernel.where, *problem + " (" + explain_shape(configuration, kernel) + ")");
  }
  bind_symbols(*unit.code->module());
}

void PreparedKernel::bind_symbols(Module& module) {
  for (const auto& [name, buffer_name] : kernel_->symbols) {
    const auto symbol = module.symbol(name);
    const DeviceBuffer& buffer = workspace_->buffer(buffer_name);
    if (!symbol) {
      throw bad_input("kernels." + kernel_->name + ".symbols: '" + kernel_->source +
                          "' defines no variable '" + name + "'",
                      kernel_->where);
    }
    if (symbol->second != buffer.bytes()) {
      throw unfit(kernel_->where, "kernels." + kernel_->name + ".symbols: variable " +
                                      size_text(name, symbol->second) + ", buffer " +
                                      size_text(buffer_name, buffer.bytes()));
    }
    symbols_.emplace_back(symbol->first, buffer_name);
  }
}

void PreparedKernel::load_symbols() {
  for (const auto& [address, buffer_name] : symbols_) {
    const HostContent content = workspace_->content(buffer_name);
    workspace_->device().copy_to_device(workspace_->stream(), address, content.bytes.data(),
                                        content.bytes.size());
  }
}

void PreparedKernel::enqueue() {
  try {
    function_->launch(workspace_->stream(), shape_, arguments_.data());
  } catch (const DeviceRefusal& refusal) {
    throw refused(refusal);
  }
}

UnfitKernel PreparedKernel::refused(const DeviceRefusal& refusal) const {
  return unfit(kernel_->where, "kernel '" + kernel_->name + "' cannot be launched: " + refusal.message() +
                                   " (" + explain_shape(*configuration_, *kernel_) + ")");
}

}  // namespace kiln
